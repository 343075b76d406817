#include "compiler/placement/FreeStages.h"

#include "compiler/placement/ForcedBlocks.h"
#include "compiler/placement/StageClusters.h"
#include "compiler/placement/StageSearch.h"

#include <limits>
#include <list>

using namespace smex;
using namespace smex::placement;

namespace {

// Of annealing a level: by block, and at most.
constexpr int64_t kWorkPerBlock = 20'000, kMostWork = 12'000'000;
constexpr int kFewBlocks = 16; // by stage: no further clusters

class FreeSearch {
public:
  FreeSearch(const StageGraph &unions, const SplitParams &params)
      : unions(unions), params(params) {
    this->params.inOrder = false;
    this->params.below = std::numeric_limits<double>::infinity();
  }

  void take(const Stages &stages) {
    if (const double load = loadOf(unions, stages);
        load < bestLoad && hasRoom(unions, params, stages)) {
      bestLoad = load;
      best = stages;
    }
  }

  void round(uint64_t seed) {
    // Levels, from the finest on; into[l] leads from level l to the next.
    std::list<StageGraph> graphs;
    std::vector<std::vector<int>> into;
    std::list<std::vector<int64_t>> bytes;
    std::vector<const StageGraph *> level = {&unions};
    std::vector<SplitParams> limits = {params};
    // Where much moves, what has to be together may be most of a stage.
    const double even = unions.totalSeconds / params.stages;
    const double mostSeconds = std::max(
        even / 4, std::min(bestLoad, 8 * even) / double(1 << (3 - seed % 4)));
    while (level.back()->count() > kFewBlocks * params.stages) {
      ClusterParams cluster;
      cluster.mostSeconds = mostSeconds;
      if (params.memoryBytes) {
        cluster.mostBytes = *params.memoryBytes / 4;
        cluster.bytes = limits.back().bytes;
      }
      cluster.seed = seed * 64 + into.size();
      const std::vector<int> to = clusters(*level.back(), cluster);
      StageGraph small = contract(*level.back(), to);
      if (small.count() > level.back()->count() * 9 / 10)
        break;
      limits.push_back(params);
      if (params.memoryBytes) {
        bytes.emplace_back(size_t(small.count()));
        for (size_t b = 0; b < to.size(); ++b)
          bytes.back()[size_t(to[b])] += (*cluster.bytes)[b];
        limits.back().bytes = &bytes.back();
      }
      into.push_back(to);
      graphs.push_back(std::move(small));
      level.push_back(&graphs.back());
    }
    std::optional<Stages> stages = begin(*level.back(), limits.back());
    if (!stages)
      return;
    for (size_t l = level.size(); l-- > 0;) {
      if (l + 1 < level.size()) {
        Stages opened(size_t(level[l]->count()));
        for (size_t b = 0; b < opened.size(); ++b)
          opened[b] = (*stages)[size_t(into[l][b])];
        stages = std::move(opened);
      }
      stages =
          anneal(*level[l], std::move(*stages), limits[l],
                 std::min(kMostWork, kWorkPerBlock * level[l]->count()), seed,
                 l + 1 < level.size() ? Heat{0.02, 4}
                 : seed % 2           ? Heat{0.5, 4}
                                      : Heat{8, 3});
    }
    take(*stages);
  }

  /// A long way down from a high temperature, without clusters: as much work as
  /// so many rounds.
  void boil(uint64_t seed, int rounds, int squarings) {
    if (best)
      take(anneal(unions, *best, params,
                  rounds * std::min(kMostWork, kWorkPerBlock * unions.count()),
                  seed, Heat{8, squarings}));
  }

  /// Short ways down from all on one stage, with several heats: where much is
  /// sent, which of them ends well differs from graph to graph.
  void warm(uint64_t first, int ways) {
    for (int way = 0; way < ways && !isNearWork(); ++way)
      take(anneal(unions, Stages(size_t(unions.count()), 0), params,
                  warmWork(unions), first + uint64_t(way), heatOf(way)));
  }

