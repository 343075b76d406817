// Compares Functions.h and Status.h with NVIDIA's cublasLt.h: abi_test compiles
// it where that is found. It has no other use.
#include <cublasLt.h>

#include "test/emulated/cublaslt/Functions.h"
#include "test/emulated/cublaslt/Status.h"

#include <type_traits>

namespace {

/// What the binary interface sees of a parameter.
template <class T> constexpr int classOf() {
  if constexpr (std::is_pointer_v<T>)
    return 1000; // pointers to whatever
  else if constexpr (std::is_enum_v<T>)
    return sizeof(T); // gcc's enumerations are ints or unsigned ints
  else
    return sizeof(T) + (std::is_floating_point_v<T> ? 100 : 0);
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
#define SMEX_CUBLASLT_TYPE(result, name, parameters)                           \
  using name##_type = result parameters;
SMEX_CUBLASLT_FUNCTIONS(SMEX_CUBLASLT_TYPE)
} // namespace mine

#define SMEX_CUBLASLT_COMPARE(result, name, parameters)                        \
  static_assert(Same<mine::name##_type, decltype(::name)>::value,              \
                #name " differs from cublasLt.h");
SMEX_CUBLASLT_FUNCTIONS(SMEX_CUBLASLT_COMPARE)

namespace status = smex::emulated::cublaslt;
#define SMEX_CUBLASLT_COMPARE_VALUE(name, value)                               \
  static_assert(status::name == int(CUBLAS_##name),                            \
                #name " differs from cublas_api.h");
SMEX_CUBLASLT_STATUSES(SMEX_CUBLASLT_COMPARE_VALUE)
SMEX_CUBLASLT_VALUES(SMEX_CUBLASLT_COMPARE_VALUE)
#define SMEX_CUBLASLT_COMPARE_LT(name, value)                                  \
  static_assert(status::name == int(CUBLASLT_##name),                          \
                #name " differs from cublasLt.h");
SMEX_CUBLASLT_LT_VALUES(SMEX_CUBLASLT_COMPARE_LT)

static_assert(status::R_32F == CUDA_R_32F && status::R_64F == CUDA_R_64F &&
              status::R_16F == CUDA_R_16F && status::R_16BF == CUDA_R_16BF);
// What the library fills, and what programs keep.
static_assert(sizeof(cublasLtMatmulAlgo_t) == 64 &&
              sizeof(cublasLtMatmulHeuristicResult_t) == 64 + 32 &&
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize) == 64 &&
              offsetof(cublasLtMatmulHeuristicResult_t, state) == 72);

} // namespace
