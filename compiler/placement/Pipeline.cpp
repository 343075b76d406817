// Splits into the stages of a pipeline: `contiguous` and `pipeline`.
#include "compiler/placement/Algorithms.h"

#include "compiler/placement/FitMemory.h"
#include "compiler/placement/FreeStages.h"
#include "compiler/placement/IdealSplit.h"
#include "compiler/placement/StageBound.h"
#include "compiler/placement/StageSearch.h"

#include <limits>

using namespace smex;
using namespace smex::placement;

namespace {

/// Stages of about the same work, as a place to start from.
Stages equalWork(const StageGraph &graph, const std::vector<int> &order,
                 int count) {
  Stages stages(order.size());
  double done = 0;
  for (int block : order) {
    const double middle = done + graph.seconds[size_t(block)] / 2;
    stages[size_t(block)] =
        graph.totalSeconds > 0
            ? std::min(count - 1, int(middle / graph.totalSeconds * count))
            : 0;
    done += graph.seconds[size_t(block)];
  }
  return stages;
}

struct Split {
  Stages stages;
  double load = std::numeric_limits<double>::infinity();
  bool isBest = false; // of all into stages in order
};

class Splitter {
public:
  Splitter(const StageGraph &graph, const Params &params)
      : graph(graph), overlap(params.transfersOverlap) {
    split.stages = graph.problem.devices.count;
    split.transfersOverlap = overlap;
  }

  /// Stages hold no more than this of what `bytes` says.
  void limitMemory(int64_t limit, const std::vector<int64_t> &bytes) {
    split.memoryBytes = limit;
    split.bytes = &bytes;
  }

  std::optional<Split> exact(const Split &known) {
    constexpr int kMostBlocks = 10'000; // stages grow by recursion
    if (graph.count() > kMostBlocks)
      return std::nullopt;
    IdealLimits limits;
    limits.ideals = std::min(limits.ideals, size_t(4'000'000 / split.stages));
    split.below = known.load;
    const IdealSplit found = splitIdeals(graph, split, limits);
    Split best = known;
    if (found.stages)
      take(best, *found.stages);
    best.isBest = found.complete;
    return best;
  }

  void cutOrder(Split &best, const std::vector<int> &order) {
    split.below = best.load;
    // A cut by work bounds the search, if memory lets it stand.
    const Stages even = equalWork(graph, order, split.stages);
    if (!split.memoryBytes)
      take(best, even);
    split.below = best.load;
    if (const auto found = splitOrder(graph, order, split))
      take(best, *found);
  }

  void improve(Split &best, uint64_t seed, int64_t work) {
    if (best.stages.empty())
      return;
    Split next;
    next.stages = anneal(graph, best.stages, split, work, seed);
    next.load = loadOf(next.stages);
    cutOrder(next, orderWithin(graph, next.stages));
    if (next.load < best.load)
      best = next;
  }

private:
  double loadOf(const Stages &stages) const {
    return largestLoad(graph, stages, split.stages, overlap);
  }
  void take(Split &best, const Stages &stages) const {
    if (const double load = loadOf(stages); load < best.load)
      best = {stages, load, false};
  }