  /// The same for blocks that all better placements have on one device
  /// (ForcedBlocks.h), as long as that finds better ones. Where much is sent,
  /// few blocks are left.
  void reduce(uint64_t seed, int ways) {
    constexpr int kMostTimes = 6;
    for (int time = 0; best && time < kMostTimes && !isNearWork(); ++time) {
      int64_t work = kMostWork * 4;
      const auto into = forcedTogether(unions, bestLoad * (1 - 1e-9), work);
      if (!into)
        return;
      const StageGraph small = contract(unions, *into);
      if (small.count() > unions.count() * 9 / 10)
        return;
      SplitParams limit = params;
      std::vector<int64_t> bytes(size_t(small.count()));
      if (params.memoryBytes) {
        for (size_t b = 0; b < into->size(); ++b)
          bytes[size_t((*into)[b])] += (*params.bytes)[b];
        limit.bytes = &bytes;
      }
      const double before = bestLoad;
      for (int way = 0; way < ways && bestLoad >= before; ++way) {
        const Stages found =
            anneal(small, Stages(size_t(small.count()), 0), limit,
                   warmWork(small), seed++, heatOf(way));
        Stages opened(into->size());
        for (size_t b = 0; b < opened.size(); ++b)
          opened[b] = found[size_t((*into)[b])];
        take(opened);
      }
      if (bestLoad >= before)
        return;
    }
  }

  /// Whether next to nothing can be gained.
  bool isNearWork() const {
    constexpr double kNear = 1.002;
    return bestLoad * params.stages <= kNear * unions.totalSeconds;
  }

  std::optional<Stages> best;

private:
  static int64_t warmWork(const StageGraph &graph) {
    const int64_t count = graph.count();
    return std::min<int64_t>(10'000'000, 1'000 * count * count);
  }
  static Heat heatOf(int way) {
    constexpr Heat heats[] = {{2, 3}, {8, 2}, {2, 4}, {8, 3}, {2, 2}};
    return heats[way % 5];
  }

  double loadOf(const StageGraph &graph, const Stages &stages) const {
    return largestLoad(graph, stages, params.stages, params.transfersOverlap);
  }

  static bool hasRoom(const StageGraph &graph, const SplitParams &params,
                      const Stages &stages) {
    if (!params.memoryBytes)
      return true;
    std::vector<int64_t> used(size_t(params.stages));
    for (int b = 0; b < graph.count(); ++b)
      used[size_t(stages[size_t(b)])] += (*params.bytes)[size_t(b)];
    return *std::max_element(used.begin(), used.end()) <= *params.memoryBytes;
  }

  /// The best cut of some orders.
  std::optional<Stages> begin(const StageGraph &graph,
                              const SplitParams &limit) const {
    std::optional<Stages> found;
    SplitParams cut = limit;
    for (const std::vector<int> &order : unionOrders(graph))
      if (auto stages = splitOrder(graph, order, cut)) {
        cut.below = loadOf(graph, *stages);
        found = std::move(stages);
      }
    return found;
  }

  const StageGraph &unions;
  SplitParams params;
  double bestLoad = std::numeric_limits<double>::infinity();
};

} // namespace

std::optional<Stages> placement::freeStages(const StageGraph &unions,
                                            const SplitParams &params,
                                            const std::optional<Stages> &known,
                                            int rounds) {
  FreeSearch search(unions, params);
  if (known)
    search.take(*known);
  // Half of the work of so many rounds goes to rounds, the rest, and as much
  // again, to long ways down: some end in much better places than others. A few
  // rounds are all rounds.
  constexpr int kFewRounds = 8;
  const int levels = rounds < kFewRounds ? rounds : (rounds + 1) / 2;
  for (int round = 0; round < levels && !search.isNearWork(); ++round)
    search.round(uint64_t(round));
  constexpr int kRoundsPerWay = 4;
  for (int way = 0; way < 3 * (rounds - levels) / kRoundsPerWay; ++way)
    if (!search.isNearWork())
      search.boil(uint64_t(way), kRoundsPerWay, way % 4 == 3 ? 2 : 3);
  constexpr int kMostBlocks = 2'000; // of more, short ways say nothing
  if (rounds >= kFewRounds && unions.count() <= kMostBlocks) {
    constexpr int kWays = 15;
    constexpr uint64_t kSeed = 1000;
    search.warm(kSeed, kWays);
    search.reduce(2 * kSeed, kWays);
  }
  return search.best;
}
