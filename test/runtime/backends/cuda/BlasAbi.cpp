// Compares what smex declares of cuBLASLt by hand with NVIDIA's cublasLt.h:
// blas_api_test compiles it where that is found. It has no other use.
#include <cublasLt.h>

#include "runtime/backends/cuda/BlasApi.h"
#include "test/emulated/Signature.h"

#include <cstddef>

namespace {

using smex::emulated::Same;

namespace mine {
using namespace smex::cuda;
using namespace smex::cuda::blas;
#define SMEX_TYPE(member, entry, result, parameters)                           \
  using entry##_type = result parameters;
SMEX_BLAS_ENTRIES(SMEX_TYPE)
} // namespace mine

#define SMEX_COMPARE(member, entry, result, parameters)                        \
  static_assert(Same<mine::entry##_type, decltype(::entry)>::value,            \
                #entry " differs from cublasLt.h");
SMEX_BLAS_ENTRIES(SMEX_COMPARE)

namespace blas = smex::cuda::blas;

static_assert(blas::success == CUBLAS_STATUS_SUCCESS);
static_assert(blas::notSupported == CUBLAS_STATUS_NOT_SUPPORTED);
static_assert(blas::f32 == CUDA_R_32F);
static_assert(blas::f64 == CUDA_R_64F);
static_assert(blas::f16 == CUDA_R_16F);
static_assert(blas::bf16 == CUDA_R_16BF);
static_assert(blas::compute32F == CUBLAS_COMPUTE_32F);
static_assert(blas::compute64F == CUBLAS_COMPUTE_64F);
static_assert(blas::transposeNone == CUBLAS_OP_N);
static_assert(blas::transpose == CUBLAS_OP_T);
static_assert(blas::layoutBatchCount == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
static_assert(blas::layoutStridedBatchOffset ==
              CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
static_assert(blas::operationTransposeA == CUBLASLT_MATMUL_DESC_TRANSA);
static_assert(blas::operationTransposeB == CUBLASLT_MATMUL_DESC_TRANSB);
static_assert(blas::operationEpilogue == CUBLASLT_MATMUL_DESC_EPILOGUE);
static_assert(blas::operationBiasPointer == CUBLASLT_MATMUL_DESC_BIAS_POINTER);
static_assert(blas::epilogueDefault == CUBLASLT_EPILOGUE_DEFAULT);
static_assert(blas::epilogueRelu == CUBLASLT_EPILOGUE_RELU);
static_assert(blas::epilogueBias == CUBLASLT_EPILOGUE_BIAS);
static_assert(blas::epilogueGelu == CUBLASLT_EPILOGUE_GELU);
static_assert(blas::preferenceMaxWorkspaceBytes ==
              CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
static_assert(blas::preferenceReductionSchemeMask ==
              CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
static_assert(blas::preferenceMinAlignmentA ==
              CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
static_assert(blas::preferenceMinAlignmentB ==
              CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
static_assert(blas::preferenceMinAlignmentC ==
              CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
static_assert(blas::preferenceMinAlignmentD ==
              CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
static_assert(blas::reductionNone == CUBLASLT_REDUCTION_SCHEME_NONE);
static_assert(blas::reductionComputeType ==
              CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
static_assert(blas::reductionAny == CUBLASLT_REDUCTION_SCHEME_MASK);
static_assert(blas::configReductionScheme ==
              CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME);
static_assert(sizeof(blas::Algorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(blas::HeuristicResult) ==
              sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(blas::HeuristicResult, workspaceBytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(blas::HeuristicResult, state) ==
              offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(offsetof(blas::HeuristicResult, waves) ==
              offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));

} // namespace
