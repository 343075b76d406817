// Compares Functions.h and Status.h with NVIDIA's cublasLt.h: abi_test compiles
// it where that is found. It has no other use.
#include <cublasLt.h>

#include "test/emulated/Signature.h"
#include "test/emulated/cublaslt/Functions.h"
#include "test/emulated/cublaslt/Status.h"

namespace {

using smex::emulated::Same;

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
