#include "compiler/partition/Recursive.h"

#include "compiler/partition/Factorize.h"
#include "compiler/partition/LowerBound.h"
#include "compiler/partition/PlanBuilder.h"

using namespace smex;
using namespace smex::partition;

network::Solution partition::solveStep(const PlanBuilder &builder,
                                       const network::Problem &problem,
                                       bool &tied) {
  const Params &params = builder.params;
  if (!tied) {
    network::Params limits = params.network;
    limits.maxTableEntries =
        std::min(limits.maxTableEntries, params.maxUntiedTableEntries);
    limits.maxTotalEntries =
        std::min(limits.maxTotalEntries, params.maxUntiedEntries);
    limits.bounded = false;
    network::Solution solution = network::solve(problem, limits);
    if (!solution.values.empty() || problem.domains.empty())
      return solution;
    tied = true;
  }
  const std::vector<int> &classes = builder.timesteps();
  const network::Problem smaller = network::tie(problem, classes);
  if (smaller.domains.size() == problem.domains.size()) {
    tied = false; // nothing repeats
    return network::solve(problem, params.network);
  }
  network::Solution solution = network::solve(smaller, params.network);
  std::vector<int> values;
  for (int c : classes)
    values.push_back(solution.values[c]);
  solution.values = std::move(values);
  return solution;
}

static void search(PlanBuilder &builder, Sharing sharing, bool &tied) {
  while (!builder.done()) {
    NextStep step = builder.next();
    const network::Solution solution =
        solveStep(builder, builder.problem(step, sharing), tied);
    // What sharing makes least, or the cost of links and of computing, is not
    // B, so nor is its bound.
    std::optional<int64_t> bound;
    if (sharing == Sharing::None && builder.params.linkCosts.empty() &&
        !builder.params.work)
      bound = solution.lowerBound.bytes;
    builder.decide(std::move(step), solution.values, bound, tied);
  }
}

PartitionPlan partition::partitionInSteps(const OperatorGraph &graph,
                                          const std::vector<int64_t> &ways,
                                          const Params &params) {
  bool tied = false;
  PairCosts costs(graph);
  PlanBuilder plan(graph, ways, params, costs);
  search(plan, Sharing::None, tied);
  if (params.shareAlikeReaders && plan.hasAlikeReaders()) {
    PlanBuilder shared(graph, ways, params, costs);
    search(shared, Sharing::AlikeReaders, tied);
    if (shared.cost() < plan.cost())
      return shared.finish();
  }
  return plan.finish();
}

/// What Params says of links and devices is of its steps.
static Status validateMachine(const Params &params) {
  const auto positive = [](const std::vector<int64_t> &numbers) {
    return std::all_of(numbers.begin(), numbers.end(),
                       [](int64_t number) { return number > 0; });
  };
  if (!params.linkCosts.empty() &&
      (params.linkCosts.size() != params.ways.size() ||
       !positive(params.linkCosts)))
    return fail("costs of links: a positive number for each of ",
                params.ways.size(), " steps");
  for (size_t s = 0; s < params.weights.size(); ++s)
    if (s >= params.ways.size() ||
        int64_t(params.weights[s].size()) != params.ways[s] ||
        !positive(params.weights[s]))
      return fail("weights: positive, and one for each group of a step");
  return {};
}

Result<PartitionPlan>
partition::partitionRecursively(const OperatorGraph &graph, int64_t workers,
                                const Params &params) {
  if (Status status = validate(graph, workers); !status)
    return status.takeError();
  if (params.ways.empty())
    return partitionInSteps(graph, factorize(workers), params);
  int64_t left = workers;
  for (int64_t ways : params.ways) {
    if (ways < 2 || left % ways != 0)
      return fail("steps of these ways do not divide ", workers, " workers");
    left /= ways;
  }
  if (left != 1)
    return fail("steps of these ways leave groups of ", left, " workers");
  if (Status status = validateMachine(params); !status)
    return status.takeError();
  return partitionInSteps(graph, params.ways, params);
}

Result<PartitionPlan> partition::partitionRounded(const OperatorGraph &graph,
                                                  int64_t workers,
                                                  const Params &given) {
  Params params = given;
  params.lowerBound = false;
  auto plan = partitionRecursively(graph, workers, params);
  if (!plan)
    return plan;
  return improvedWithLowerBound(graph, std::move(*plan), given);
}
