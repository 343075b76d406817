// Where NVIDIA says that the driver refuses a call, or that it does not. The
// header's words are of CUDA 13.0.
#ifndef SMEX_TEST_EMULATED_CUDA_CITATIONS_H
#define SMEX_TEST_EMULATED_CUDA_CITATIONS_H

#include "test/emulated/Citation.h"

namespace smex::emulated::cuda::cites {

constexpr auto header = Document::CudaHeader, guide = Document::CudaGuide,
               ptxIsa = Document::PtxIsa;
/// On an H200.
constexpr const char *driver = "driver 580.159, of CUDA 13.0";

// X(name, citation)
#define SMEX_CUDA_CITATIONS(X)                                                 \
  /* Many functions. */                                                        \
  X(value, quotes(header, "CUDA_ERROR_INVALID_VALUE",                          \
                  "one or more of the parameters passed to the API call is "   \
                  "not within an acceptable range of values"))                 \
  X(handle, quotes(header, "CUDA_ERROR_INVALID_HANDLE",                        \
                   "a resource handle passed to the API call was not valid"))  \
  X(memory, quotes(header, "CUDA_ERROR_OUT_OF_MEMORY",                         \
                   "it was unable to allocate enough memory"))                 \
  X(noContext, quotes(header, "CUDA_ERROR_INVALID_CONTEXT",                    \
                      "there is no context bound to the current thread"))      \
  X(context,                                                                   \
    quotes(header, "CUDA_ERROR_INVALID_CONTEXT",                               \
           "the context passed to an API call is not a valid handle"))         \
  X(perThreadStream, notEmulated("the per-thread default stream"))             \
  /* Devices, contexts, errors. */                                             \
  X(initFirst, quotes(header, "cuInit",                                        \
                      "must be called before any other function from the "     \
                      "driver API in the current process"))                    \
  X(initFlags, quotes(header, "cuInit", "the Flags parameter must be 0"))      \
  X(manyDevices, notEmulated("more than 64 devices"))                          \
  X(ordinal, quotes(header, "CUDA_ERROR_INVALID_DEVICE",                       \
                    "the device ordinal supplied by the user does not "        \
                    "correspond to a valid CUDA device"))                      \
  X(deviceAttribute,                                                           \
    notEmulated("attributes of devices that runtimes do not ask for"))         \
  X(release,                                                                   \
    quotes(header, "cuDevicePrimaryCtxRelease",                                \
           "Releasing a primary context that has not been previously "         \
           "retained will fail with CUDA_ERROR_INVALID_CONTEXT."))             \
  X(peerFlags, quotes(header, "cuCtxEnablePeerAccess",                         \
                      "Returns CUDA_ERROR_INVALID_VALUE if Flags is not 0."))  \
  X(peerItself,                                                                \
    seen(driver, "a context that is to reach itself gives "                    \
                 "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, where cuda.h has "       \
                 "CUDA_ERROR_INVALID_CONTEXT"))                                \
  X(peerUnsupported,                                                           \
    quotes(header, "cuCtxEnablePeerAccess",                                    \
           "Returns CUDA_ERROR_PEER_ACCESS_UNSUPPORTED if "                    \
           "cuDeviceCanAccessPeer() indicates that the CUdevice of the "       \
           "current context cannot directly access memory"))                   \
  X(peerTwice,                                                                 \
    quotes(                                                                    \
        header, "cuCtxEnablePeerAccess",                                       \
        "Returns CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED if direct access of "  \
        "peerContext from the current context has already been enabled."))     \
  X(errorName, quotes(header, "cuGetErrorName",                                \
                      "If the error code is not recognized, "                  \
                      "CUDA_ERROR_INVALID_VALUE will be returned"))            \
  X(newerVersion,                                                              \
    quotes(header, "cuGetProcAddress",                                         \
           "If the specified CUDA version is greater than the driver "         \
           "version, the API will return CUDA_ERROR_INVALID_VALUE."))          \
  /* Memory. */                                                                \
  X(noBytes,                                                                   \
    quotes(                                                                    \
        header, "cuMemAlloc",                                                  \
        "If bytesize is 0, cuMemAlloc() returns CUDA_ERROR_INVALID_VALUE."))   \
  X(noHostBytes,                                                               \
    unsaid("page-locked memory of no bytes is refused as device memory is"))   \
  X(hostFlags, tells(header, "cuMemHostAlloc",                                 \
                     "the flags are PORTABLE, DEVICEMAP and WRITECOMBINED"))   \
  X(freed, quotes(header, "cuMemFree",                                         \
                  "must have been returned by a previous call to one of the "  \
                  "following memory allocation APIs"))                         \
  X(freedHost,                                                                 \
    quotes(header, "cuMemFreeHost",                                            \
           "must have been returned by a previous call to cuMemAllocHost()"))  \
  X(oneAllocation, unsaid("what is copied or filled is in one allocation"))    \
  X(peerCopy,                                                                  \
    quotes(header, "cuMemcpyPeerAsync",                                        \
           "dstDevice is the base device pointer of the destination memory "   \
           "and dstContext is the destination context"))                       \
  X(fillAlignment, quotes(header, "cuMemsetD32Async",                          \
                          "The dstDevice pointer must be four byte aligned.")) \
  /* Modules and launches. */                                                  \
  X(cubins, notEmulated("cubins and fat binaries"))                            \
  X(ptx,                                                                       \
    quotes(header, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"))  \
  X(ptxAlignment,                                                              \
    notEmulated("variables that are aligned to more than 512 bytes"))          \
  X(ptxVersion,                                                                \
    quotes(header, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",                       \
           "the provided PTX was compiled with an unsupported toolchain"))     \
  X(target,                                                                    \
    quotes(                                                                    \
        header, "CUDA_ERROR_NO_BINARY_FOR_GPU",                                \
        "there is no kernel image available that is suitable for the device")) \
  X(functionName,                                                              \
    quotes(header, "cuModuleGetFunction",                                      \
           "If no function of that name exists, cuModuleGetFunction() "        \
           "returns CUDA_ERROR_NOT_FOUND."))                                   \
  X(functionAttribute,                                                         \
    notEmulated("attributes of functions that runtimes do not ask for"))       \
  X(readOnly, quotes(header, "cuFuncSetAttribute",                             \
                     "Attempting to set a value on a read-only attribute "     \
                     "will result in an error (CUDA_ERROR_INVALID_VALUE)"))    \
  X(sharedSum,                                                                 \
    quotes(                                                                    \
        header, "cuFuncSetAttribute",                                          \
        "The sum of this value and the function attribute "                    \
        "CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES cannot exceed the device "        \
        "attribute CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN."))   \
  X(otherDevice,                                                               \
    quotes(guide, "Stream and Event Behavior",                                 \
           "A kernel launch will fail if it is issued to a stream that is "    \
           "not associated to the current device"))                            \
  X(gridLimits,                                                                \
    tells(header, "CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X",                        \
          "it and its neighbours limit the extents of grids and blocks"))      \
  X(blockThreads, quotes(header, "CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK",    \
                         "The maximum number of threads per block, beyond "    \
                         "which a launch of the function would fail."))        \
  X(requiredThreads,                                                           \
    quotes(ptxIsa, ".reqntid",                                                 \
           "Specifying a different CTA dimension at launch will result in a "  \
           "runtime error or kernel launch failure."))                         \
  X(maximalThreads, quotes(ptxIsa, ".maxntid",                                 \
                           "Exceeding the maximum number of threads results "  \
                           "in a runtime error or kernel launch failure."))    \
  X(dynamicShared,                                                             \
    quotes(header, "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES",          \
           "If the user-specified dynamic shared memory size is larger than "  \
           "this value, the launch will fail."))                               \
  X(parameters, quotes(header, "cuLaunchKernel",                               \
                       "must point to a region of memory from which the "      \
                       "actual kernel parameter will be copied"))              \
  X(twoParameters,                                                             \
    quotes(header, "cuLaunchKernel",                                           \
           "The error CUDA_ERROR_INVALID_VALUE will be returned if kernel "    \
           "parameters are specified with both kernelParams and extra"))       \
  X(extra, quotes(header, "cuLaunchKernel",                                    \
                  "extra specifies a list of names of extra settings and "     \
                  "their corresponding values."))                              \
  X(extraBuffer, quotes(header, "cuLaunchKernel",                              \
                        "a pointer to a buffer containing all the kernel "     \
                        "parameters for launching kernel f"))                  \
  X(knownLaunches,                                                             \
    stricter(                                                                  \
        "its driver does not know beforehand which launches there may be"))    \
  /* Streams and events. */                                                    \
  X(streamFlags,                                                               \
    tells(header, "cuStreamCreate",                                            \
          "the flags are CU_STREAM_DEFAULT and CU_STREAM_NON_BLOCKING"))       \
  X(legacyStays, unsaid("the default stream is no stream to destroy"))         \
  X(eventFlags,                                                                \
    tells(header, "cuEventCreate",                                             \
          "the flags are BLOCKING_SYNC, DISABLE_TIMING and INTERPROCESS"))     \
  X(interprocessTimed, quotes(header, "cuEventCreate",                         \
                              "CU_EVENT_INTERPROCESS must be specified along " \
                              "with CU_EVENT_DISABLE_TIMING."))                \
  X(interprocess, notEmulated("events of several processes"))                  \
  X(record, quotes(header, "cuEventRecord",                                    \
                   "hEvent and hStream must be from the same context "         \
                   "otherwise CUDA_ERROR_INVALID_HANDLE is returned."))        \
  X(neverRecorded,                                                             \
    quotes(header, "cuEventElapsedTime",                                       \
           "If cuEventRecord() has not been called on either event then "      \
           "CUDA_ERROR_INVALID_HANDLE is returned."))                          \
  X(untimed,                                                                   \
    quotes(header, "cuEventElapsedTime",                                       \
           "If either event was created with the CU_EVENT_DISABLE_TIMING "     \
           "flag, then this function will return CUDA_ERROR_INVALID_HANDLE.")) \
  X(waitExternal,                                                              \
    seen(driver, "CU_EVENT_WAIT_EXTERNAL outside of stream capture, where "    \
                 "cuda.h calls it invalid, gives CUDA_ERROR_ILLEGAL_STATE"))   \
  X(externalNode,                                                              \
    notEmulated("nodes of a graph that wait for events from outside"))         \
  /* Captures and graphs. */                                                   \
  X(legacyCapture,                                                             \
    quotes(header, "cuStreamBeginCapture",                                     \
           "Capture may not be initiated if stream is CU_STREAM_LEGACY."))     \
  X(captureTwice, quotes(header, "cuStreamBeginCapture",                       \
                         "it may only be initiated if the stream is not "      \
                         "already in capture mode"))                           \
  X(origin,                                                                    \
    quotes(                                                                    \
        header, "cuStreamBeginCapture",                                        \
        "Capture must be ended on the same stream in which it was initiated")) \
  X(notInitiated, quotes(header, "cuStreamEndCapture",                         \
                         "Capture must have been initiated on hStream via a "  \
                         "call to cuStreamBeginCapture."))                     \
  X(thread,                                                                    \
    quotes(header, "cuStreamEndCapture",                                       \
           "this call must be from the same thread as cuStreamBeginCapture"))  \
  X(noGraph,                                                                   \
    quotes(header, "cuStreamEndCapture",                                       \
           "If capture was invalidated, due to a violation of the rules of "   \
           "stream capture, then a NULL graph will be returned."))             \
  X(unjoined, quotes(header, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED",             \
                     "the capture sequence contains a fork that was not "      \
                     "joined to the primary stream"))                          \
  X(unjoinedIdle,                                                              \
    stricter(                                                                  \
        "nothing is said against a fork that does nothing and is not joined")) \
  X(invalidated, quotes(header, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",       \
                        "the current capture sequence on the stream has been " \
                        "invalidated due to a previous error"))                \
  X(timeCaptured,                                                              \
    seen(driver, "the time from or to an event of a capture gives "            \
                 "CUDA_ERROR_CAPTURED_EVENT and leaves the capture valid"))    \
  X(capturedEvent, quotes(header, "CUDA_ERROR_CAPTURED_EVENT",                 \
                          "the operation is not permitted on an event which "  \
                          "was last recorded in a capturing stream"))          \
  X(askLegacy,                                                                 \
    quotes(header, "cuStreamIsCapturing",                                      \
           "while a blocking stream in the same context is capturing, it "     \
           "will return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"))                  \
  X(ask, quotes(guide, "Prohibited and Unhandled Operations",                  \
                "It is invalid to synchronize or query the execution status "  \
                "of a stream which is being captured or a captured event"))    \
  X(askContext,                                                                \
    quotes(                                                                    \
        guide, "Prohibited and Unhandled Operations",                          \
        "It is also invalid to query the execution status of or synchronize "  \
        "a broader handle which encompasses an active stream capture"))        \
  X(useLegacy, quotes(guide, "Prohibited and Unhandled Operations",            \
                      "any attempted use of the legacy stream is invalid"))    \
  X(waitOutside, quotes(guide, "Prohibited and Unhandled Operations",          \
                        "It is invalid to wait on a non-captured event from "  \
                        "a stream which is being captured"))                   \
  X(merge, quotes(guide, "Prohibited and Unhandled Operations",                \
                  "It is invalid to merge two separate capture graphs by "     \
                  "waiting on a captured event"))                              \
  X(unsafe,                                                                    \
    quotes(header, "cuThreadExchangeStreamCaptureMode",                        \
           "some actions, such as a call to cudaMalloc, may be unsafe"))       \
  X(unsafeToo,                                                                 \
    unsaid("this is one of the \"potentially unsafe\" calls that cuda.h "      \
           "speaks of at cuThreadExchangeStreamCaptureMode"))                  \
  X(captureDestroyed, unsaid("a stream that is captured is not destroyed"))    \
  X(pinned, stricter("nothing is said against captured copies from or to "     \
                     "memory that is not pinned"))                             \
  X(graph, tells(header, "cuGraphInstantiate",                                 \
                 "of its results, CUDA_ERROR_INVALID_VALUE alone is one for "  \
                 "a graph that is none"))                                      \
  X(graphExec, tells(header, "cuGraphLaunch",                                  \
                     "of its results, CUDA_ERROR_INVALID_VALUE alone is one "  \
                     "for a graph that is none"))                              \
  X(graphFlags, notEmulated("flags of cuGraphInstantiate"))                    \
  X(graphInGraph, notEmulated("graphs inside graphs"))

#define SMEX_CUDA_CITATION(name, citation) constexpr Citation name = citation;
SMEX_CUDA_CITATIONS(SMEX_CUDA_CITATION)
#undef SMEX_CUDA_CITATION

} // namespace smex::emulated::cuda::cites

#endif
