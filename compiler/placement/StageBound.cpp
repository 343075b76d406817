#include "compiler/placement/StageBound.h"

#include "compiler/placement/BlockCapacity.h"
#include "compiler/placement/ForcedBlocks.h"
#include "compiler/placement/PriceProof.h"
#include "compiler/placement/StageClusters.h"
#include "compiler/placement/StagePatterns.h"
#include "compiler/placement/StageProof.h"

#include <cmath>
#include <numeric>
#include <optional>

using namespace smex;
using namespace smex::placement;

namespace {

/// Of the j*K + 1 largest blocks, j + 1 are in one stage.
double crowding(const StageGraph &graph, int stages) {
  std::vector<double> sizes = graph.seconds;
  std::sort(sizes.begin(), sizes.end(), std::greater<double>());
  double most = 0;
  for (size_t j = 0; j * size_t(stages) < sizes.size(); ++j) {
    double sum = 0;
    for (size_t i = 0; i <= j; ++i)
      sum += sizes[j * size_t(stages) - i];
    most = std::max(most, sum);
    if (j > 64) // from here on it is no more than the mean
      break;
  }
  return most;
}

/// Which blocks can be in a stage with a block, in a split into stages in order
/// of loads up to `most`: what lies between the two has to be there, too.
class Companions {
public:
  Companions(const StageGraph &graph, double most)
      : graph(graph), most(most), words((size_t(graph.count()) + 63) / 64),
        above(size_t(graph.count())), state(size_t(graph.count())) {
    const size_t count = size_t(graph.count());
    position.resize(count);
    for (size_t p = 0; p < count; ++p)
      position[size_t(graph.order[p])] = int(p);
    exact = count <= kMostExact;
    if (!exact)
      return;
    ancestors.resize(count * words);
    for (int block : graph.order)
      for (int b : graph.before[size_t(block)]) {
        uint64_t *mine = &ancestors[size_t(block) * words];
        const uint64_t *theirs = &ancestors[size_t(b) * words];
        for (size_t w = 0; w < words; ++w)
          mine[w] |= theirs[w];
        const size_t p = size_t(position[size_t(b)]);
        mine[p / 64] |= uint64_t(1) << (p % 64);
      }
  }

  std::vector<char> of(int block) {
    std::vector<char> mayJoin(size_t(graph.count()), true);
    // Later blocks, in order; then earlier ones.
    walk(block, graph.before, true, mayJoin);
    walk(block, graph.after, false, mayJoin);
    return mayJoin;
  }

  int64_t work = 0; // edges looked at so far, and sets of 64 blocks

private:
  static constexpr size_t kMostExact = 12'000;
  enum : char { Unrelated, Near, Far };

  void walk(int block, const std::vector<std::vector<int>> &towards,
            bool forward, std::vector<char> &mayJoin) {
    std::fill(state.begin(), state.end(), Unrelated);
    state[size_t(block)] = Near;
    above[size_t(block)] = graph.seconds[size_t(block)];
    const int count = graph.count(), step = forward ? 1 : -1;
    for (int p = position[size_t(block)] + step; p >= 0 && p < count;
         p += step) {
      const int other = graph.order[size_t(p)];
      char now = Unrelated;
      double longest = 0;
      work += 1 + int64_t(towards[size_t(other)].size());
      for (int b : towards[size_t(other)]) {
        now = std::max(now, state[size_t(b)]);
        if (state[size_t(b)] == Near)
          longest = std::max(longest, above[size_t(b)]);
      }
      if (now == Near) {
        above[size_t(other)] = longest + graph.seconds[size_t(other)];
        if (above[size_t(other)] > most ||
            (exact &&
             between(forward ? block : other, forward ? other : block) > most))
          now = Far;
      }
      state[size_t(other)] = now;
      if (now == Far)
        mayJoin[size_t(other)] = false;
    }
  }

  /// Work of the two and of all on paths from the first to the last.
  double between(int first, int last) {
    double sum = graph.seconds[size_t(first)] + graph.seconds[size_t(last)];
    const uint64_t *inner = &ancestors[size_t(last) * words];
    const size_t start = size_t(position[size_t(first)]);
    const size_t end = size_t(position[size_t(last)]);
    for (size_t w = start / 64; w <= end / 64 && sum <= most; ++w, ++work)
      for (uint64_t bits = inner[w]; bits; bits &= bits - 1, ++work) {
        const int b = graph.order[w * 64 + size_t(__builtin_ctzll(bits))];
        const uint64_t *theirs = &ancestors[size_t(b) * words];
        if (theirs[start / 64] >> (start % 64) & 1)
          sum += graph.seconds[size_t(b)];
      }
    return sum;
  }

