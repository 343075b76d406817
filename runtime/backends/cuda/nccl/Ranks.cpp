#include "runtime/backends/cuda/nccl/Ranks.h"

#include <algorithm>
#include <map>

using namespace smex;
using namespace smex::nccl;

Result<Ranks> nccl::ranksOf(const std::vector<ProcessGpus> &processes) {
  std::map<std::vector<std::string>, size_t> alike; // processes, by their GPUs
  for (const ProcessGpus &each : processes)
    ++alike[each.gpus];
  std::map<std::vector<std::string>, size_t> seen;
  std::map<std::string, size_t> users; // the process that uses a GPU
  Ranks ranks;
  size_t workers = 0;
  for (const ProcessGpus &each : processes)
    for (int worker : each.workers)
      workers = std::max(workers, size_t(worker) + 1);
  ranks.ofWorker.assign(workers, -1);
  const auto whose = [&](size_t process) {
    return "the process of worker " +
           std::to_string(processes[process].workers.front());
  };
  for (size_t p = 0; p < processes.size(); ++p) {
    const ProcessGpus &each = processes[p];
    const size_t parts = alike[each.gpus];
    const auto [begin, end] =
        evenPart(each.gpus.size(), seen[each.gpus]++, parts);
    if (begin == end)
      return Error{std::to_string(parts) + " processes share " +
                       std::to_string(each.gpus.size()) +
                       (each.gpus.size() == 1 ? " GPU" : " GPUs") +
                       ", and NCCL needs one for each; start no more "
                       "processes on a machine than it has GPUs",
                   Fault::Environment};
    const size_t used = std::min(end - begin, each.workers.size());
    std::vector<int> &gpus = ranks.gpus.emplace_back();
    for (size_t g = begin; g < begin + used; ++g) {
      const auto [entry, isNew] = users.try_emplace(each.gpus[g], p);
      if (!isNew && entry->second == p)
        return Error{whose(p) + " sees GPU " + each.gpus[g] +
                         " twice; let CUDA_VISIBLE_DEVICES name each once",
                     Fault::Environment};
      if (!isNew)
        return Error{whose(entry->second) + " and " + whose(p) +
                         " would both use GPU " + each.gpus[g] +
                         ", which NCCL refuses; let processes of a machine see "
                         "the same GPUs, or different ones",
                     Fault::Environment};
      gpus.push_back(int(g));
    }
    for (size_t i = 0; i < each.workers.size(); ++i)
      ranks.ofWorker[size_t(each.workers[i])] =
          ranks.count + int(i * used / each.workers.size());
    ranks.count += int(used);
  }
  return ranks;
}
