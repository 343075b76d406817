// Compares Functions.h and Status.h with NVIDIA's cudnn.h: abi_test compiles it
// where that is found. It has no other use.
#include <cudnn.h>

#define SMEX_EMULATED_CUDNN_LIST_ONLY
#include "test/emulated/Signature.h"
#include "test/emulated/cudnn/Functions.h"
#include "test/emulated/cudnn/Status.h"

namespace {

using smex::emulated::Same;

namespace mine {
#define SMEX_CUDNN_TYPE(name, result, parameters)                              \
  using name##_type = result parameters;
SMEX_EMULATED_CUDNN_FUNCTIONS(SMEX_CUDNN_TYPE)
} // namespace mine

#define SMEX_CUDNN_COMPARE(name, result, parameters)                           \
  static_assert(Same<mine::name##_type, decltype(::name)>::value,              \
                #name " differs from cudnn.h");
SMEX_EMULATED_CUDNN_FUNCTIONS(SMEX_CUDNN_COMPARE)

#define SMEX_CUDNN_COMPARE_STATUS(name, value)                                 \
  static_assert(CUDNN_STATUS_##name == value, #name " differs from cudnn.h");
SMEX_CUDNN_STATUS(SMEX_CUDNN_COMPARE_STATUS)

static_assert(sizeof(EmulatedCudnnPerf) ==
              sizeof(cudnnConvolutionFwdAlgoPerf_t));
static_assert(CUDNN_CONVOLUTION_FWD_ALGO_COUNT == 8 &&
              CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT == 6 &&
              CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT == 7);
static_assert(CUDNN_DATA_FLOAT == 0 && CUDNN_DATA_DOUBLE == 1 &&
              CUDNN_DATA_HALF == 2 && CUDNN_DATA_BFLOAT16 == 9);
static_assert(CUDNN_TENSOR_OP_MATH == 1 && CUDNN_FMA_MATH == 3);
static_assert(CUDNN_CONVOLUTION == 0 && CUDNN_CROSS_CORRELATION == 1);

} // namespace
