// Where NVIDIA says that cuBLASLt refuses a call, or that it does not.
#ifndef SMEX_TEST_EMULATED_CUBLASLT_CITATIONS_H
#define SMEX_TEST_EMULATED_CUBLASLT_CITATIONS_H

#include "test/emulated/Citation.h"

namespace smex::emulated::cublaslt::cites {

constexpr auto header = Document::CublasLtHeader, guide = Document::CublasGuide;
constexpr const char *library = "cuBLASLt 13.1";

// X(name, citation)
#define SMEX_CUBLASLT_CITATIONS(X)                                             \
  /* Handles and descriptors. */                                               \
  X(nowhere, seen(library, "whatever creates something gives "                 \
                           "CUBLAS_STATUS_INVALID_VALUE for NULL"))            \
  X(noContext,                                                                 \
    quotes(guide, "cublasLtCreate()",                                          \
           "an error in the CUDA Runtime API called by the cuBLASLt routine")) \
  X(noHandle, quotes(header, "cublasLtMatmul",                                 \
                     "if cuBLASLt handle has not been initialized"))           \
  X(nullDestroyed, quotes(guide, "cublasLtDestroy()", "lightHandle is NULL"))  \
  X(deadHandle,                                                                \
    stricter(                                                                  \
        "its library follows the pointer of a handle that was destroyed"))     \
  X(otherDevice,                                                               \
    quotes(guide, "cublasLtCreate()",                                          \
           "the device must be set as the current before invoking cuBLASLt "   \
           "functions with a handle tied to that device"))                     \
  X(nullParameter, quotes(guide, "cublasLtMatmul()",                           \
                          "If the parameters are unexpectedly NULL"))          \
  X(deadDescriptor,                                                            \
    stricter("its library follows the pointer of a descriptor that was "       \
             "destroyed, or is of another kind"))                              \
  X(unknownAttribute,                                                          \
    seen(library,                                                              \
         "an attribute that there is not gives CUBLAS_STATUS_INVALID_VALUE"))  \
  X(someAttributes,                                                            \
    notEmulated("attributes that Descriptors.cpp does not list"))              \
  X(setSize, quotes(header, "cublasLtMatmulDescSetAttribute",                  \
                    "if buf is NULL or sizeInBytes doesn't match size of "     \
                    "internal storage"))                                       \
  X(getSize, quotes(header, "cublasLtMatmulDescGetAttribute",                  \
                    "and buf is NULL or sizeInBytes doesn't match size of "    \
                    "internal storage"))                                       \
  /* Matrices. */                                                              \
  X(someTypes, notEmulated("types other than f32, f64, f16 and bf16"))         \
  X(someOrders, notEmulated("orders other than by columns and by rows"))       \
  X(noPlanes, notEmulated("planes, and arrays of pointers"))                   \
  X(empty,                                                                     \
    unsaid("a matrix without elements gives CUBLAS_STATUS_INVALID_VALUE"))     \
  X(tooMany,                                                                   \
    quotes(header, "CUBLASLT_MATRIX_LAYOUT_ROWS",                              \
           "only values that can be expressed as int32_t are supported"))      \
  X(batchCount,                                                                \
    quotes(header, "CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT",                       \
           "Number of matmul operations to perform in the batch."))            \
  X(leading, quotes(header, "CUBLASLT_MATRIX_LAYOUT_LD",                       \
                    "must be large enough so that matrix memory locations "    \
                    "are not overlapping"))                                    \
  /* Operations. */                                                            \
  X(types,                                                                     \
    tells(guide, "cublasLtMatmul(), table 1 of \"Datatypes Supported\"",       \
          "it does not list these types"))                                     \
  X(operandTypes,                                                              \
    seen(library, "A and B of two types give CUBLAS_STATUS_INVALID_VALUE"))    \
  X(someSums, notEmulated("sums other than in f32 and f64, and fast ones"))    \
  X(transC, quotes(header, "CUBLASLT_MATMUL_DESC_TRANSC",                      \
                   "Currently only CUBLAS_OP_N is supported."))                \
  X(someTranspositions,                                                        \
    notEmulated("transpositions other than CUBLAS_OP_N and CUBLAS_OP_T"))      \
  X(hostScalars, notEmulated("scalars on the device"))                         \
  X(someEpilogues,                                                             \
    notEmulated("epilogues with another output, and those of gradients"))      \
  X(noEpilogue, tells(header, "cublasLtEpilogue_t", "it has no such value"))   \
  X(epilogueByRows, quotes(guide, "cublasLtMatmul(), note 6, up to CUDA 13.1", \
                           "not supported when D matrix memory order is "      \
                           "defined as CUBLASLT_ORDER_ROW"))                   \
  X(biasType, quotes(header, "CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE",            \
                     "Bias vector elements are the same type as the elements " \
                     "of output matrix"))                                      \
  X(biasAligned,                                                               \
    stricter(                                                                  \
        "the heuristic may propose a kernel that takes 16 bytes' alignment "   \
        "of a bias for granted, and then faults (pytorch issue 194497)"))      \
  X(conflict,                                                                  \
    quotes(header, "cublasLtMatmul",                                           \
           "if parameters are in conflict or in an impossible configuration")) \
  X(outOfPlace,                                                                \
    quotes(guide, "cublasLtMatmul()",                                          \
           "both matrices must have the same data type, number of rows, "      \
           "number of columns, batch size, and memory order"))                 \
  X(inPlace,                                                                   \
    quotes(guide, "cublasLtMatmul()",                                          \
           "in-place matrix multiplication (C == D and Cdesc == Ddesc)"))      \
  X(overlap,                                                                   \
    stricter(                                                                  \
        "its library computes results of a batch that overlap in any order"))  \
  X(workspaceAligned,                                                          \
    quotes(guide, "cublasLtMatmul()",                                          \
           "must be aligned to at least a multiple of 256 bytes"))             \
  X(workspaceSize, quotes(header, "cublasLtMatmul",                            \
                          "when workspaceSizeInBytes is less than workspace "  \
                          "required by configured algo"))                      \
  X(device, quotes(header, "cublasLtMatmul",                                   \
                   "if cuda reported execution error from the device"))        \
  /* Algorithms. */                                                            \
  X(count, quotes(header, "cublasLtMatmulAlgoGetHeuristic",                    \
                  "if requestedAlgoCount is less or equal to zero"))           \
  X(noneFound,                                                                 \
    quotes(header, "cublasLtMatmulAlgoGetHeuristic",                           \
           "if no heuristic function available for current configuration"))    \
  X(otherAlgorithm, quotes(header, "cublasLtMatmulAlgoCheck",                  \
                           "if matrix layout descriptors or operation "        \
                           "descriptor don't match algo descriptor"))          \
  X(otherEpilogue, stricter("an algorithm is for one epilogue"))               \
  X(otherVersion, quotes(header, "cublasLtMatmulAlgo_t",                       \
                         "for use with the same version of cuBLAS library"))   \
  X(unfit, quotes(header, "cublasLtMatmulAlgoCheck",                           \
                  "if algo configuration or data type combination is not "     \
                  "currently supported on given device"))                      \
  X(aligned, quotes(header, "cublasLtMatmulAlgoCheck",                         \
                    "will fail if e.g. buffers are not correctly aligned"))    \
  X(someConfiguration, notEmulated("attributes of algorithms other than ID, "  \
                                   "SPLITK_NUM and REDUCTION_SCHEME"))

#define SMEX_CUBLASLT_CITATION(name, citation)                                 \
  constexpr Citation name = citation;
SMEX_CUBLASLT_CITATIONS(SMEX_CUBLASLT_CITATION)
#undef SMEX_CUBLASLT_CITATION

} // namespace smex::emulated::cublaslt::cites

#endif
