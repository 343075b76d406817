// Which GPU each worker runs on, over all processes. A GPU that workers use is
// a rank: NCCL has one on a GPU, so workers that share a GPU share its rank,
// and no two processes may share a GPU.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_NCCL_RANKS_H
#define SMEX_RUNTIME_BACKENDS_CUDA_NCCL_RANKS_H

#include "dialects/support/Result.h"

#include <string>
#include <vector>

namespace smex::nccl {

/// What a process says of itself.
struct ProcessGpus {
  std::vector<int> workers;      // ascending
  std::vector<std::string> gpus; // what identifies each GPU that it sees
};

struct Ranks {
  int count = 0;
  std::vector<int> ofWorker; // per worker
  /// Per process, the GPUs that it uses, as it numbers them, in the order of
  /// their ranks.
  std::vector<std::vector<int>> gpus;
};

/// Processes that see the same GPUs are of one machine, and share these out
/// evenly, in the order of their workers; within a process, so do its workers.
/// Ranks are in the order of processes, and of GPUs in each. An error where two
/// ranks would be on one GPU.
Result<Ranks> ranksOf(const std::vector<ProcessGpus> &processes);

/// Of `count` things, those of the part-th of `parts`, evenly: a begin, an end.
inline std::pair<size_t, size_t> evenPart(size_t count, size_t part,
                                          size_t parts) {
  return {part * count / parts, (part + 1) * count / parts};
}

} // namespace smex::nccl

#endif
