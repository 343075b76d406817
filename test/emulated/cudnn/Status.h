#ifndef SMEX_TEST_EMULATED_CUDNN_STATUS_H
#define SMEX_TEST_EMULATED_CUDNN_STATUS_H

// cudnnStatus_t, as far as it is returned here: X(name, value)
#define SMEX_CUDNN_STATUS(X)                                                   \
  X(SUCCESS, 0)                                                                \
  X(NOT_INITIALIZED, 1001)                                                     \
  X(SUBLIBRARY_VERSION_MISMATCH, 1002)                                         \
  X(BAD_PARAM, 2000)                                                           \
  X(BAD_PARAM_NULL_POINTER, 2002)                                              \
  X(BAD_PARAM_MISALIGNED_POINTER, 2003)                                        \
  X(BAD_PARAM_NOT_FINALIZED, 2004)                                             \
  X(BAD_PARAM_SIZE_INSUFFICIENT, 2006)                                         \
  X(BAD_PARAM_STREAM_MISMATCH, 2007)                                           \
  X(BAD_PARAM_SHAPE_MISMATCH, 2008)                                            \
  X(NOT_SUPPORTED, 3000)                                                       \
  X(INTERNAL_ERROR, 4000)                                                      \
  X(EXECUTION_FAILED, 5000)

namespace smex::emulated::cudnn {

enum Status : int {
#define SMEX_CUDNN_ENUMERATOR(name, value) name = value,
  SMEX_CUDNN_STATUS(SMEX_CUDNN_ENUMERATOR)
#undef SMEX_CUDNN_ENUMERATOR
};

} // namespace smex::emulated::cudnn

#endif
