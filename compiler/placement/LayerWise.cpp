// Placement by hand, as models too large for one GPU were trained before
// (Tofu's thesis, section 3.7.1): layer i is on GPU i mod K, its weights,
// gradients and optimizer with it, and activations cross between layers.
#include "compiler/placement/Algorithms.h"

#include <algorithm>

using namespace smex;
using namespace smex::placement;

Result<Outcome> placement::layerWise(const Problem &problem,
                                     const Params &params) {
  const TaskGraph &graph = problem.graph;
  // A task without a layer is where the last of what it reads is.
  std::vector<int> layers;
  for (const Task &task : graph.tasks)
    layers.push_back(task.layer);
  for (const int t : problem.order)
    if (graph.tasks[size_t(t)].layer < 0)
      for (const int e : problem.adjacency.into(t))
        layers[size_t(t)] = std::max(
            layers[size_t(t)], layers[size_t(graph.edges[size_t(e)].from)]);
  Outcome outcome;
  for (size_t t = 0; t < graph.tasks.size(); ++t) {
    const int first = problem.unions[t];
    outcome.placement.push_back(graph.tasks[t].hasGpuKernel
                                    ? std::max(layers[size_t(first)], 0) %
                                          problem.devices.count
                                    : problem.devices.host());
  }
  const MemoryUse use = memoryUse(problem, outcome.placement,
                                  params.emulator(problem, outcome.placement));
  if (!fits(problem.devices, use))
    outcome.neededBytes =
        *std::max_element(use.peakBytes.begin(), use.peakBytes.end());
  return outcome;
}
