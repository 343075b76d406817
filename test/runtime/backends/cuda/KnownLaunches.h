// What the emulated driver may know of a plan's launches beforehand
// (test/emulated/cuda/KnownLaunches.h). It is worked out from the plan, by the
// rules that runtime/backends/cuda/Place.h states, and not by the backend's
// code.
#ifndef SMEX_TEST_RUNTIME_BACKENDS_CUDA_KNOWNLAUNCHES_H
#define SMEX_TEST_RUNTIME_BACKENDS_CUDA_KNOWNLAUNCHES_H

#include "runtime/plan/Plan.h"

namespace smex::test {

/// All launches of generated kernels, by the workers that a process with so
/// many GPUs has, with the code of this artifact. Those whose arguments are in
/// memory, and those of transfers, are not among them: they may touch buffers
/// of the workers' arenas, or staging, and never run from one into the other.
std::string knownLaunches(const plan::Partitioned &partitioned,
                          const plan::Artifact &artifact, int gpus,
                          const std::vector<int> &workers);

/// The same for a process that has all workers.
std::string knownLaunches(const plan::Partitioned &partitioned,
                          const plan::Artifact &artifact, int gpus);

} // namespace smex::test

#endif
