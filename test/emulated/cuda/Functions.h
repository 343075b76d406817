#ifndef SMEX_TEST_EMULATED_CUDA_FUNCTIONS_H
#define SMEX_TEST_EMULATED_CUDA_FUNCTIONS_H

#include <cstddef>
#include <cstdint>

// The driver's entry points as their binary interface has them: handles are
// pointers, device pointers 64-bit integers, enumerations ints. abi_test
// compares this list with NVIDIA's cuda.h where that is found.
//
// X(name, (parameters), (arguments))
#define SMEX_CUDA_FUNCTIONS(X)                                                 \
  X(cuInit, (unsigned flags), (flags))                                         \
  X(cuDriverGetVersion, (int *version), (version))                             \
  X(cuDeviceGetCount, (int *count), (count))                                   \
  X(cuDeviceGet, (int *device, int ordinal), (device, ordinal))                \
  X(cuDeviceGetName, (char *name, int length, int device),                     \
    (name, length, device))                                                    \
  X(cuDeviceGetUuid_v2, (void *uuid, int device), (uuid, device))              \
  X(cuDeviceGetAttribute, (int *value, int attribute, int device),             \
    (value, attribute, device))                                                \
  X(cuDeviceTotalMem_v2, (size_t *bytes, int device), (bytes, device))         \
  X(cuDevicePrimaryCtxRetain, (void **context, int device), (context, device)) \
  X(cuDevicePrimaryCtxRelease_v2, (int device), (device))                      \
  X(cuCtxSetCurrent, (void *context), (context))                               \
  X(cuCtxGetCurrent, (void **context), (context))                              \
  X(cuCtxSynchronize, (), ())                                                  \
  X(cuMemAlloc_v2, (uint64_t *address, size_t bytes), (address, bytes))        \
  X(cuMemFree_v2, (uint64_t address), (address))                               \
  X(cuMemGetInfo_v2, (size_t *available, size_t *total), (available, total))   \
  X(cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags),             \
    (memory, bytes, flags))                                                    \
  X(cuMemAllocHost_v2, (void **memory, size_t bytes), (memory, bytes))         \
  X(cuMemFreeHost, (void *memory), (memory))                                   \
  X(cuMemcpyHtoDAsync_v2,                                                      \
    (uint64_t to, const void *from, size_t bytes, void *stream),               \
    (to, from, bytes, stream))                                                 \
  X(cuMemcpyDtoHAsync_v2,                                                      \
    (void *to, uint64_t from, size_t bytes, void *stream),                     \
    (to, from, bytes, stream))                                                 \
  X(cuMemcpyDtoDAsync_v2,                                                      \
    (uint64_t to, uint64_t from, size_t bytes, void *stream),                  \
    (to, from, bytes, stream))                                                 \
  X(cuMemcpyPeerAsync,                                                         \
    (uint64_t to, void *toContext, uint64_t from, void *fromContext,           \
     size_t bytes, void *stream),                                              \
    (to, toContext, from, fromContext, bytes, stream))                         \
  X(cuMemcpyHtoD_v2, (uint64_t to, const void *from, size_t bytes),            \
    (to, from, bytes))                                                         \
  X(cuMemcpyDtoH_v2, (void *to, uint64_t from, size_t bytes),                  \
    (to, from, bytes))                                                         \
  X(cuMemsetD8Async,                                                           \
    (uint64_t to, unsigned char value, size_t count, void *stream),            \
    (to, value, count, stream))                                                \
  X(cuMemsetD32Async,                                                          \
    (uint64_t to, unsigned value, size_t count, void *stream),                 \
    (to, value, count, stream))                                                \
  X(cuModuleLoadData, (void **module, const void *image), (module, image))     \
  X(cuModuleLoadDataEx,                                                        \
    (void **module, const void *image, unsigned count, int *options,           \
     void **values),                                                           \
    (module, image, count, options, values))                                   \
  X(cuModuleUnload, (void *module), (module))                                  \
  X(cuModuleGetFunction, (void **function, void *module, const char *name),    \
    (function, module, name))                                                  \
  X(cuFuncSetAttribute, (void *function, int attribute, int value),            \
    (function, attribute, value))                                              \
  X(cuFuncGetAttribute, (int *value, int attribute, void *function),           \
    (value, attribute, function))                                              \
  X(cuLaunchKernel,                                                            \
    (void *function, unsigned gridX, unsigned gridY, unsigned gridZ,           \
     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,  \
     void *stream, void **parameters, void **extra),                           \
    (function, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes,       \
     stream, parameters, extra))                                               \
  X(cuLaunchHostFunc,                                                          \
    (void *stream, void (*function)(void *), void *argument),                  \
    (stream, function, argument))                                              \
  X(cuStreamCreate, (void **stream, unsigned flags), (stream, flags))          \
  X(cuStreamDestroy_v2, (void *stream), (stream))                              \
  X(cuStreamSynchronize, (void *stream), (stream))                             \
  X(cuStreamQuery, (void *stream), (stream))                                   \
  X(cuStreamWaitEvent, (void *stream, void *event, unsigned flags),            \
    (stream, event, flags))                                                    \
  X(cuStreamBeginCapture_v2, (void *stream, int mode), (stream, mode))         \
  X(cuStreamEndCapture, (void *stream, void **graph), (stream, graph))         \
  X(cuStreamIsCapturing, (void *stream, int *status), (stream, status))        \
  X(cuGraphInstantiateWithFlags, (void **exec, void *graph, uint64_t flags),   \
    (exec, graph, flags))                                                      \
  X(cuGraphUpload, (void *exec, void *stream), (exec, stream))                 \
  X(cuGraphLaunch, (void *exec, void *stream), (exec, stream))                 \
  X(cuGraphExecDestroy, (void *exec), (exec))                                  \
  X(cuGraphDestroy, (void *graph), (graph))                                    \
  X(cuEventCreate, (void **event, unsigned flags), (event, flags))             \
  X(cuEventDestroy_v2, (void *event), (event))                                 \
  X(cuEventRecord, (void *event, void *stream), (event, stream))               \
  X(cuEventQuery, (void *event), (event))                                      \
  X(cuEventSynchronize, (void *event), (event))                                \
  X(cuEventElapsedTime, (float *milliseconds, void *start, void *end),         \
    (milliseconds, start, end))                                                \
  X(cuEventElapsedTime_v2, (float *milliseconds, void *start, void *end),      \
    (milliseconds, start, end))                                                \
  X(cuDeviceCanAccessPeer, (int *can, int device, int peer),                   \
    (can, device, peer))                                                       \
  X(cuCtxEnablePeerAccess, (void *peer, unsigned flags), (peer, flags))        \
  X(cuGetErrorName, (int error, const char **text), (error, text))             \
  X(cuGetErrorString, (int error, const char **text), (error, text))           \
  X(cuGetProcAddress_v2,                                                       \
    (const char *symbol, void **function, int version, uint64_t flags,         \
     int *status),                                                             \
    (symbol, function, version, flags, status))

// The emulator's own, for tests that know more than a driver does.
extern "C" int smexEmulatedAddBuffer(uint64_t address, size_t bytes,
                                     const char *name);
extern "C" int smexEmulatedRemoveBuffer(uint64_t address);
/// A text as KnownLaunches.h has it, of the program that allocates memory next.
extern "C" int smexEmulatedKnowLaunches(const char *text);
/// Names of the entry points that the calling thread has called since it asked
/// last, a line each; the first time, nothing.
extern "C" const char *smexEmulatedCalls();

#define SMEX_CUDA_DECLARE(name, parameters, arguments)                         \
  extern "C" int name parameters;

#endif
