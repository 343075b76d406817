// Values of cublasLt.h that the emulated library knows, and why it refuses.
#ifndef SMEX_TEST_EMULATED_CUBLASLT_STATUS_H
#define SMEX_TEST_EMULATED_CUBLASLT_STATUS_H

#include "test/emulated/cublaslt/Citations.h"

#include <string>

namespace smex::emulated::cublaslt {

// cublasStatus_t: X(name, value)
#define SMEX_CUBLASLT_STATUSES(X)                                              \
  X(STATUS_SUCCESS, 0)                                                         \
  X(STATUS_NOT_INITIALIZED, 1)                                                 \
  X(STATUS_ALLOC_FAILED, 3)                                                    \
  X(STATUS_INVALID_VALUE, 7)                                                   \
  X(STATUS_ARCH_MISMATCH, 8)                                                   \
  X(STATUS_MAPPING_ERROR, 11)                                                  \
  X(STATUS_EXECUTION_FAILED, 13)                                               \
  X(STATUS_INTERNAL_ERROR, 14)                                                 \
  X(STATUS_NOT_SUPPORTED, 15)                                                  \
  X(STATUS_LICENSE_ERROR, 16)

// Other enumerations: X(name, value)
#define SMEX_CUBLASLT_VALUES(X)                                                \
  X(COMPUTE_32F, 68)                                                           \
  X(COMPUTE_32F_PEDANTIC, 69)                                                  \
  X(COMPUTE_64F, 70)                                                           \
  X(COMPUTE_64F_PEDANTIC, 71)                                                  \
  X(OP_N, 0)                                                                   \
  X(OP_T, 1)

#define SMEX_CUBLASLT_LT_VALUES(X)                                             \
  X(ORDER_COL, 0)                                                              \
  X(ORDER_ROW, 1)                                                              \
  X(POINTER_MODE_HOST, 0)                                                      \
  X(EPILOGUE_DEFAULT, 1)                                                       \
  X(EPILOGUE_RELU, 2)                                                          \
  X(EPILOGUE_BIAS, 4)                                                          \
  X(EPILOGUE_RELU_BIAS, 6)                                                     \
  X(EPILOGUE_GELU, 32)                                                         \
  X(EPILOGUE_GELU_BIAS, 36)                                                    \
  X(EPILOGUE_GELU_AUX, 160)                                                    \
  X(EPILOGUE_BGRADA, 256)                                                      \
  X(EPILOGUE_BGRADB, 512)                                                      \
  X(BATCH_MODE_STRIDED, 0)                                                     \
  X(REDUCTION_SCHEME_NONE, 0)                                                  \
  X(REDUCTION_SCHEME_INPLACE, 1)                                               \
  X(REDUCTION_SCHEME_COMPUTE_TYPE, 2)                                          \
  X(REDUCTION_SCHEME_MASK, 7)                                                  \
  X(MATRIX_LAYOUT_TYPE, 0)                                                     \
  X(MATRIX_LAYOUT_ORDER, 1)                                                    \
  X(MATRIX_LAYOUT_ROWS, 2)                                                     \
  X(MATRIX_LAYOUT_COLS, 3)                                                     \
  X(MATRIX_LAYOUT_LD, 4)                                                       \
  X(MATRIX_LAYOUT_BATCH_COUNT, 5)                                              \
  X(MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 6)                                     \
  X(MATRIX_LAYOUT_PLANE_OFFSET, 7)                                             \
  X(MATRIX_LAYOUT_BATCH_MODE, 8)                                               \
  X(MATMUL_DESC_COMPUTE_TYPE, 0)                                               \
  X(MATMUL_DESC_SCALE_TYPE, 1)                                                 \
  X(MATMUL_DESC_POINTER_MODE, 2)                                               \
  X(MATMUL_DESC_TRANSA, 3)                                                     \
  X(MATMUL_DESC_TRANSB, 4)                                                     \
  X(MATMUL_DESC_TRANSC, 5)                                                     \
  X(MATMUL_DESC_EPILOGUE, 7)                                                   \
  X(MATMUL_DESC_BIAS_POINTER, 8)                                               \
  X(MATMUL_DESC_BIAS_BATCH_STRIDE, 10)                                         \
  X(MATMUL_DESC_BIAS_DATA_TYPE, 26)                                            \
  X(MATMUL_DESC_EMULATION_DESCRIPTOR, 38)                                      \
  X(MATMUL_PREF_MAX_WORKSPACE_BYTES, 1)                                        \
  X(MATMUL_PREF_REDUCTION_SCHEME_MASK, 3)                                      \
  X(MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 5)                                      \
  X(MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 6)                                      \
  X(MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, 7)                                      \
  X(MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 8)                                      \
  X(MATMUL_PREF_IMPL_MASK, 12)                                                 \
  X(ALGO_CONFIG_ID, 0)                                                         \
  X(ALGO_CONFIG_SPLITK_NUM, 2)                                                 \
  X(ALGO_CONFIG_REDUCTION_SCHEME, 3)                                           \
  X(ALGO_CONFIG_CLUSTER_SHAPE_ID, 8)

#define SMEX_CUBLASLT_VALUE(name, value) constexpr int name = value;
SMEX_CUBLASLT_STATUSES(SMEX_CUBLASLT_VALUE)
SMEX_CUBLASLT_VALUES(SMEX_CUBLASLT_VALUE)
SMEX_CUBLASLT_LT_VALUES(SMEX_CUBLASLT_VALUE)
#undef SMEX_CUBLASLT_VALUE

// cudaDataType_t
constexpr int R_32F = 0, R_64F = 1, R_16F = 2, R_16BF = 14;

/// A call that the library refuses: why, and where NVIDIA says so.
struct Refusal {
  int status;
  std::string text;
};

[[noreturn]] inline void refuse(int status, const std::string &why,
                                const Citation &citation) {
  throw Refusal{status, cited(why, citation)};
}
inline void need(bool isRight, int status, const std::string &why,
                 const Citation &citation) {
  if (!isRight)
    refuse(status, why, citation);
}

} // namespace smex::emulated::cublaslt

#endif
