// Which of its algorithms cuBLASLt takes for a product: chosen once, and kept.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_BLASALGORITHM_H
#define SMEX_RUNTIME_BACKENDS_CUDA_BLASALGORITHM_H

#include "runtime/backends/cuda/BlasDescriptors.h"
#include "runtime/backends/cuda/Choices.h"

#include <optional>

namespace smex::cuda::blas {

/// All that a choice depends on, and nothing of where in memory things are but
/// for the alignment of the matrices, in bytes.
struct Asked {
  const Blas &blas;
  const std::string &device; // the GPU's name
  Choices &choices;
  const plan::MatrixProduct &product;
  DType type, result;
  uint32_t a, b, d; // alignments
  size_t workspaceBytes;
  bool reproducible; // no reduction over parts of a sum
  uint32_t epilogue;
  uint32_t bias; // its alignment; 0: there is none
};

/// What was chosen before, if it still is right, or what the library takes for
/// best. Nothing: it has none with this epilogue. Without one that is an error.
Result<std::optional<Algorithm>> choose(const Asked &asked, Handle handle,
                                        const Described &made);

} // namespace smex::cuda::blas

#endif
