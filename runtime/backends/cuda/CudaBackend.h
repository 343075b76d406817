// NVIDIA GPUs, through CUDA's driver: generated kernels as PTX, fetch and
// reduction by kernels/cuda over memory that GPUs reach of one another. Always
// built in; the driver is loaded when a plan is run with it.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_CUDABACKEND_H
#define SMEX_RUNTIME_BACKENDS_CUDA_CUDABACKEND_H

#include "runtime/backends/Backend.h"

namespace smex::runtime {

/// Fault::Environment where there is no driver, or no GPU.
Result<std::unique_ptr<Backend>> makeCudaBackend();

/// After it has failed: there is no driver, or no GPU, rather than one that is
/// of no use.
bool isGpuAbsent();

} // namespace smex::runtime

#endif
