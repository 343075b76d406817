// What smex declares of cuBLASLt by hand against NVIDIA's own header, where a
// toolkit is installed. Where none is, there is nothing to compare with, and
// the test says so.
#include "runtime/backends/cuda/BlasApi.h"
#include "test/runtime/backends/cuda/Signature.h"

#include <catch2/catch.hpp>

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
#define SMEX_HAS_CUBLASLT_HEADER 1
#endif

#include <cstddef>

using namespace smex::cuda;

#ifdef SMEX_HAS_CUBLASLT_HEADER

namespace smex::cuda::blas {
namespace {

#define SMEX_COMPARE(member, entry, result, parameters)                        \
  static_assert(                                                               \
      std::is_same_v<Same<decltype(::entry)>, Same<result parameters>>,        \
      #entry " is declared otherwise in cublasLt.h");
SMEX_BLAS_ENTRIES(SMEX_COMPARE)
#undef SMEX_COMPARE

} // namespace
} // namespace smex::cuda::blas

TEST_CASE("constants of cuBLASLt's interface are those of cublasLt.h") {
  CHECK(blas::success == CUBLAS_STATUS_SUCCESS);
  CHECK(blas::notSupported == CUBLAS_STATUS_NOT_SUPPORTED);
  CHECK(blas::f32 == CUDA_R_32F);
  CHECK(blas::f64 == CUDA_R_64F);
  CHECK(blas::f16 == CUDA_R_16F);
  CHECK(blas::bf16 == CUDA_R_16BF);
  CHECK(blas::compute32F == CUBLAS_COMPUTE_32F);
  CHECK(blas::compute64F == CUBLAS_COMPUTE_64F);
  CHECK(blas::transposeNone == CUBLAS_OP_N);
  CHECK(blas::transpose == CUBLAS_OP_T);
  CHECK(blas::layoutBatchCount == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
  CHECK(blas::layoutStridedBatchOffset ==
        CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
  CHECK(blas::operationTransposeA == CUBLASLT_MATMUL_DESC_TRANSA);
  CHECK(blas::operationTransposeB == CUBLASLT_MATMUL_DESC_TRANSB);
  CHECK(blas::operationEpilogue == CUBLASLT_MATMUL_DESC_EPILOGUE);
  CHECK(blas::operationBiasPointer == CUBLASLT_MATMUL_DESC_BIAS_POINTER);
  CHECK(blas::epilogueDefault == CUBLASLT_EPILOGUE_DEFAULT);
  CHECK(blas::epilogueRelu == CUBLASLT_EPILOGUE_RELU);
  CHECK(blas::epilogueBias == CUBLASLT_EPILOGUE_BIAS);
  CHECK(blas::epilogueGelu == CUBLASLT_EPILOGUE_GELU);
  CHECK(blas::preferenceMaxWorkspaceBytes ==
        CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
  CHECK(blas::preferenceReductionSchemeMask ==
        CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
  CHECK(blas::preferenceMinAlignmentA ==
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
  CHECK(blas::preferenceMinAlignmentB ==
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
  CHECK(blas::preferenceMinAlignmentC ==
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
  CHECK(blas::preferenceMinAlignmentD ==
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
  CHECK(blas::reductionNone == CUBLASLT_REDUCTION_SCHEME_NONE);
  CHECK(blas::reductionComputeType == CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
  CHECK(blas::reductionAny == CUBLASLT_REDUCTION_SCHEME_MASK);
  CHECK(blas::configReductionScheme == CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME);
}

TEST_CASE("structures of cuBLASLt's interface are those of cublasLt.h") {
  CHECK(sizeof(blas::Algorithm) == sizeof(cublasLtMatmulAlgo_t));
  CHECK(sizeof(blas::HeuristicResult) ==
        sizeof(cublasLtMatmulHeuristicResult_t));
  CHECK(offsetof(blas::HeuristicResult, workspaceBytes) ==
        offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
  CHECK(offsetof(blas::HeuristicResult, state) ==
        offsetof(cublasLtMatmulHeuristicResult_t, state));
  CHECK(offsetof(blas::HeuristicResult, waves) ==
        offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));
}

#else

TEST_CASE("there is no cublasLt.h to compare with") {
  WARN("NVIDIA's header is not installed: signatures are not compared");
  CHECK(sizeof(blas::Algorithm) == 64);
}

#endif
