// Which worker has which part of which GPU's memory.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_PLACE_H
#define SMEX_RUNTIME_BACKENDS_CUDA_PLACE_H

#include "runtime/backends/cuda/CudaProgram.h"

namespace smex::cuda {

/// Of this process' W workers, the w-th goes to GPU w * G / W. Each GPU's
/// memory is taken as one allocation: the arenas of its workers, and behind
/// them what their launches and exchanges read, for which all instructions are
/// prepared here. Memory of the host is taken for workers that
/// have buffers there.
Status placeWorkers(CudaProgram &shared);

} // namespace smex::cuda

#endif
