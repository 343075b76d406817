// Compares what smex declares of CUDA's driver by hand with NVIDIA's cuda.h:
// api_test compiles it where that is found. It has no other use.
#include <cuda.h>

#include "runtime/backends/cuda/Api.h"
#include "test/emulated/Signature.h"

#include <cstddef>

namespace {

using smex::emulated::Same;

namespace mine {
using namespace smex::cuda;
#define SMEX_TYPE(member, entry, parameters)                                   \
  using entry##_type = Code parameters;
SMEX_CUDA_ENTRIES(SMEX_TYPE)
} // namespace mine

#define SMEX_COMPARE(member, entry, parameters)                                \
  static_assert(Same<mine::entry##_type, decltype(::entry)>::value,            \
                #entry " differs from cuda.h");
SMEX_CUDA_ENTRIES(SMEX_COMPARE)

namespace cuda = smex::cuda;

static_assert(cuda::success == CUDA_SUCCESS);
static_assert(cuda::errorOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(cuda::errorNoDevice == CUDA_ERROR_NO_DEVICE);
static_assert(cuda::errorStubLibrary == CUDA_ERROR_STUB_LIBRARY);
static_assert(cuda::errorInvalidImage == CUDA_ERROR_INVALID_IMAGE);
static_assert(cuda::errorInvalidPtx == CUDA_ERROR_INVALID_PTX);
static_assert(cuda::errorNotReady == CUDA_ERROR_NOT_READY);
static_assert(cuda::errorPeerAccessAlreadyEnabled ==
              CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
static_assert(cuda::attributeMultiprocessors ==
              CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(cuda::attributeComputeCapabilityMajor ==
              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(cuda::attributeComputeCapabilityMinor ==
              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(cuda::streamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(cuda::eventDisableTiming == CU_EVENT_DISABLE_TIMING);
static_assert(cuda::hostAllocPortable == CU_MEMHOSTALLOC_PORTABLE);
static_assert(cuda::captureModeThreadLocal ==
              CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
static_assert(cuda::jitErrorLogBuffer == CU_JIT_ERROR_LOG_BUFFER);
static_assert(cuda::jitErrorLogBufferSizeBytes ==
              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
static_assert(sizeof(cuda::Address) == sizeof(CUdeviceptr));
static_assert(sizeof(cuda::DeviceNumber) == sizeof(CUdevice));
static_assert(sizeof(cuda::Uuid) == sizeof(CUuuid));

} // namespace
