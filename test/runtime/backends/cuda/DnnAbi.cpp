// Compares what smex declares of cuDNN by hand with NVIDIA's cudnn.h:
// dnn_abi_test compiles it where that is found. It has no other use.
#include <cudnn.h>

#include "runtime/backends/cuda/dnn/Api.h"
#include "test/emulated/Signature.h"

namespace {

using smex::emulated::Same;

namespace mine {
using namespace smex::cuda;
using namespace smex::cuda::dnn;
using Code = smex::cuda::dnn::Code;
#define SMEX_CUDNN_TYPE(member, entry, result, parameters)                     \
  using entry##_type = result parameters;
SMEX_CUDNN_ENTRIES(SMEX_CUDNN_TYPE)
} // namespace mine

#define SMEX_CUDNN_COMPARE(member, entry, result, parameters)                  \
  static_assert(Same<mine::entry##_type, decltype(::entry)>::value,            \
                #entry " differs from cudnn.h");
SMEX_CUDNN_ENTRIES(SMEX_CUDNN_COMPARE)

namespace dnn = smex::cuda::dnn;

static_assert(dnn::success == CUDNN_STATUS_SUCCESS);
static_assert(dnn::dataFloat == CUDNN_DATA_FLOAT);
static_assert(dnn::dataHalf == CUDNN_DATA_HALF);
static_assert(dnn::dataBfloat16 == CUDNN_DATA_BFLOAT16);
static_assert(dnn::formatNchw == CUDNN_TENSOR_NCHW);
static_assert(dnn::crossCorrelation == CUDNN_CROSS_CORRELATION);
static_assert(dnn::defaultMath == CUDNN_DEFAULT_MATH);
static_assert(dnn::tensorOpMath == CUDNN_TENSOR_OP_MATH);
static_assert(dnn::tensorOpMathAllowConversion ==
              CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION);
static_assert(dnn::fmaMath == CUDNN_FMA_MATH);
static_assert(dnn::isDeterministic == CUDNN_DETERMINISTIC);

template <class Theirs> constexpr bool sameLayout() {
  using Mine = dnn::AlgorithmPerf;
  return sizeof(Mine) == sizeof(Theirs) &&
         offsetof(Mine, algorithm) == offsetof(Theirs, algo) &&
         offsetof(Mine, status) == offsetof(Theirs, status) &&
         offsetof(Mine, time) == offsetof(Theirs, time) &&
         offsetof(Mine, memory) == offsetof(Theirs, memory) &&
         offsetof(Mine, determinism) == offsetof(Theirs, determinism) &&
         offsetof(Mine, mathType) == offsetof(Theirs, mathType) &&
         offsetof(Mine, reserved) == offsetof(Theirs, reserved);
}
static_assert(sameLayout<cudnnConvolutionFwdAlgoPerf_t>());
static_assert(sameLayout<cudnnConvolutionBwdDataAlgoPerf_t>());
static_assert(sameLayout<cudnnConvolutionBwdFilterAlgoPerf_t>());

} // namespace
