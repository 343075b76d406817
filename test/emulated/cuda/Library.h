// How an emulated library of CUDA, such as cuBLASLt, puts work on the streams
// of the emulated driver. The library is a shared library of its own and finds
// these entry points when it runs, as NVIDIA's find the driver's; it links
// nothing.
#ifndef SMEX_TEST_EMULATED_CUDA_LIBRARY_H
#define SMEX_TEST_EMULATED_CUDA_LIBRARY_H

#include <cstddef>
#include <cstdint>

namespace smex::emulated {
constexpr int hostMemory = -2;
} // namespace smex::emulated

// X(member, entry point, result, parameters)
#define SMEX_EMULATED_LIBRARY_ENTRIES(X)                                       \
  /* Puts work on a stream of the current context (null: its default one).     \
     When its turn comes, and ready(argument), if given, is not 0, run is      \
     called. Both have the driver's lock: ready may call no function of the    \
     driver, run only `access`. It returns null, or what is wrong: a text that \
     lives as long as the argument, and the device fails as after a kernel's   \
     error. release(argument) is called once, after run or instead of it.      \
     Returns a CUresult; if it is not 0, release has been called. */           \
  X(submit, smexEmulatedSubmit, int,                                           \
    (void *stream, const char *description, int (*ready)(void *),              \
     const char *(*run)(void *work, void *argument), void (*release)(void *),  \
     void *argument))                                                          \
  /* Inside run: this process' view of bytes of a device that the work's       \
     device reaches, for reading (each byte has been written before) or for    \
     writing (all of them will be). The access takes part in the check for     \
     races of streams. Null: *error says why. */                               \
  X(access, smexEmulatedAccess, void *,                                        \
    (void *work, uint64_t address, size_t bytes, int isWritten,                \
     const char **error))                                                      \
  /* Bytes from the address to the end of the allocation that holds it; 0:     \
     none does. */                                                             \
  X(bytesFrom, smexEmulatedBytesFrom, size_t, (uint64_t address))              \
  /* The device whose memory the address is in; -1: there is none; hostMemory: \
     it is the host's, pinned. */                                              \
  X(deviceAt, smexEmulatedDeviceAt, int, (uint64_t address))                   \
  /* The device of a stream, or of the current context where it is null; -1:   \
     there is none. */                                                         \
  X(deviceOf, smexEmulatedDeviceOf, int, (void *stream))                       \
  /* Which one of the machine it is, of which this process may see a part. */  \
  X(physicalOf, smexEmulatedPhysicalOf, int, (int device))                     \
  /* Counts a call of a library's function. Not 0: SMEX_EMULATED_FAIL_AT says  \
     that this one returns that. */                                            \
  X(call, smexEmulatedCall, int, (const char *function))                       \
  /* Says on standard error and in SMEX_EMULATED_LOG why something is          \
     refused. */                                                               \
  X(report, smexEmulatedReport, void, (const char *text))

#define SMEX_EMULATED_DECLARE(member, entry, result, parameters)               \
  extern "C" result entry parameters;
SMEX_EMULATED_LIBRARY_ENTRIES(SMEX_EMULATED_DECLARE)
#undef SMEX_EMULATED_DECLARE

#endif
