// Compares Functions.h and Results.h with NVIDIA's cuda.h: abi_test compiles
// it where that is found. It has no other use.
#include <cuda.h>

#include "test/emulated/Signature.h"
#include "test/emulated/cuda/Functions.h"
#include "test/emulated/cuda/Results.h"

namespace {

using smex::emulated::Same;

namespace mine {
#define SMEX_CUDA_TYPE(name, parameters, arguments)                            \
  using name##_type = int parameters;
SMEX_CUDA_FUNCTIONS(SMEX_CUDA_TYPE)
} // namespace mine

// Names that the header's macros have renamed are compared as what they became.
#define SMEX_CUDA_COMPARE(name, parameters, arguments)                         \
  static_assert(Same<mine::name##_type, decltype(::name)>::value,              \
                #name " differs from cuda.h");
#undef cuEventElapsedTime
#define cuEventElapsedTime cuEventElapsedTime_v2
SMEX_CUDA_FUNCTIONS(SMEX_CUDA_COMPARE)

#define SMEX_CUDA_COMPARE_RESULT(name, value, text)                            \
  static_assert(static_cast<int>(smex::emulated::name) == CUDA_##name,         \
                #name " differs from cuda.h");
SMEX_CUDA_RESULTS(SMEX_CUDA_COMPARE_RESULT)

static_assert(CU_STREAM_NON_BLOCKING == 1 && CU_EVENT_DISABLE_TIMING == 2);
static_assert(CU_JIT_ERROR_LOG_BUFFER == 5 &&
              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES == 6);
static_assert(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES == 8 &&
              CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT == 9);
static_assert(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR == 75 &&
              CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN == 97);

} // namespace
