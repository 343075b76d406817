#include "compiler/placement/ParDNN.h"

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

Result<Outcome> placed(const Problem &problem, const Params &params,
                       bool refine) {
  Outcome outcome;
  outcome.placement = leastMakespan(problem, params, refine);
  const Relief relief =
      addressOverflow(problem, params.emulator, outcome.placement);
  outcome.moved = relief.moved;
  outcome.neededBytes = relief.neededBytes;
  return outcome;
}

} // namespace

Result<Outcome> placement::parDNN(const Problem &problem,
                                  const Params &params) {
  return placed(problem, params, true);
}

Result<Outcome> placement::parDNNUnrefined(const Problem &problem,
                                           const Params &params) {
  return placed(problem, params, false);
}
