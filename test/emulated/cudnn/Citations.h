// Where NVIDIA says that cuDNN refuses a call, or that it does not.
#ifndef SMEX_TEST_EMULATED_CUDNN_CITATIONS_H
#define SMEX_TEST_EMULATED_CUDNN_CITATIONS_H

#include "test/emulated/Citation.h"

namespace smex::emulated::cudnn::cites {

constexpr auto api = Document::CudnnApi;
/// Without a GPU; README.md says how.
constexpr const char *library = "cuDNN 9.19";

// X(name, citation). What is seen of the library is the condition that its
// cudnnGetLastErrorString() gives.
#define SMEX_CUDNN_CITATIONS(X)                                                \
  /* Handles and descriptors. */                                               \
  X(nowhere,                                                                   \
    seen(library, "what creates gives CUDNN_STATUS_BAD_PARAM for NULL"))       \
  X(nullObject,                                                                \
    seen(library, "tensorDesc == NULL, and so of filters, convolutions and "   \
                  "handles, gives CUDNN_STATUS_BAD_PARAM"))                    \
  X(dead, stricter("its library follows the pointer of what was destroyed, "   \
                   "or is something else"))                                    \
  X(neverSet, seen(library, "what was created and not set has no dimensions, " \
                            "which gives CUDNN_STATUS_BAD_PARAM"))             \
  X(noArray, stricter("its library crashes where an array is NULL"))           \
  X(noContext, seen(library, "cudaGetDeviceCount(&count) != cudaSuccess "      \
                             "gives CUDNN_STATUS_NOT_INITIALIZED"))            \
  X(noMemory, quotes(api, "cudnnCreate()",                                     \
                     "allocates hardware resources on the host and device"))   \
  X(handleDevice, quotes(api, "cudnnCreate()",                                 \
                         "one cuDNN handle must be created for each device"))  \
  X(streamDevice,                                                              \
    quotes(api, "cudnnSetStream()",                                            \
           "Mismatch between the user stream and the cuDNN handle context."))  \
  /* Tensors and filters. */                                                   \
  X(dataType, quotes(api, "cudnnSetTensorNdDescriptor()",                      \
                     "dataType has an invalid enumerant value"))               \
  X(fewDimensions, seen(library, "nbDims < 2, and nbDims <= 2 of filters, "    \
                                 "give CUDNN_STATUS_BAD_PARAM"))               \
  X(manyDimensions, quotes(api, "cudnnSetTensorNdDescriptor()",                \
                           "is outside the range [4, CUDNN_DIM_MAX]"))         \
  X(extent, quotes(api, "cudnnSetTensorNdDescriptor()",                        \
                   "At least one of the elements of the array dimA was "       \
                   "negative or zero"))                                        \
  X(span, quotes(api, "cudnnSetTensorNdDescriptor()",                          \
                 "including the potential padding between dimensions is "      \
                 "limited to 2 Giga-elements"))                                \
  X(strideOfZero, seen(library, "(strideA[i] == 0) && (dimA[i] != 1)"))        \
  X(format,                                                                    \
    seen(library,                                                              \
         "(format != CUDNN_TENSOR_NCHW) && (format != CUDNN_TENSOR_NHWC) && "  \
         "(format != CUDNN_TENSOR_NCHW_VECT_C)"))                              \
  X(vectors,                                                                   \
    seen(library, "(CUDNN_TENSOR_NCHW_VECT_C == format) && !isVectorType"))    \
  /* Convolutions. */                                                          \
  X(manySpatial, tells(api, "cudnnSetConvolutionNdDescriptor()",               \
                       "arrayLength is at most CUDNN_DIM_MAX - 2"))            \
  X(spatial, tells(api, "cudnnSetConvolutionNdDescriptor()",                   \
                   "arrayLength is negative"))                                 \
  X(mode, tells(api, "cudnnSetConvolutionNdDescriptor()",                      \
                "mode has an invalid value"))                                  \
  X(sums,                                                                      \
    seen(                                                                      \
        library,                                                               \
        "(dataType != CUDNN_DATA_FLOAT) && (dataType != CUDNN_DATA_DOUBLE) "   \
        "&& (dataType != CUDNN_DATA_HALF) && (dataType != CUDNN_DATA_INT32)")) \
  X(window, tells(api, "cudnnSetConvolutionNdDescriptor()",                    \
                  "an element of padA is negative, or one of strideA or "      \
                  "dilationA negative or zero"))                               \
  X(groupCount, seen(library, "groupCount < 1"))                               \
  X(mathType, seen(library, "!isValidMathType(mathType)"))                     \
  /* Problems. */                                                              \
  X(nullParameter, quotes(api, "cudnnConvolutionForward()",                    \
                          "At least one of the following is NULL"))            \
  X(ranks, quotes(api, "cudnnConvolutionForward()",                            \
                  "have a non-matching number of dimensions"))                 \
  X(channels,                                                                  \
    quotes(api, "cudnnConvolutionForward()",                                   \
           "have a non-matching number of input feature maps per image"))      \
  X(groups,                                                                    \
    quotes(api, "cudnnConvolutionForward()",                                   \
           "an output channel count that isn't a multiple of group count"))    \
  X(filterSize, quotes(api, "cudnnConvolutionForward()",                       \
                       "wDesc has a spatial size that is larger than the "     \
                       "input spatial size (including zero-padding size)"))    \
  X(types,                                                                     \
    quotes(api, "cudnnConvolutionForward()", "have a non-matching data type")) \
  X(negativeStride,                                                            \
    seen(library, "_strA[d] < 0 gives CUDNN_STATUS_BAD_PARAM, where its "      \
                  "documentation has CUDNN_STATUS_NOT_SUPPORTED"))             \
  X(fourOrFive, quotes(api, "cudnnConvolutionForward()",                       \
                       "has a number of dimensions that is not 4 or 5"))       \
  X(images,                                                                    \
    seen(library,                                                              \
         "yDimA[N_DIM] != xDimA[N_DIM], and yDimA[CK_DIM] != wDimA[WK_DIM]"))  \
  X(sizes, quotes(api, "cudnnConvolutionBackwardData()",                       \
                  "spatial sizes do not match with the expected size as "      \
                  "determined by cudnnGetConvolutionNdForwardOutputDim()"))    \
  X(overlap,                                                                   \
    seen(library,                                                              \
         "xDesc.hasOverlappingStrides(), yDesc.hasOverlappingStrides()"))      \
  X(someConfigurations, notEmulated("DOUBLE_CONFIG and TRUE_HALF_CONFIG"))     \
  X(configurations,                                                            \
    tells(api, "cudnnConvolutionForward(), supported configurations",          \
          "none has these types"))                                             \
  X(someLayouts, notEmulated("filters other than NCHW"))                       \
  X(outputRank,                                                                \
    seen(library, "nbDims < 0 || nbDims > inputTensorDesc->nbDims"))           \
  /* Algorithms. */                                                            \
  X(gaps, seen("cuDNN 9.14", "gradients have no algorithm where elements of "  \
                             "the data or the result have gaps between them")) \
  X(algorithm,                                                                 \
    quotes(api, "cudnnConvolutionForward()",                                   \
           "The chosen algo does not support the parameters provided"))        \
  X(requested, tells(api, "cudnnGetConvolutionForwardAlgorithm_v7()",          \
                     "requestedAlgoCount is less than or equal to 0"))         \
  X(workspace,                                                                 \
    quotes(api, "cudnnGetConvolutionForwardWorkspaceSize()",                   \
           "the amount of GPU memory workspace the user needs to allocate"))   \
  X(aligned, tells(api, "cudnnStatus_t",                                       \
                   "CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER is of pointers " \
                   "that are not aligned as expected"))                        \
  X(launch, quotes(api, "cudnnConvolutionForward()",                           \
                   "The function failed to launch on the GPU."))

#define SMEX_CUDNN_CITATION(name, citation) constexpr Citation name = citation;
SMEX_CUDNN_CITATIONS(SMEX_CUDNN_CITATION)
#undef SMEX_CUDNN_CITATION

} // namespace smex::emulated::cudnn::cites

#endif
