#ifndef SMEX_TEST_EMULATED_CUDNN_FUNCTIONS_H
#define SMEX_TEST_EMULATED_CUDNN_FUNCTIONS_H

#include <cstddef>
#include <cstdint>

// cuDNN's entry points as their binary interface has them: handles are
// pointers, enumerations ints. abi_test compares this list with NVIDIA's
// cudnn.h where that is found.
extern "C" {
/// cudnnConvolutionFwdAlgoPerf_t, and of the same layout those of the
/// gradients.
struct EmulatedCudnnPerf {
  int algorithm;
  int status;
  float time;
  size_t memory;
  int determinism;
  int mathType;
  int reserved[3];
};
}

// X(name, result, (parameters))
#define SMEX_EMULATED_CUDNN_FUNCTIONS(X)                                       \
  X(cudnnGetVersion, size_t, ())                                               \
  X(cudnnGetErrorString, const char *, (int status))                           \
  X(cudnnGetLastErrorString, void, (char *text, size_t bytes))                 \
  X(cudnnGraphVersionCheck, int, ())                                           \
  X(cudnnOpsVersionCheck, int, ())                                             \
  X(cudnnCnnVersionCheck, int, ())                                             \
  X(cudnnCreate, int, (void **handle))                                         \
  X(cudnnDestroy, int, (void *handle))                                         \
  X(cudnnSetStream, int, (void *handle, void *stream))                         \
  X(cudnnCreateTensorDescriptor, int, (void **made))                           \
  X(cudnnSetTensorNdDescriptor, int,                                           \
    (void *of, int type, int rank, const int *sizes, const int *strides))      \
  X(cudnnDestroyTensorDescriptor, int, (void *of))                             \
  X(cudnnCreateFilterDescriptor, int, (void **made))                           \
  X(cudnnSetFilterNdDescriptor, int,                                           \
    (void *of, int type, int format, int rank, const int *sizes))              \
  X(cudnnDestroyFilterDescriptor, int, (void *of))                             \
  X(cudnnCreateConvolutionDescriptor, int, (void **made))                      \
  X(cudnnSetConvolutionNdDescriptor, int,                                      \
    (void *of, int rank, const int *pads, const int *strides,                  \
     const int *dilations, int mode, int computeType))                         \
  X(cudnnSetConvolutionGroupCount, int, (void *of, int groups))                \
  X(cudnnSetConvolutionMathType, int, (void *of, int mathType))                \
  X(cudnnDestroyConvolutionDescriptor, int, (void *of))                        \
  X(cudnnGetConvolutionNdForwardOutputDim, int,                                \
    (void *convolution, void *data, void *filter, int rank, int *sizes))       \
  X(cudnnGetConvolutionForwardAlgorithmMaxCount, int,                          \
    (void *handle, int *count))                                                \
  X(cudnnGetConvolutionForwardAlgorithm_v7, int,                               \
    (void *handle, void *x, void *w, void *convolution, void *y,               \
     int requested, int *returned, EmulatedCudnnPerf *results))                \
  X(cudnnGetConvolutionForwardWorkspaceSize, int,                              \
    (void *handle, void *x, void *w, void *convolution, void *y,               \
     int algorithm, size_t *bytes))                                            \
  X(cudnnConvolutionForward, int,                                              \
    (void *handle, const void *alpha, void *x, const void *xData, void *w,     \
     const void *wData, void *convolution, int algorithm, void *workspace,     \
     size_t workspaceBytes, const void *beta, void *y, void *yData))           \
  X(cudnnGetConvolutionBackwardDataAlgorithmMaxCount, int,                     \
    (void *handle, int *count))                                                \
  X(cudnnGetConvolutionBackwardDataAlgorithm_v7, int,                          \
    (void *handle, void *w, void *dy, void *convolution, void *dx,             \
     int requested, int *returned, EmulatedCudnnPerf *results))                \
  X(cudnnGetConvolutionBackwardDataWorkspaceSize, int,                         \
    (void *handle, void *w, void *dy, void *convolution, void *dx,             \
     int algorithm, size_t *bytes))                                            \
  X(cudnnConvolutionBackwardData, int,                                         \
    (void *handle, const void *alpha, void *w, const void *wData, void *dy,    \
     const void *dyData, void *convolution, int algorithm, void *workspace,    \
     size_t workspaceBytes, const void *beta, void *dx, void *dxData))         \
  X(cudnnGetConvolutionBackwardFilterAlgorithmMaxCount, int,                   \
    (void *handle, int *count))                                                \
  X(cudnnGetConvolutionBackwardFilterAlgorithm_v7, int,                        \
    (void *handle, void *x, void *dy, void *convolution, void *dw,             \
     int requested, int *returned, EmulatedCudnnPerf *results))                \
  X(cudnnGetConvolutionBackwardFilterWorkspaceSize, int,                       \
    (void *handle, void *x, void *dy, void *convolution, void *dw,             \
     int algorithm, size_t *bytes))                                            \
  X(cudnnConvolutionBackwardFilter, int,                                       \
    (void *handle, const void *alpha, void *x, const void *xData, void *dy,    \
     const void *dyData, void *convolution, int algorithm, void *workspace,    \
     size_t workspaceBytes, const void *beta, void *dw, void *dwData))

#ifndef SMEX_EMULATED_CUDNN_LIST_ONLY // beside NVIDIA's own declarations
#define SMEX_CUDNN_DECLARE(name, result, parameters)                           \
  extern "C" result name parameters;
SMEX_EMULATED_CUDNN_FUNCTIONS(SMEX_CUDNN_DECLARE)
#undef SMEX_CUDNN_DECLARE
#endif

#endif