  const StageGraph &graph;
  bool overlap;
  SplitParams split;
};

/// The stages that a placement is, which keeps unions together.
Stages stagesOf(const StageGraph &graph, const Placement &placement) {
  Stages stages(size_t(graph.count()), 0);
  for (size_t t = 0; t < placement.size(); ++t)
    if (graph.problem.graph.tasks[t].hasGpuKernel)
      stages[size_t(graph.blockOf[t])] = placement[t];
  return stages;
}

/// Asks `search` for a split, of stages that hold as much as memory lets them:
/// first by what residual tasks need alone, which any placement needs, then by
/// all bytes, which is always enough.
template <typename Search>
Result<Outcome> splitWithin(const Problem &problem, const Params &params,
                            Search &&search) {
  const StageGraph graph(problem);
  const auto usable = problem.devices.usableBytes();
  std::optional<Split> first;
  for (const auto *bytes : {&graph.residualBytes, &graph.bytes}) {
    Splitter splitter(graph, params);
    if (usable)
      splitter.limitMemory(*usable, *bytes);
    const Split split = search(graph, splitter);
    if (split.stages.empty() && graph.count() > 0)
      continue;
    Outcome outcome;
    outcome.placement = graph.placement(split.stages);
    outcome.stagesInOrder = true;
    if (!first) {
      first = split;
      outcome.lowerBound = split.isBest ? split.load : 0;
      if (!split.isBest && params.objective == Objective::Throughput) {
        StageBoundParams bound;
        bound.stages = problem.devices.count;
        bound.transfersOverlap = params.transfersOverlap;
        bound.reached = split.load;
        bound.inOrder = true;
        outcome.lowerBound = stageBound(graph, bound);
      }
    }
    if (!usable || fits(problem.devices,
                        memoryUse(problem, outcome.placement,
                                  params.emulator(problem, outcome.placement))))
      return outcome;
  }
  if (first)
    return withinMemory(problem, params, graph.placement(first->stages));
  return withinMemory(
      problem, params,
      graph.placement(equalWork(graph, graph.order, problem.devices.count)));
}

} // namespace

Result<Outcome> placement::contiguous(const Problem &problem,
                                      const Params &params) {
  return splitWithin(problem, params,
                     [](const StageGraph &graph, Splitter &splitter) {
                       Split best;
                       splitter.cutOrder(best, graph.order);
                       if (const auto exact = splitter.exact(best))
                         return *exact;
                       return best;
                     });
}

Result<Outcome> placement::pipeline(const Problem &problem,
                                    const Params &params) {
  // By size, so that a million tasks take some tens of seconds. A task may have
  // a few edges.
  const int64_t tasks = std::max(int64_t(problem.graph.tasks.size()),
                                 int64_t(problem.graph.edges.size()) / 4) +
                        1;
  const auto roundsOf = [&](int64_t most) {
    constexpr int64_t kVisits = 500'000;
    return int(std::clamp<int64_t>(kVisits / tasks, 1, most));
  };
  const int rounds = roundsOf(4);
  // Where stages are one start among others, few tasks are soon done.
  constexpr int64_t kWorkPerTask = 100'000;
  const int64_t work =
      params.objective == Objective::Throughput
          ? 40'000'000
          : std::min<int64_t>(10'000'000, kWorkPerTask * tasks);
  auto ordered = splitWithin(
      problem, params, [&](const StageGraph &graph, Splitter &splitter) {
        Split best;
        for (const std::vector<int> &order : linearOrders(graph))
          splitter.cutOrder(best, order);
        if (const auto exact = splitter.exact(best); exact && exact->isBest)
          return *exact;
        for (int round = 0; round < rounds; ++round)
          splitter.improve(best, uint64_t(round), work);
        return best;
      });
  if (!ordered || problem.devices.count < 2)
    return ordered;

  const StageGraph unions(problem, Blocks::OfAnyPlacement);
  SplitParams split;
  split.stages = problem.devices.count;
  split.transfersOverlap = params.transfersOverlap;
  split.memoryBytes = problem.devices.usableBytes();
  split.bytes = ordered->neededBytes ? &unions.residualBytes : &unions.bytes;
  std::optional<Stages> known;
  if (!ordered->neededBytes)
    known = stagesOf(unions, ordered->placement);
  // A few find a place to start from, where it is not the loads that count.
  const bool isStream = params.objective == Objective::Throughput;
  const auto stages =
      freeStages(unions, split, known, roundsOf(isStream ? 24 : 2));
  if (!stages || stages == known)
    return ordered;
  Outcome free;
  free.placement = unions.placement(*stages);
  if (problem.devices.memoryBytes)
    free = withinMemory(problem, params, free.placement);
  const bool isBetter = ordered->neededBytes
                            ? free.neededBytes < ordered->neededBytes
                            : free.neededBytes == 0 &&
                                  cost(problem, free.placement, params) <
                                      cost(problem, ordered->placement, params);
  return isBetter ? free : *ordered;
}
