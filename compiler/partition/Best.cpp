// The best of many searches. Steps do not commute on bytes that really move
// (README.md), so the sequence of ways matters, and its order: every one is
// tried, as many as Params::maxSequences allows; with small tensors held whole
// and with everything cut; Tofu's restrictions too, since a plan of best steps
// is not always the best plan; all steps together, of the graph or, where its
// tables are too large, of what Tofu's coarsening leaves of it; and what the
// search for the bound comes upon (Rounding.h).
#include "compiler/partition/Algorithms.h"
#include "compiler/partition/Factorize.h"
#include "compiler/partition/LowerBound.h"
#include "compiler/partition/Recursive.h"

#include <limits>

using namespace smex;
using namespace smex::partition;

namespace {

/// Who asks for the best plan waits for what it is worth, too: the bound is
/// sought so many times as long as a usual plan's.
constexpr int64_t kLongerBound = 16;
constexpr int64_t kMostWork =
    std::numeric_limits<int64_t>::max() / kLongerBound;

} // namespace

Result<PartitionPlan> partition::partitionBest(const OperatorGraph &graph,
                                               int64_t workers,
                                               const Params &given) {
  if (Status status = validate(graph, workers); !status)
    return status.takeError();
  Params params = given;
  params.lowerBound = false; // once, at the end, and then thoroughly
  std::optional<PartitionPlan> best;
  Params bound = given; // the bound is of the plan's own choices
  bound.maxBoundWork = std::min(given.maxBoundWork, kMostWork) * kLongerBound;
  const auto offer = [&](PartitionPlan plan, bool alwaysCut) {
    if (best && plan.sharedBytes >= best->sharedBytes)
      return;
    best = std::move(plan);
    bound.alwaysCut = alwaysCut;
  };
  for (const auto &ways :
       sequences(workers, size_t(std::max(given.maxSequences, 1))))
    for (bool alwaysCut : {given.alwaysCut, true}) {
      params.alwaysCut = alwaysCut;
      offer(partitionInSteps(graph, ways, params), alwaysCut);
    }
  params.alwaysCut = given.alwaysCut;
  if (auto plan = partitionLikeTofu(graph, workers, params))
    offer(std::move(*plan), true);
  Together together = Together::No;
  for (bool alwaysCut : {given.alwaysCut, true}) {
    params.alwaysCut = alwaysCut;
    if (auto plan = partitionFlatExactly(graph, workers, params)) {
      together = std::max(together, plan->together);
      offer(std::move(*plan), alwaysCut);
    }
  }
  PartitionPlan plan = improvedWithLowerBound(graph, std::move(*best), bound);
  plan.together = together;
  return plan;
}
