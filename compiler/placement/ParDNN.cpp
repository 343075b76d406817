#include "compiler/placement/ParDNN.h"

#include "compiler/placement/LinearClustering.h"
#include "compiler/placement/Overflow.h"
#include "compiler/placement/Refinement.h"

using namespace smex;
using namespace smex::placement;

namespace {

Placement leastMakespan(const Problem &problem, const Params &params,
                        bool refine) {
  const Clusters clusters = slice(problem, problem.devices.count);
  const ClusterFacts facts(problem, clusters);
  Placement placement = mapClusters(facts);
  if (!refine)
    return placement;
  Placement best = placement;
  double makespan = params.emulator(problem, best).makespan;
  const auto keepIfBetter = [&] {
    const double refined = params.emulator(problem, placement).makespan;
    if (refined < makespan)
      best = placement, makespan = refined;
    else
      placement = best;
  };
  if (swapClusters(facts, placement))
    keepIfBetter();
  if (switchTasks(problem, placement, problem.devices.count))
    keepIfBetter();
  return best;
}

/// Of the same clusters, each to the device with the least work so far.
Placement guided(const Problem &problem) {
  Clusters sliced = slice(problem, problem.devices.count);
  std::vector<std::vector<int>> clusters = std::move(sliced.primary);
  for (std::vector<int> &cluster : sliced.secondary)
    clusters.push_back(std::move(cluster));
  for (size_t t = 0; t < problem.graph.tasks.size(); ++t)
    if (!problem.graph.tasks[t].hasGpuKernel) // those are in none
      clusters.push_back({int(t)});
  return guidedLoadBalancing(problem, clusters);
}

Outcome withinLimit(const Problem &problem, const Params &params,
                    Placement placement) {
  Outcome outcome;
  outcome.placement = std::move(placement);
  const Relief relief =
      addressOverflow(problem, params.emulator, outcome.placement);
  outcome.moved = relief.moved;
  outcome.neededBytes = relief.neededBytes;
  return outcome;
}

} // namespace

Result<Outcome> placement::parDNN(const Problem &problem,
                                  const Params &params) {
  return withinLimit(problem, params, leastMakespan(problem, params, true));
}

Result<Outcome> placement::parDNNUnrefined(const Problem &problem,
                                           const Params &params) {
  return withinLimit(problem, params, leastMakespan(problem, params, false));
}

Result<Outcome> placement::parDNNGuided(const Problem &problem,
                                        const Params &params) {
  return withinLimit(problem, params, guided(problem));
}
