// The best of many searches. Steps do not commute on bytes that really move
// (README.md), so the sequence of ways matters, and its order: every one is
// tried, as many as Params::maxSequences allows; with small tensors held whole
// and with everything cut; Tofu's restrictions too, since a plan of best steps
// is not always the best plan; and all steps together where the graph is small.
#include "compiler/partition/Algorithms.h"
#include "compiler/partition/Factorize.h"
#include "compiler/partition/LowerBound.h"
#include "compiler/partition/Recursive.h"

using namespace smex;
using namespace smex::partition;

namespace {

/// Choices of up to so many tensors and operators are searched flat as well.
constexpr size_t kFewVariables = 400;

/// All sequences of factors, the recursion's own first.
void addSequences(int64_t workers, std::vector<int64_t> &soFar, size_t limit,
                  std::vector<std::vector<int64_t>> &all) {
  if (all.size() >= limit)
    return;
  if (workers == 1) {
    if (std::find(all.begin(), all.end(), soFar) == all.end())
      all.push_back(soFar);
    return;
  }
  for (int64_t factor = 2; factor <= workers; ++factor)
    if (workers % factor == 0) {
      soFar.push_back(factor);
      addSequences(workers / factor, soFar, limit, all);
      soFar.pop_back();
    }
}

} // namespace

Result<Plan> partition::partitionBest(const Graph &graph, int64_t workers,
                                      const Params &given) {
  if (Status status = validate(graph, workers); !status)
    return status.takeError();
  std::vector<std::vector<int64_t>> sequences{factorize(workers)};
  std::vector<int64_t> soFar;
  addSequences(workers, soFar, size_t(std::max(given.maxSequences, 1)),
               sequences);

  Params params = given;
  params.lowerBound = false; // once, at the end
  std::optional<Plan> best;
  Params bound = given; // the bound is of the plan's own choices
  const auto offer = [&](Plan plan, bool alwaysCut) {
    if (best && plan.sharedBytes >= best->sharedBytes)
      return;
    best = std::move(plan);
    bound.alwaysCut = alwaysCut;
  };
  for (const auto &ways : sequences)
    for (bool alwaysCut : {given.alwaysCut, true}) {
      params.alwaysCut = alwaysCut;
      offer(partitionInSteps(graph, ways, params), alwaysCut);
    }
  params.alwaysCut = given.alwaysCut;
  if (auto plan = partitionLikeTofu(graph, workers, params))
    offer(std::move(*plan), true);
  if (graph.tensors.size() + graph.operators.size() <= kFewVariables)
    if (auto plan = partitionFlat(graph, workers, params))
      offer(std::move(*plan), given.alwaysCut);
  return withLowerBound(graph, std::move(*best), bound);
}
