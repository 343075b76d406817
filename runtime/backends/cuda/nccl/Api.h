// The part of NCCL that smex uses, declared by hand: building needs no NCCL.
// Values and layouts are those of NVIDIA's nccl.h, to which
// test/emulated/nccl:abi_test compares them where it is found.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_NCCL_API_H
#define SMEX_RUNTIME_BACKENDS_CUDA_NCCL_API_H

#include <cstddef>

namespace smex::nccl {

// ncclResult_t
using Code = int;
constexpr Code success = 0;
constexpr Code inProgress = 7;

using Communicator = struct CommunicatorType *; // ncclComm_t
using Stream = void *;                          // cudaStream_t, CUstream

/// ncclUniqueId; it is passed by value.
struct UniqueId {
  char bytes[128];
};

// ncclDataType_t
constexpr int typeInt8 = 0;      // ncclInt8
constexpr int typeUint8 = 1;     // ncclUint8
constexpr int typeInt32 = 2;     // ncclInt32
constexpr int typeUint32 = 3;    // ncclUint32
constexpr int typeInt64 = 4;     // ncclInt64
constexpr int typeUint64 = 5;    // ncclUint64
constexpr int typeFloat32 = 7;   // ncclFloat32
constexpr int typeFloat64 = 8;   // ncclFloat64
constexpr int operationSum = 0;  // ncclSum, of ncclRedOp_t
constexpr int splitNoColor = -1; // NCCL_SPLIT_NOCOLOR

/// X(member, entry point, result, parameters)
#define SMEX_NCCL_ENTRIES(X)                                                   \
  X(getVersion, ncclGetVersion, Code, (int *version))                          \
  X(getUniqueId, ncclGetUniqueId, Code, (UniqueId * id))                       \
  X(initRank, ncclCommInitRank, Code,                                          \
    (Communicator * made, int ranks, UniqueId id, int rank))                   \
  X(split, ncclCommSplit, Code,                                                \
    (Communicator of, int color, int key, Communicator *made, void *config))   \
  X(destroy, ncclCommDestroy, Code, (Communicator communicator))               \
  X(abort, ncclCommAbort, Code, (Communicator communicator))                   \
  X(getAsyncError, ncclCommGetAsyncError, Code,                                \
    (Communicator communicator, Code * error))                                 \
  X(getErrorString, ncclGetErrorString, const char *, (Code code))             \
  X(getLastError, ncclGetLastError, const char *, (Communicator communicator)) \
  X(groupStart, ncclGroupStart, Code, ())                                      \
  X(groupEnd, ncclGroupEnd, Code, ())                                          \
  X(send, ncclSend, Code,                                                      \
    (const void *from, size_t count, int type, int peer,                       \
     Communicator communicator, Stream stream))                                \
  X(receive, ncclRecv, Code,                                                   \
    (void *to, size_t count, int type, int peer, Communicator communicator,    \
     Stream stream))                                                           \
  X(allGather, ncclAllGather, Code,                                            \
    (const void *from, void *to, size_t count, int type,                       \
     Communicator communicator, Stream stream))                                \
  X(allReduce, ncclAllReduce, Code,                                            \
    (const void *from, void *to, size_t count, int type, int operation,        \
     Communicator communicator, Stream stream))                                \
  X(reduceScatter, ncclReduceScatter, Code,                                    \
    (const void *from, void *to, size_t count, int type, int operation,        \
     Communicator communicator, Stream stream))

/// The entry points, once the library is loaded.
struct Entries {
#define SMEX_NCCL_MEMBER(member, entry, result, parameters)                    \
  result(*member) parameters = nullptr;
  SMEX_NCCL_ENTRIES(SMEX_NCCL_MEMBER)
#undef SMEX_NCCL_MEMBER
};

} // namespace smex::nccl

#endif
