// What smex declares of CUDA's driver by hand against NVIDIA's own header,
// where a toolkit is installed. Where none is, there is nothing to compare
// with, and the test says so.
#include "runtime/backends/cuda/Api.h"
#include "test/runtime/backends/cuda/Signature.h"

#include <catch2/catch.hpp>

#if __has_include(<cuda.h>)
#include <cuda.h>
#define SMEX_HAS_CUDA_HEADER 1
#endif

using namespace smex;

#ifdef SMEX_HAS_CUDA_HEADER

namespace smex::cuda {
namespace {

/// The same number, and the same size, of every parameter.
#define SMEX_COMPARE(member, entry, parameters)                                \
  static_assert(std::is_same_v<Same<decltype(entry)>, Same<Code parameters>>,  \
                #entry " is declared otherwise in cuda.h");
SMEX_CUDA_ENTRIES(SMEX_COMPARE)
#undef SMEX_COMPARE

} // namespace
} // namespace smex::cuda

TEST_CASE("constants of the driver's interface are those of cuda.h") {
  CHECK(cuda::success == CUDA_SUCCESS);
  CHECK(cuda::errorOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
  CHECK(cuda::errorNoDevice == CUDA_ERROR_NO_DEVICE);
  CHECK(cuda::errorStubLibrary == CUDA_ERROR_STUB_LIBRARY);
  CHECK(cuda::errorNotReady == CUDA_ERROR_NOT_READY);
  CHECK(cuda::errorPeerAccessAlreadyEnabled ==
        CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  CHECK(cuda::attributeMultiprocessors ==
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  CHECK(cuda::attributeComputeCapabilityMajor ==
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  CHECK(cuda::attributeComputeCapabilityMinor ==
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  CHECK(cuda::streamNonBlocking == CU_STREAM_NON_BLOCKING);
  CHECK(cuda::eventDisableTiming == CU_EVENT_DISABLE_TIMING);
  CHECK(cuda::hostAllocPortable == CU_MEMHOSTALLOC_PORTABLE);
  CHECK(cuda::captureModeThreadLocal == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  CHECK(cuda::jitErrorLogBuffer == CU_JIT_ERROR_LOG_BUFFER);
  CHECK(cuda::jitErrorLogBufferSizeBytes == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  CHECK(sizeof(cuda::Address) == sizeof(CUdeviceptr));
  CHECK(sizeof(cuda::DeviceNumber) == sizeof(CUdevice));
  CHECK(sizeof(cuda::Uuid) == sizeof(CUuuid));
}

#else

TEST_CASE("there is no cuda.h to compare with") {
  WARN("NVIDIA's header is not installed: signatures are not compared");
  CHECK(sizeof(cuda::Address) == 8);
}

#endif