  const StageGraph &graph;
  const double most;
  const size_t words;
  bool exact = false;
  std::vector<int> position;
  std::vector<uint64_t> ancestors; // by block, bits by position
  std::vector<double> above;
  std::vector<char> state;
};

/// The largest load that is proven to be too small, by halving what lies
/// between `known` and what is reached.
double provenBound(const StageGraph &graph, const StageBoundParams &params,
                   double known) {
  constexpr double kClose = 0.997, kRounding = 1e-9;
  constexpr int kMostBlocks = 1'500;
  int64_t work = params.proofWork;
  // Of a few blocks, the load that was reached may be the smallest; of more,
  // there is mostly no time for proofs of the last percents.
  constexpr int kFewBlocks = 40;
  constexpr double kNearReached = 1 / 1.04;
  double enough = params.reached;
  double load = graph.count() <= kFewBlocks
                    ? enough * (1 - kRounding)
                    : std::max(kNearReached * enough, (known + enough) / 2);
  // What a load forces together, smaller ones do, too.
  std::optional<StageGraph> small(graph);
  constexpr int kMostRounds = 50; // of loads that are 0, all fail
  for (int round = 0; round < kMostRounds && work > params.proofWork / 20;
       ++round) {
    int64_t share = work / 3;
    const int64_t before = share;
    bool isProven = false;
    if (const auto clusters = forcedTogether(*small, load, share)) {
      StageGraph next = contract(*small, *clusters);
      if (next.count() <= kMostBlocks && share > 0)
        isProven = proveLoad(next, params.stages, load, share) == Proof::Holds;
      if (!isProven)
        small.emplace(std::move(next));
    } else {
      isProven = true;
    }
    work -= before - share;
    (isProven ? known : enough) = load;
    if (known >= kClose * enough)
      break;
    load = known + (enough - known) / 2;
  }
  return known * (1 - kRounding);
}

/// The same by prices of blocks, which take longer, where that leaves more than
/// is aimed at.
double pricedBound(const StageGraph &graph, const StageBoundParams &params,
                   double known) {
  constexpr double kAim = 1 / 1.05, kRounding = 1e-9;
  constexpr int kMostBlocks = 400, kMostTries = 8;
  constexpr double kMargin = 1.08, kNarrow = 1.02, kGoal = 1.12;
  int64_t work = params.priceWork;
  // Loads just below what was reached are the hardest to prove too small: where
  // prices say that little is left, a smaller one is tried first.
  double enough = params.reached, load = enough / 1.045, margin = kMargin;
  for (int tried = 0; tried < kMostTries && known < kAim * params.reached &&
                      work > params.priceWork / 10;
       ++tried) {
    const auto clusters = forcedTogether(graph, load, work);
    PriceAnswer answer{true, 0};
    if (clusters) {
      const StageGraph small = contract(graph, *clusters);
      if (small.count() > kMostBlocks)
        break;
      answer = proveByPrices(small, params.stages, load, margin, work);
    }
    (answer.isProven ? known : enough) = load;
    if (answer.isProven)
      margin = kNarrow;
    // The number of devices rises about as the load falls.
    const double ratio = answer.devices / params.stages;
    load = (known + enough) / 2;
    if (!answer.isProven && ratio < kGoal)
      load = std::max(load, enough * std::pow(ratio / kGoal, 0.7));
    if (enough < known * 1.01)
      break;
  }
  return known * (1 - kRounding);
}

} // namespace

double placement::stageBound(const StageGraph &graph,
                             const StageBoundParams &params) {
  double bound = std::max(graph.totalSeconds / params.stages,
                          crowding(graph, params.stages));
  bound = std::min(bound, params.reached);
  if (params.transfersOverlap || params.stages < 2 || bound >= params.reached)
    return bound;
  // Those with the most work say the most.
  std::vector<int> order(size_t(graph.count()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return graph.seconds[size_t(a)] > graph.seconds[size_t(b)];
  });
  BlockCapacities capacities(graph);
  capacities.limitWork(params.work);
  std::optional<Companions> companions;
  if (params.inOrder)
    companions.emplace(graph, params.reached);
  std::vector<BlockCapacity> known(size_t(graph.count()));
  const std::vector<char> all(size_t(graph.count()), true);
  for (int block : order) {
    if (capacities.work() + (companions ? companions->work : 0) > params.work)
      break;
    if (companions)
      known[size_t(block)] =
          capacities.of({block}, params.reached, companions->of(block));
    else
      known[size_t(block)] = capacities.of({block}, params.reached, all);
    bound = std::max(bound, known[size_t(block)].leastLoad * (1 - 1e-9));
  }
  const auto stagesFor = [&](double load) {
    double stages = 0;
    for (int b = 0; b < graph.count(); ++b)
      if (const double work = graph.seconds[size_t(b)]; work > 0) {
        const double capacity = known[size_t(b)].at(load);
        if (capacity < work * (1 - 1e-9))
          return double(params.stages) + 1;
        stages += work / capacity;
      }
    return stages;
  };
  double enough = params.reached;
  if (stagesFor(enough) > params.stages * (1 + 1e-9)) // rounding
    return params.reached;
  for (int round = 0; round < 50 && bound < enough; ++round) {
    const double load = (bound + enough) / 2;
    (stagesFor(load) > params.stages * (1 + 1e-9) ? bound : enough) = load;
  }
  bound = std::min(bound, params.reached);
  constexpr double kNear = 0.99;
  constexpr int kMostForPatterns = 300'000; // blocks
  if (bound > kNear * params.reached || graph.count() > kMostForPatterns)
    return bound;
  bound = patternBound(graph, capacities, params, bound, [&](int block) {
    return companions ? companions->of(block) : all;
  });
  constexpr int kMostForProofs = 5'000;
  if (bound > kNear * params.reached || params.inOrder ||
      graph.count() > kMostForProofs)
    return bound;
  bound = std::max(bound, provenBound(graph, params, bound));
  return std::max(bound, pricedBound(graph, params, bound));
}
