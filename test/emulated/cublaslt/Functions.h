#ifndef SMEX_TEST_EMULATED_CUBLASLT_FUNCTIONS_H
#define SMEX_TEST_EMULATED_CUBLASLT_FUNCTIONS_H

#include <cstddef>
#include <cstdint>

// cuBLASLt's entry points as their binary interface has them: handles are
// pointers, enumerations ints, structures that are passed by address void.
// abi_test compares this list with NVIDIA's cublasLt.h where that is found.
//
// X(result, name, (parameters))
#define SMEX_CUBLASLT_FUNCTIONS(X)                                             \
  X(size_t, cublasLtGetVersion, ())                                            \
  X(const char *, cublasLtGetStatusName, (int status))                         \
  X(const char *, cublasLtGetStatusString, (int status))                       \
  X(int, cublasLtCreate, (void **handle))                                      \
  X(int, cublasLtDestroy, (void *handle))                                      \
  X(int, cublasLtMatrixLayoutCreate,                                           \
    (void **layout, int type, uint64_t rows, uint64_t columns,                 \
     int64_t leading))                                                         \
  X(int, cublasLtMatrixLayoutDestroy, (void *layout))                          \
  X(int, cublasLtMatrixLayoutSetAttribute,                                     \
    (void *layout, int attribute, const void *value, size_t bytes))            \
  X(int, cublasLtMatrixLayoutGetAttribute,                                     \
    (void *layout, int attribute, void *value, size_t bytes, size_t *written)) \
  X(int, cublasLtMatmulDescCreate,                                             \
    (void **operation, int computeType, int scaleType))                        \
  X(int, cublasLtMatmulDescDestroy, (void *operation))                         \
  X(int, cublasLtMatmulDescSetAttribute,                                       \
    (void *operation, int attribute, const void *value, size_t bytes))         \
  X(int, cublasLtMatmulDescGetAttribute,                                       \
    (void *operation, int attribute, void *value, size_t bytes,                \
     size_t *written))                                                         \
  X(int, cublasLtMatmulPreferenceCreate, (void **preference))                  \
  X(int, cublasLtMatmulPreferenceDestroy, (void *preference))                  \
  X(int, cublasLtMatmulPreferenceSetAttribute,                                 \
    (void *preference, int attribute, const void *value, size_t bytes))        \
  X(int, cublasLtMatmulPreferenceGetAttribute,                                 \
    (void *preference, int attribute, void *value, size_t bytes,               \
     size_t *written))                                                         \
  X(int, cublasLtMatmulAlgoGetHeuristic,                                       \
    (void *handle, void *operation, void *a, void *b, void *c, void *d,        \
     void *preference, int wanted, void *results, int *count))                 \
  X(int, cublasLtMatmulAlgoCheck,                                              \
    (void *handle, void *operation, void *a, void *b, void *c, void *d,        \
     const void *algorithm, void *result))                                     \
  X(int, cublasLtMatmulAlgoConfigGetAttribute,                                 \
    (const void *algorithm, int attribute, void *value, size_t bytes,          \
     size_t *written))                                                         \
  X(int, cublasLtMatmul,                                                       \
    (void *handle, void *operation, const void *alpha, const void *a,          \
     void *aLayout, const void *b, void *bLayout, const void *beta,            \
     const void *c, void *cLayout, void *d, void *dLayout,                     \
     const void *algorithm, void *workspace, size_t workspaceBytes,            \
     void *stream))

#define SMEX_CUBLASLT_DECLARE(result, name, parameters)                        \
  extern "C" result name parameters;

#endif
