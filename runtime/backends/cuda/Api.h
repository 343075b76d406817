// The part of CUDA's driver interface that smex uses, declared by hand:
// building needs no CUDA toolkit. Values and layouts are those of NVIDIA's
// cuda.h, to which test/runtime/backends/cuda compares them where it is found.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_API_H
#define SMEX_RUNTIME_BACKENDS_CUDA_API_H

#include <cstddef>

namespace smex::cuda {

// CUresult
using Code = int;
constexpr Code success = 0;
constexpr Code errorOutOfMemory = 2;
constexpr Code errorStubLibrary = 34;
constexpr Code errorNoDevice = 100;
constexpr Code errorInvalidImage = 200; // code that is none
constexpr Code errorInvalidPtx = 218;
constexpr Code errorNotReady = 600;
constexpr Code errorPeerAccessAlreadyEnabled = 704;

using DeviceNumber = int;                 // CUdevice
using Address = unsigned long long;       // CUdeviceptr
using Context = struct ContextType *;     // CUcontext
using Module = struct ModuleType *;       // CUmodule
using Function = struct FunctionType *;   // CUfunction
using Stream = struct StreamType *;       // CUstream
using Event = struct EventType *;         // CUevent
using Graph = struct GraphType *;         // CUgraph
using GraphExec = struct GraphExecType *; // CUgraphExec

/// CUuuid
struct Uuid {
  char bytes[16];
};

// CUdevice_attribute
constexpr int attributeMultiprocessors = 16;
constexpr int attributeComputeCapabilityMajor = 75;
constexpr int attributeComputeCapabilityMinor = 76;

constexpr unsigned streamNonBlocking = 1;  // CU_STREAM_NON_BLOCKING
constexpr unsigned eventDisableTiming = 2; // CU_EVENT_DISABLE_TIMING
constexpr unsigned hostAllocPortable = 1;  // CU_MEMHOSTALLOC_PORTABLE

// CUstreamCaptureMode
constexpr int captureModeThreadLocal = 1;

// CUjit_option
constexpr int jitErrorLogBuffer = 5;
constexpr int jitErrorLogBufferSizeBytes = 6;

/// X(member, entry point, parameters); all return a Code.
#define SMEX_CUDA_ENTRIES(X)                                                   \
  X(init, cuInit, (unsigned flags))                                            \
  X(driverGetVersion, cuDriverGetVersion, (int *version))                      \
  X(getErrorName, cuGetErrorName, (Code code, const char **text))              \
  X(getErrorString, cuGetErrorString, (Code code, const char **text))          \
  X(deviceGetCount, cuDeviceGetCount, (int *count))                            \
  X(deviceGet, cuDeviceGet, (DeviceNumber * device, int ordinal))              \
  X(deviceGetName, cuDeviceGetName,                                            \
    (char *name, int length, DeviceNumber device))                             \
  X(deviceGetUuid, cuDeviceGetUuid_v2, (Uuid * uuid, DeviceNumber device))     \
  X(deviceGetAttribute, cuDeviceGetAttribute,                                  \
    (int *value, int attribute, DeviceNumber device))                          \
  X(deviceCanAccessPeer, cuDeviceCanAccessPeer,                                \
    (int *can, DeviceNumber device, DeviceNumber peer))                        \
  X(primaryContextRetain, cuDevicePrimaryCtxRetain,                            \
    (Context * context, DeviceNumber device))                                  \
  X(primaryContextRelease, cuDevicePrimaryCtxRelease_v2,                       \
    (DeviceNumber device))                                                     \
  X(contextSetCurrent, cuCtxSetCurrent, (Context context))                     \
  X(contextEnablePeerAccess, cuCtxEnablePeerAccess,                            \
    (Context peer, unsigned flags))                                            \
  X(memoryGetInfo, cuMemGetInfo_v2, (size_t *free, size_t *total))             \
  X(memoryAllocate, cuMemAlloc_v2, (Address * address, size_t bytes))          \
  X(memoryFree, cuMemFree_v2, (Address address))                               \
  X(hostAllocate, cuMemHostAlloc,                                              \
    (void **address, size_t bytes, unsigned flags))                            \
  X(hostFree, cuMemFreeHost, (void *address))                                  \
  X(copyToDevice, cuMemcpyHtoDAsync_v2,                                        \
    (Address to, const void *from, size_t bytes, Stream stream))               \
  X(copyToHost, cuMemcpyDtoHAsync_v2,                                          \
    (void *to, Address from, size_t bytes, Stream stream))                     \
  X(copyOnDevice, cuMemcpyDtoDAsync_v2,                                        \
    (Address to, Address from, size_t bytes, Stream stream))                   \
  X(moduleLoad, cuModuleLoadDataEx,                                            \
    (Module * module, const void *image, unsigned count, int *options,         \
     void **values))                                                           \
  X(moduleUnload, cuModuleUnload, (Module module))                             \
  X(moduleGetFunction, cuModuleGetFunction,                                    \
    (Function * function, Module module, const char *name))                    \
  X(launchKernel, cuLaunchKernel,                                              \
    (Function function, unsigned gridX, unsigned gridY, unsigned gridZ,        \
     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,  \
     Stream stream, void **parameters, void **extra))                          \
  X(streamCreate, cuStreamCreate, (Stream * stream, unsigned flags))           \
  X(streamDestroy, cuStreamDestroy_v2, (Stream stream))                        \
  X(streamSynchronize, cuStreamSynchronize, (Stream stream))                   \
  X(streamQuery, cuStreamQuery, (Stream stream))                               \
  X(streamBeginCapture, cuStreamBeginCapture_v2, (Stream stream, int mode))    \
  X(streamEndCapture, cuStreamEndCapture, (Stream stream, Graph * graph))      \
  X(graphInstantiate, cuGraphInstantiateWithFlags,                             \
    (GraphExec * exec, Graph graph, unsigned long long flags))                 \
  X(graphUpload, cuGraphUpload, (GraphExec exec, Stream stream))               \
  X(graphLaunch, cuGraphLaunch, (GraphExec exec, Stream stream))               \
  X(graphExecDestroy, cuGraphExecDestroy, (GraphExec exec))                    \
  X(graphDestroy, cuGraphDestroy, (Graph graph))                               \
  X(streamWaitEvent, cuStreamWaitEvent,                                        \
    (Stream stream, Event event, unsigned flags))                              \
  X(eventCreate, cuEventCreate, (Event * event, unsigned flags))               \
  X(eventDestroy, cuEventDestroy_v2, (Event event))                            \
  X(eventRecord, cuEventRecord, (Event event, Stream stream))                  \
  X(eventQuery, cuEventQuery, (Event event))                                   \
  X(eventElapsedTime, cuEventElapsedTime,                                      \
    (float *milliseconds, Event start, Event end))

/// The entry points, once the library is loaded.
struct Entries {
#define SMEX_CUDA_MEMBER(member, entry, parameters)                            \
  Code(*member) parameters = nullptr;
  SMEX_CUDA_ENTRIES(SMEX_CUDA_MEMBER)
#undef SMEX_CUDA_MEMBER
};

} // namespace smex::cuda

#endif
