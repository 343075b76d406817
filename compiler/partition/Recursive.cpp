#include "compiler/partition/Recursive.h"

#include "compiler/partition/Factorize.h"
#include "compiler/partition/PlanBuilder.h"

using namespace smex;
using namespace smex::partition;

namespace {

/// Whether timesteps are tied so far; from the first step that asks for it on.
struct Ties {
  bool tied = false;
};

network::Solution solve(const PlanBuilder &builder,
                        const network::Problem &problem, Ties &ties) {
  const Params &params = builder.params;
  if (!ties.tied) {
    network::Params limits = params.network;
    limits.maxTableEntries =
        std::min(limits.maxTableEntries, params.maxUntiedTableEntries);
    limits.maxTotalEntries =
        std::min(limits.maxTotalEntries, params.maxUntiedEntries);
    limits.bounded = false;
    network::Solution solution = network::solve(problem, limits);
    if (!solution.values.empty() || problem.domains.empty())
      return solution;
    ties.tied = true;
  }
  const std::vector<int> &classes = builder.timesteps();
  const network::Problem tied = network::tie(problem, classes);
  if (tied.domains.size() == problem.domains.size()) {
    ties.tied = false; // nothing repeats
    return network::solve(problem, params.network);
  }
  network::Solution solution = network::solve(tied, params.network);
  std::vector<int> values;
  for (int c : classes)
    values.push_back(solution.values[c]);
  solution.values = std::move(values);
  return solution;
}

void search(PlanBuilder &builder, Sharing sharing, Ties &ties) {
  while (!builder.done()) {
    NextStep step = builder.next();
    const network::Solution solution =
        solve(builder, builder.problem(step, sharing), ties);
    // What sharing makes least is not B, so nor is its bound.
    std::optional<int64_t> bound;
    if (sharing == Sharing::None)
      bound = solution.lowerBound.bytes;
    builder.decide(std::move(step), solution.values, bound, ties.tied);
  }
}

} // namespace

Plan partition::partitionInSteps(const Graph &graph,
                                 const std::vector<int64_t> &ways,
                                 const Params &params) {
  Ties ties;
  PairCosts costs(graph);
  PlanBuilder plan(graph, ways, params, costs);
  search(plan, Sharing::None, ties);
  if (params.shareAlikeReaders && plan.hasAlikeReaders()) {
    PlanBuilder shared(graph, ways, params, costs);
    search(shared, Sharing::AlikeReaders, ties);
    if (shared.sharedBytes() < plan.sharedBytes())
      return shared.finish();
  }
  return plan.finish();
}

Result<Plan> partition::partitionRecursively(const Graph &graph,
                                             int64_t workers,
                                             const Params &params) {
  if (Status status = validate(graph, workers); !status)
    return status.takeError();
  return partitionInSteps(graph, factorize(workers), params);
}
