// Compares what smex declares of cuDNN by hand with NVIDIA's cudnn.h:
// dnn_abi_test compiles it where that is found. It has no other use.
#include <cudnn.h>

#include "runtime/backends/cuda/dnn/Api.h"

#include <type_traits>

namespace {

/// What the binary interface sees of a parameter.
template <class T> constexpr int classOf() {
  if constexpr (std::is_pointer_v<T>)
    return 1000; // pointers to whatever
  else if constexpr (std::is_void_v<T>)
    return 0;
  else if constexpr (std::is_enum_v<T>)
    return sizeof(T);
  else
    return sizeof(T);
}

template <class Mine, class Theirs> struct Same : std::false_type {};
template <class R, class... A, class S, class... B>
struct Same<R(A...), S(B...)> {
  static constexpr bool check() {
    if constexpr (sizeof...(A) != sizeof...(B))
      return false;
    else
      return classOf<R>() == classOf<S>() &&
             ((classOf<A>() == classOf<B>()) && ...);
  }
  static constexpr bool value = check();
};

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
