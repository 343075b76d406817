// Compares Functions.h and Status.h with NVIDIA's cudnn.h: abi_test compiles it
// where that is found. It has no other use.
#include <cudnn.h>

#define SMEX_EMULATED_CUDNN_LIST_ONLY
#include "test/emulated/cudnn/Functions.h"
#include "test/emulated/cudnn/Status.h"

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
