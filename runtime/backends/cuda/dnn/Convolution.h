// Convolutions and their gradients by cuDNN.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_DNN_CONVOLUTION_H
#define SMEX_RUNTIME_BACKENDS_CUDA_DNN_CONVOLUTION_H

#include "runtime/backends/cuda/Library.h"

namespace smex::cuda::dnn {

/// Of a kernel of one of a convolution's kinds that plan::libraryHas says cuDNN
/// has. Fault::Environment: no algorithm does with the worker's workspace.
Result<std::unique_ptr<LibraryCall>>
bindConvolution(const LibraryBinding &binding);

} // namespace smex::cuda::dnn

#endif
