// The part of cuBLASLt that smex uses, declared by hand: building needs no CUDA
// toolkit. Values and layouts are those of NVIDIA's cublasLt.h, to which
// test/runtime/backends/cuda compares them where it is found.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_BLASAPI_H
#define SMEX_RUNTIME_BACKENDS_CUDA_BLASAPI_H

#include "runtime/backends/cuda/Api.h"

#include <cstdint>

namespace smex::cuda::blas {

// cublasStatus_t
using StatusCode = int;
constexpr StatusCode success = 0, notSupported = 15;

using Handle = struct HandleType *;         // cublasLtHandle_t
using Layout = struct LayoutType *;         // cublasLtMatrixLayout_t
using Operation = struct OperationType *;   // cublasLtMatmulDesc_t
using Preference = struct PreferenceType *; // cublasLtMatmulPreference_t

/// cublasLtMatmulAlgo_t: bytes that may be kept, and used again with the same
/// version of the library.
struct Algorithm {
  uint64_t data[8];
};

/// cublasLtMatmulHeuristicResult_t
struct HeuristicResult {
  Algorithm algorithm;
  size_t workspaceBytes;
  StatusCode state; // the rest says nothing if it isn't success
  float waves;
  int reserved[4];
};

// cudaDataType_t
constexpr int f32 = 0, f64 = 1, f16 = 2, bf16 = 14;
// cublasComputeType_t: of 32 bits without TF32, and of 64
constexpr int compute32F = 68, compute64F = 70;
// cublasOperation_t
constexpr int32_t transposeNone = 0, transpose = 1;
// cublasLtMatrixLayoutAttribute_t
constexpr int layoutBatchCount = 5;         // int32_t
constexpr int layoutStridedBatchOffset = 6; // int64_t
// cublasLtMatmulDescAttributes_t
constexpr int operationTransposeA = 3, operationTransposeB = 4; // int32_t
constexpr int operationEpilogue = 7;                            // uint32_t
constexpr int operationBiasPointer = 8;                         // void *
// cublasLtEpilogue_t; with a bias, that is added to the others
constexpr uint32_t epilogueDefault = 1, epilogueRelu = 2, epilogueBias = 4,
                   epilogueGelu = 32;
// cublasLtMatmulPreferenceAttributes_t
constexpr int preferenceMaxWorkspaceBytes = 1;   // uint64_t
constexpr int preferenceReductionSchemeMask = 3; // uint32_t
constexpr int preferenceMinAlignmentA = 5, preferenceMinAlignmentB = 6,
              preferenceMinAlignmentC = 7,
              preferenceMinAlignmentD = 8; // uint32_t, bytes
// cublasLtReductionScheme_t; that there is none is always allowed
constexpr uint32_t reductionNone = 0, reductionComputeType = 2,
                   reductionAny = 7;
// cublasLtMatmulAlgoConfigAttributes_t
constexpr int configReductionScheme = 3; // uint32_t

/// X(member, entry point, result, parameters)
#define SMEX_BLAS_ENTRIES(X)                                                   \
  X(getVersion, cublasLtGetVersion, size_t, ())                                \
  X(getStatusName, cublasLtGetStatusName, const char *, (StatusCode status))   \
  X(create, cublasLtCreate, StatusCode, (Handle * handle))                     \
  X(destroy, cublasLtDestroy, StatusCode, (Handle handle))                     \
  X(layoutCreate, cublasLtMatrixLayoutCreate, StatusCode,                      \
    (Layout * layout, int type, uint64_t rows, uint64_t columns,               \
     int64_t leading))                                                         \
  X(layoutDestroy, cublasLtMatrixLayoutDestroy, StatusCode, (Layout layout))   \
  X(layoutSet, cublasLtMatrixLayoutSetAttribute, StatusCode,                   \
    (Layout layout, int attribute, const void *value, size_t bytes))           \
  X(operationCreate, cublasLtMatmulDescCreate, StatusCode,                     \
    (Operation * operation, int computeType, int scaleType))                   \
  X(operationDestroy, cublasLtMatmulDescDestroy, StatusCode,                   \
    (Operation operation))                                                     \
  X(operationSet, cublasLtMatmulDescSetAttribute, StatusCode,                  \
    (Operation operation, int attribute, const void *value, size_t bytes))     \
  X(preferenceCreate, cublasLtMatmulPreferenceCreate, StatusCode,              \
    (Preference * preference))                                                 \
  X(preferenceDestroy, cublasLtMatmulPreferenceDestroy, StatusCode,            \
    (Preference preference))                                                   \
  X(preferenceSet, cublasLtMatmulPreferenceSetAttribute, StatusCode,           \
    (Preference preference, int attribute, const void *value, size_t bytes))   \
  X(heuristic, cublasLtMatmulAlgoGetHeuristic, StatusCode,                     \
    (Handle handle, Operation operation, Layout a, Layout b, Layout c,         \
     Layout d, Preference preference, int wanted, HeuristicResult *results,    \
     int *count))                                                              \
  X(algorithmCheck, cublasLtMatmulAlgoCheck, StatusCode,                       \
    (Handle handle, Operation operation, Layout a, Layout b, Layout c,         \
     Layout d, const Algorithm *algorithm, HeuristicResult *result))           \
  X(configGet, cublasLtMatmulAlgoConfigGetAttribute, StatusCode,               \
    (const Algorithm *algorithm, int attribute, void *value, size_t bytes,     \
     size_t *written))                                                         \
  X(matmul, cublasLtMatmul, StatusCode,                                        \
    (Handle handle, Operation operation, const void *alpha, const void *a,     \
     Layout aLayout, const void *b, Layout bLayout, const void *beta,          \
     const void *c, Layout cLayout, void *d, Layout dLayout,                   \
     const Algorithm *algorithm, void *workspace, size_t workspaceBytes,       \
     Stream stream))

/// The entry points, once the library is loaded.
struct Entries {
#define SMEX_BLAS_MEMBER(member, entry, result, parameters)                    \
  result(*member) parameters = nullptr;
  SMEX_BLAS_ENTRIES(SMEX_BLAS_MEMBER)
#undef SMEX_BLAS_MEMBER
};

} // namespace smex::cuda::blas

#endif
