#include "compiler/placement/PriceProof.h"

#include "compiler/placement/CoverPrices.h"
#include "compiler/placement/HeaviestSet.h"
#include "compiler/placement/HeavySets.h"
#include "dialects/support/Random.h"

using namespace smex;
using namespace smex::placement;

namespace {

constexpr double kRounding = 1e-9;
constexpr double kOver = 1e-3; // by which sets are worth to be told of

class Pricing {
public:
  Pricing(const StageGraph &graph, int devices, double load, int64_t work)
      : graph(graph), devices(devices), mostWork(work), left(work),
        forced(forcedApart(graph, load, left)), cuts(graph, forced, load),
        heavy(graph, load), prices(graph.count()), load(load) {
    cuts.limitWork(left);
  }

  PriceAnswer run(double margin) {
    for (double least : forced.leastLoad)
      if (least >= load)
        return {true, 0};
    constexpr int kMostRounds = 12;
    for (int round = 0; round < kMostRounds && !isOver(); ++round) {
      if (!settle(margin * devices))
        break;
      if (bound())
        return {true, prices.total()};
    }
    return {false, prices.total()};
  }

  int64_t used() const {
    // What cuts look at lies farther apart in memory.
    return mostWork - left + cuts.work() + (solving + heavy.work) / 2;
  }

private:
  bool isOver() const { return used() >= mostWork; }

  double priceOf(const std::vector<int> &set) const {
    double sum = 0;
    for (int block : set)
      sum += prices.prices()[size_t(block)];
    return sum;
  }

  /// Looks for sets with prices of more than 1 until there seem to be none.
  /// False if time is over, or so many devices pay for all blocks.
  bool settle(double enough) {
    constexpr int kMostLooks = 60, kIdleLooks = 2;
    for (int look = 0, idle = 0; look < kMostLooks && idle < kIdleLooks;
         ++look) {
      int64_t rest = mostWork - used();
      const int64_t before = rest;
      const bool isSolved = prices.solve(rest);
      solving += before - rest;
      if (!isSolved || prices.total() <= enough)
        return false;
      const std::vector<double> now = prices.prices();
      bool isNew = false;
      for (int b = 0; b < graph.count() && !isOver(); ++b) {
        std::vector<int> set =
            heavy.around(b, now, Random(seed++, "heavy sets"));
        if (priceOf(set) <= 1 + kOver)
          continue;
        prices.add(std::move(set));
        isNew = true;
      }
      idle = isNew ? 0 : idle + 1;
    }
    return !isOver();
  }

  /// Whether cuts prove that prices of sets are small enough. Sets that they
  /// find are added.
  bool bound() {
    constexpr int kParts = 200, kManyFailures = 10;
    const std::vector<double> &weights = prices.prices();
    const double enough = prices.total() / devices * (1 - 1e-6);
    cuts.weigh(weights);
    // Each set has a first block: cuts around one leave out those before it.
    std::vector<char> among(weights.size(), true);
    int failures = 0;
    for (int b = 0; b < graph.count() && failures < kManyFailures; ++b) {
      if (weights[size_t(b)] <= 0)
        continue;
      auto found = cuts.around({b, kParts, enough, &among});
      among[size_t(b)] = false;
      failures += found.most > enough;
      if (priceOf(found.set) > 1 + kOver)
        prices.add(std::move(found.set));
    }
    return failures == 0;
  }

  const StageGraph &graph;
  const int devices;
  const int64_t mostWork;
  int64_t left;
  const ForcedApart forced;
  HeaviestSet cuts;
  HeavySets heavy;
  CoverPrices prices;
  const double load;
  int64_t solving = 0; // work of it
  uint64_t seed = 0;
};

} // namespace

PriceAnswer placement::proveByPrices(const StageGraph &graph, int devices,
                                     double load, double margin,
                                     int64_t &work) {
  if (load <= 0)
    return {true, 0};
  Pricing pricing(graph, devices, load, work);
  const PriceAnswer answer = pricing.run(margin);
  work -= pricing.used();
  return answer;
}
