#ifndef SMEX_TEST_EMULATED_NCCL_FUNCTIONS_H
#define SMEX_TEST_EMULATED_NCCL_FUNCTIONS_H

#include <cstddef>
#include <cstdint>

// NCCL's entry points as their binary interface has them: handles are pointers,
// enumerations ints. abi_test compares this list with NVIDIA's nccl.h where
// that is found.
extern "C" {
struct EmulatedNcclId {
  char bytes[128];
};
}

// X(name, result, (parameters))
#define SMEX_NCCL_FUNCTIONS(X)                                                 \
  X(ncclGetVersion, int, (int *version))                                       \
  X(ncclGetUniqueId, int, (EmulatedNcclId * id))                               \
  X(ncclCommInitRank, int,                                                     \
    (void **made, int ranks, EmulatedNcclId id, int rank))                     \
  X(ncclCommSplit, int,                                                        \
    (void *of, int color, int key, void **made, void *config))                 \
  X(ncclCommDestroy, int, (void *communicator))                                \
  X(ncclCommAbort, int, (void *communicator))                                  \
  X(ncclCommGetAsyncError, int, (void *communicator, int *error))              \
  X(ncclCommCount, int, (void *communicator, int *count))                      \
  X(ncclCommUserRank, int, (void *communicator, int *rank))                    \
  X(ncclCommCuDevice, int, (void *communicator, int *device))                  \
  X(ncclGetErrorString, const char *, (int result))                            \
  X(ncclGetLastError, const char *, (void *communicator))                      \
  X(ncclGroupStart, int, ())                                                   \
  X(ncclGroupEnd, int, ())                                                     \
  X(ncclSend, int,                                                             \
    (const void *from, size_t count, int type, int peer, void *communicator,   \
     void *stream))                                                            \
  X(ncclRecv, int,                                                             \
    (void *to, size_t count, int type, int peer, void *communicator,           \
     void *stream))                                                            \
  X(ncclAllGather, int,                                                        \
    (const void *from, void *to, size_t count, int type, void *communicator,   \
     void *stream))                                                            \
  X(ncclAllReduce, int,                                                        \
    (const void *from, void *to, size_t count, int type, int operation,        \
     void *communicator, void *stream))                                        \
  X(ncclReduceScatter, int,                                                    \
    (const void *from, void *to, size_t count, int type, int operation,        \
     void *communicator, void *stream))

#define SMEX_NCCL_DECLARE(name, result, parameters)                            \
  extern "C" result name parameters;

#endif
