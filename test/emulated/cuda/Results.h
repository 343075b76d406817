#ifndef SMEX_TEST_EMULATED_CUDA_RESULTS_H
#define SMEX_TEST_EMULATED_CUDA_RESULTS_H

// Values of CUresult that the emulated driver returns: X(name, value, text).
#define SMEX_CUDA_RESULTS(X)                                                   \
  X(SUCCESS, 0, "no error")                                                    \
  X(ERROR_INVALID_VALUE, 1, "invalid argument")                                \
  X(ERROR_OUT_OF_MEMORY, 2, "out of memory")                                   \
  X(ERROR_NOT_INITIALIZED, 3, "cuInit was not called")                         \
  X(ERROR_NO_DEVICE, 100, "no device")                                         \
  X(ERROR_INVALID_DEVICE, 101, "invalid device ordinal")                       \
  X(ERROR_INVALID_IMAGE, 200, "the image is no PTX")                           \
  X(ERROR_INVALID_CONTEXT, 201, "no context is current, or it is invalid")     \
  X(ERROR_NO_BINARY_FOR_GPU, 209, "no code for this device")                   \
  X(ERROR_ECC_UNCORRECTABLE, 214, "uncorrectable ECC error")                   \
  X(ERROR_PEER_ACCESS_UNSUPPORTED, 217, "peer access is not supported")        \
  X(ERROR_INVALID_PTX, 218, "the PTX does not compile")                        \
  X(ERROR_NVLINK_UNCORRECTABLE, 220, "uncorrectable NVLink error")             \
  X(ERROR_UNSUPPORTED_PTX_VERSION, 222, "the PTX is newer than the driver")    \
  X(ERROR_CONTAINED, 226, "an error that the GPU has contained")               \
  X(ERROR_INVALID_HANDLE, 400, "invalid handle")                               \
  X(ERROR_ILLEGAL_STATE, 401, "a resource is not in the state that is needed") \
  X(ERROR_NOT_FOUND, 500, "not found")                                         \
  X(ERROR_NOT_READY, 600, "not ready")                                         \
  X(ERROR_ILLEGAL_ADDRESS, 700, "illegal memory access")                       \
  X(ERROR_LAUNCH_OUT_OF_RESOURCES, 701, "too many resources for a launch")     \
  X(ERROR_LAUNCH_TIMEOUT, 702, "the launch timed out")                         \
  X(ERROR_PEER_ACCESS_ALREADY_ENABLED, 704, "peer access is already enabled")  \
  X(ERROR_PEER_ACCESS_NOT_ENABLED, 705, "peer access is not enabled")          \
  X(ERROR_ASSERT, 710, "an assertion of a kernel failed")                      \
  X(ERROR_HARDWARE_STACK_ERROR, 714, "stack error")                            \
  X(ERROR_ILLEGAL_INSTRUCTION, 715, "illegal instruction")                     \
  X(ERROR_MISALIGNED_ADDRESS, 716, "misaligned address")                       \
  X(ERROR_INVALID_ADDRESS_SPACE, 717, "an address of another space")           \
  X(ERROR_INVALID_PC, 718, "invalid program counter")                          \
  X(ERROR_LAUNCH_FAILED, 719, "unspecified launch failure")                    \
  X(ERROR_TENSOR_MEMORY_LEAK, 721, "tensor memory was not given back")         \
  X(ERROR_NOT_SUPPORTED, 801, "not supported")                                 \
  X(ERROR_SYSTEM_DRIVER_MISMATCH, 803, "driver and library differ")            \
  X(ERROR_STREAM_CAPTURE_UNSUPPORTED, 900, "not permitted in a capture")       \
  X(ERROR_STREAM_CAPTURE_INVALIDATED, 901, "an error invalidated the capture") \
  X(ERROR_STREAM_CAPTURE_MERGE, 902, "two captures would merge")               \
  X(ERROR_STREAM_CAPTURE_UNMATCHED, 903, "the capture began elsewhere")        \
  X(ERROR_STREAM_CAPTURE_UNJOINED, 904, "a fork of a capture was not joined")  \
  X(ERROR_STREAM_CAPTURE_ISOLATION, 905, "a dependency crosses a capture")     \
  X(ERROR_STREAM_CAPTURE_IMPLICIT, 906, "a dependency by the legacy stream")   \
  X(ERROR_CAPTURED_EVENT, 907, "the event was recorded in a capture")          \
  X(ERROR_STREAM_CAPTURE_WRONG_THREAD, 908, "another thread began it")         \
  X(ERROR_UNKNOWN, 999, "unknown error")

namespace smex::emulated {

enum Result {
#define SMEX_CUDA_RESULT(name, value, text) name = value,
  SMEX_CUDA_RESULTS(SMEX_CUDA_RESULT)
#undef SMEX_CUDA_RESULT
};

} // namespace smex::emulated

#endif
