// The part of cuDNN 9 that smex uses, declared by hand: building needs no CUDA
// toolkit. Values and layouts are those of NVIDIA's cudnn.h, to which
// test/runtime/backends/cuda:dnn_abi_test compares them where it is found.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_DNN_API_H
#define SMEX_RUNTIME_BACKENDS_CUDA_DNN_API_H

#include "runtime/backends/cuda/Api.h"

#include <cstddef>

namespace smex::cuda::dnn {

using Code = int;                           // cudnnStatus_t
using Handle = struct HandleType *;         // cudnnHandle_t
using Descriptor = struct DescriptorType *; // of tensors, filters, convolutions

constexpr Code success = 0;

// cudnnDataType_t
constexpr int dataFloat = 0;
constexpr int dataHalf = 2;
constexpr int dataBfloat16 = 9;

// cudnnTensorFormat_t
constexpr int formatNchw = 0;

// cudnnConvolutionMode_t
constexpr int crossCorrelation = 1;

// cudnnMathType_t
constexpr int defaultMath = 0;
constexpr int tensorOpMath = 1;
constexpr int tensorOpMathAllowConversion = 2;
constexpr int fmaMath = 3;

// cudnnDeterminism_t
constexpr int isDeterministic = 1;

/// cudnnConvolutionFwdAlgoPerf_t, and of the same layout those of the
/// gradients.
struct AlgorithmPerf {
  int algorithm;
  Code status;
  float time;
  size_t memory;
  int determinism;
  int mathType;
  int reserved[3];
};

// The functions of a convolution and of its two gradients take the same kinds
// of arguments, in an order of their own: two tensors that are read, or a
// filter, and the one that is written.
#define SMEX_CUDNN_ALGORITHMS                                                  \
  (Handle handle, Descriptor first, Descriptor second, Descriptor convolution, \
   Descriptor written, int requested, int *returned, AlgorithmPerf *results)
#define SMEX_CUDNN_WORKSPACE                                                   \
  (Handle handle, Descriptor first, Descriptor second, Descriptor convolution, \
   Descriptor written, int algorithm, size_t *bytes)
#define SMEX_CUDNN_RUN                                                         \
  (Handle handle, const void *alpha, Descriptor first, const void *firstData,  \
   Descriptor second, const void *secondData, Descriptor convolution,          \
   int algorithm, void *workspace, size_t workspaceBytes, const void *beta,    \
   Descriptor written, void *writtenData)

/// X(member, entry point, result, parameters)
#define SMEX_CUDNN_ENTRIES(X)                                                  \
  X(getVersion, cudnnGetVersion, size_t, ())                                   \
  X(getErrorString, cudnnGetErrorString, const char *, (Code code))            \
  X(getLastErrorString, cudnnGetLastErrorString, void,                         \
    (char *text, size_t bytes))                                                \
  X(graphVersionCheck, cudnnGraphVersionCheck, Code, ())                       \
  X(opsVersionCheck, cudnnOpsVersionCheck, Code, ())                           \
  X(cnnVersionCheck, cudnnCnnVersionCheck, Code, ())                           \
  X(create, cudnnCreate, Code, (Handle * handle))                              \
  X(destroy, cudnnDestroy, Code, (Handle handle))                              \
  X(setStream, cudnnSetStream, Code, (Handle handle, Stream stream))           \
  X(createTensor, cudnnCreateTensorDescriptor, Code,                           \
    (Descriptor * descriptor))                                                 \
  X(setTensor, cudnnSetTensorNdDescriptor, Code,                               \
    (Descriptor descriptor, int type, int rank, const int *sizes,              \
     const int *strides))                                                      \
  X(destroyTensor, cudnnDestroyTensorDescriptor, Code,                         \
    (Descriptor descriptor))                                                   \
  X(createFilter, cudnnCreateFilterDescriptor, Code,                           \
    (Descriptor * descriptor))                                                 \
  X(setFilter, cudnnSetFilterNdDescriptor, Code,                               \
    (Descriptor descriptor, int type, int format, int rank, const int *sizes)) \
  X(destroyFilter, cudnnDestroyFilterDescriptor, Code,                         \
    (Descriptor descriptor))                                                   \
  X(createConvolution, cudnnCreateConvolutionDescriptor, Code,                 \
    (Descriptor * descriptor))                                                 \
  X(setConvolution, cudnnSetConvolutionNdDescriptor, Code,                     \
    (Descriptor descriptor, int rank, const int *pads, const int *strides,     \
     const int *dilations, int mode, int computeType))                         \
  X(setGroupCount, cudnnSetConvolutionGroupCount, Code,                        \
    (Descriptor descriptor, int groups))                                       \
  X(setMathType, cudnnSetConvolutionMathType, Code,                            \
    (Descriptor descriptor, int mathType))                                     \
  X(destroyConvolution, cudnnDestroyConvolutionDescriptor, Code,               \
    (Descriptor descriptor))                                                   \
  X(forwardCount, cudnnGetConvolutionForwardAlgorithmMaxCount, Code,           \
    (Handle handle, int *count))                                               \
  X(forwardAlgorithms, cudnnGetConvolutionForwardAlgorithm_v7, Code,           \
    SMEX_CUDNN_ALGORITHMS)                                                     \
  X(forwardWorkspace, cudnnGetConvolutionForwardWorkspaceSize, Code,           \
    SMEX_CUDNN_WORKSPACE)                                                      \
  X(forward, cudnnConvolutionForward, Code, SMEX_CUDNN_RUN)                    \
  X(byDataCount, cudnnGetConvolutionBackwardDataAlgorithmMaxCount, Code,       \
    (Handle handle, int *count))                                               \
  X(byDataAlgorithms, cudnnGetConvolutionBackwardDataAlgorithm_v7, Code,       \
    SMEX_CUDNN_ALGORITHMS)                                                     \
  X(byDataWorkspace, cudnnGetConvolutionBackwardDataWorkspaceSize, Code,       \
    SMEX_CUDNN_WORKSPACE)                                                      \
  X(byData, cudnnConvolutionBackwardData, Code, SMEX_CUDNN_RUN)                \
  X(byFilterCount, cudnnGetConvolutionBackwardFilterAlgorithmMaxCount, Code,   \
    (Handle handle, int *count))                                               \
  X(byFilterAlgorithms, cudnnGetConvolutionBackwardFilterAlgorithm_v7, Code,   \
    SMEX_CUDNN_ALGORITHMS)                                                     \
  X(byFilterWorkspace, cudnnGetConvolutionBackwardFilterWorkspaceSize, Code,   \
    SMEX_CUDNN_WORKSPACE)                                                      \
  X(byFilter, cudnnConvolutionBackwardFilter, Code, SMEX_CUDNN_RUN)

/// The entry points, once the library is loaded.
struct Entries {
#define SMEX_CUDNN_MEMBER(member, entry, result, parameters)                   \
  result(*member) parameters = nullptr;
  SMEX_CUDNN_ENTRIES(SMEX_CUDNN_MEMBER)
#undef SMEX_CUDNN_MEMBER
};

} // namespace smex::cuda::dnn

#endif
