// Which of cuDNN's algorithms computes a convolution: chosen once, by what the
// library expects of each, before anything runs.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_DNN_ALGORITHMS_H
#define SMEX_RUNTIME_BACKENDS_CUDA_DNN_ALGORITHMS_H

#include "runtime/backends/convolution/ConvolutionPart.h"
#include "runtime/backends/cuda/Library.h"
#include "runtime/backends/cuda/dnn/Descriptors.h"

namespace smex::cuda::dnn {

/// cuDNN's functions of a convolution, or of one of its gradients.
struct Family {
  const char *name;
  Code (*count)(Handle, int *);
  Code(*algorithms) SMEX_CUDNN_ALGORITHMS;
  Code(*workspace) SMEX_CUDNN_WORKSPACE;
  Code(*run) SMEX_CUDNN_RUN;
};
Family familyOf(const Dnn &dnn, runtime::Wanted wanted);

/// What the functions of a family take first, second and last.
struct Arguments {
  Descriptor first, second, convolution, written;
};
Arguments argumentsOf(const Descriptors &descriptors, runtime::Wanted wanted);

struct Algorithm {
  int number = 0;
  size_t workspaceBytes = 0;
};

/// What is to be computed, and within which limits.
struct Asked {
  runtime::Wanted wanted;
  DType type;
  const Geometry &geometry;
  int64_t workspaceBytes;
  bool fastest; // or none, whatever the workspace
};

/// The one that the library expects to be fastest of those that need no more
/// than these bytes, by what is known (`binding.choices`) or else asked; the
/// descriptors' math type becomes what it wants. Where `binding` is to be
/// reproducible, one whose bits are the same in every run. Nothing: no such
/// algorithm.
Result<std::optional<Algorithm>> choose(const Dnn &dnn, Handle handle,
                                        const LibraryBinding &binding,
                                        const Asked &asked,
                                        const Descriptors &descriptors);

} // namespace smex::cuda::dnn

#endif
