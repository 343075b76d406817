// Proofs by prices of blocks, and what they are made of: against known
// fractional covers, and all sets and all placements of small graphs.
#include "compiler/placement/CoverPrices.h"
#include "compiler/placement/HeaviestSet.h"
#include "compiler/placement/HeavySets.h"
#include "compiler/placement/PriceProof.h"
#include "compiler/placement/StageBound.h"
#include "dialects/support/Random.h"
#include "test/compiler/placement/Exhaustive.h"
#include "test/compiler/placement/RandomProblems.h"

#include <catch2/catch.hpp>

using namespace smex::placement;
using namespace smex::placement::test;

namespace {

constexpr double kMore = 1 + 1e-6, kLess = 1 - 1e-6;

double totalOf(int blocks, const std::vector<std::vector<int>> &sets) {
  CoverPrices prices(blocks);
  for (const auto &set : sets)
    prices.add(set);
  int64_t work = 1'000'000'000;
  REQUIRE(prices.solve(work));
  for (const auto &set : sets) {
    double sum = 0;
    for (int block : set)
      sum += prices.prices()[size_t(block)];
    CHECK(sum <= kMore);
  }
  for (double price : prices.prices()) {
    CHECK(price >= 0);
    CHECK(price <= kMore);
  }
  return prices.total();
}

/// Those with blocks that take time.
template <typename Use> void forRandomGraphs(int count, Use &&use) {
  constexpr int kRates = 6;
  forRandomProblems(count, kRates, [&](const Problem &problem, Random &random) {
    const StageGraph unions(problem, Blocks::OfAnyPlacement);
    if (unions.totalSeconds > 0)
      use(problem, unions, random);
  });
}

/// The load of each set of blocks, by its bits.
std::vector<double> loadsOfSets(const Problem &problem,
                                const StageGraph &unions) {
  std::vector<double> loads(size_t(1) << unions.count());
  for (size_t set = 0; set < loads.size(); ++set) {
    Stages stages(size_t(unions.count()), 1);
    for (int b = 0; b < unions.count(); ++b)
      if (set >> b & 1)
        stages[size_t(b)] = 0;
    loads[set] = naiveLoad(problem, unions.placement(stages), 0, false);
  }
  return loads;
}

double weightOf(size_t set, const std::vector<double> &weights) {
  double sum = 0;
  for (size_t b = 0; b < weights.size(); ++b)
    sum += set >> b & 1 ? weights[b] : 0;
  return sum;
}

size_t bitsOf(const std::vector<int> &set) {
  size_t bits = 0;
  for (int block : set)
    bits |= size_t(1) << block;
  return bits;
}

double leastLoadOf(const Problem &problem) {
  double best = std::numeric_limits<double>::infinity();
  forEachPlacement(problem, [&](const Placement &placement) {
    best = std::min(best, naiveLargestLoad(problem, placement, false));
  });
  return best;
}

} // namespace

TEST_CASE("covers whose fractions are known") {
  CHECK(totalOf(3, {}) == Approx(3));
  CHECK(totalOf(3, {{0, 1, 2}}) == Approx(1));
  CHECK(totalOf(3, {{0, 1}, {1, 2}, {2, 0}}) == Approx(1.5));
  // A circle of five, in pairs.
  CHECK(totalOf(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}}) == Approx(2.5));
  // The seven lines of the Fano plane.
  CHECK(totalOf(7, {{0, 1, 2},
                    {0, 3, 4},
                    {0, 5, 6},
                    {1, 3, 5},
                    {1, 4, 6},
                    {2, 3, 6},
                    {2, 4, 5}}) == Approx(7.0 / 3));
  CHECK(totalOf(4, {{0, 1, 2}, {2, 3}}) == Approx(2));
}

TEST_CASE("prices of all triples, and where there is no time") {
  constexpr int kBlocks = 20;
  CoverPrices prices(kBlocks);
  for (int a = 0; a < kBlocks; ++a)
    for (int b = a + 1; b < kBlocks; ++b)
      for (int c = b + 1; c < kBlocks; ++c)
        prices.add({a, b, c});
  int64_t work = 0;
  CHECK(!prices.solve(work));
  work = 1'000'000'000;
  REQUIRE(prices.solve(work));
  CHECK(work < 1'000'000'000);
  CHECK(prices.total() == Approx(kBlocks / 3.0));
}

TEST_CASE("no set is heavier than the bound, and sets that are found exist") {
  int isReached = 0, asked = 0, isHeaviest = 0, isSought = 0, none = 0;
  forRandomGraphs(150, [&](const Problem &problem, const StageGraph &unions,
                           Random &random) {
    const std::vector<double> loads = loadsOfSets(problem, unions);
    const double load = unions.totalSeconds * double(2 + random.below(8)) / 8;
    int64_t work = 1'000'000'000;
    const ForcedApart forced = forcedApart(unions, load, work);
    HeaviestSet heaviest(unions, forced, load);
    heaviest.limitWork(work);
    HeavySets heavy(unions, load);
    std::vector<double> weights;
    std::vector<char> among;
    for (int b = 0; b < unions.count(); ++b) {
      weights.push_back(double(random.below(5)) / 8);
      among.push_back(random.chance(80));
    }
    heaviest.weigh(weights);
    for (int b = 0; b < unions.count(); ++b) {
      const bool isLimited = random.chance(50);
      double most = -1, mostAt = -1; // mostAt: of just this load, too
      for (size_t set = 0; set < loads.size(); ++set) {
        bool isAsked = set >> b & 1;
        for (int other = 0; other < unions.count() && isLimited; ++other)
          isAsked = isAsked &&
                    (other == b || among[size_t(other)] || !(set >> other & 1));
        if (isAsked && loads[set] < load)
          most = std::max(most, weightOf(set, weights));
        if (isAsked && loads[set] <= load * kMore)
          mostAt = std::max(mostAt, weightOf(set, weights));
      }
      const auto found =
          heaviest.around({b, 100, 0, isLimited ? &among : nullptr});
      ++asked;
      REQUIRE(found.most >= most * kLess);
      REQUIRE((!found.isNone || most < 0));
      // The flattest line that bounds it still has a slope.
      isReached += found.most <= std::max(most, 0.0) + 2e-3;
      none += found.isNone;
      if (!found.set.empty()) {
        REQUIRE(loads[bitsOf(found.set)] <= load * kMore);
        REQUIRE(weightOf(bitsOf(found.set), weights) <= mostAt * kMore);
      }
      if (isLimited || most < 0)
        continue;
      ++isSought;
      const std::vector<int> near =
          heavy.around(b, weights, smex::Random(7, "test"));
      if (!near.empty()) {
        REQUIRE(std::count(near.begin(), near.end(), b) == 1);
        REQUIRE(loads[bitsOf(near)] < load * kMore);
        isHeaviest += weightOf(bitsOf(near), weights) >= most * kLess;
      }
    }
  });
  CAPTURE(isReached, asked, isHeaviest, isSought, none);
  CHECK(isReached * 20 > asked * 19);
  CHECK(isHeaviest * 4 > isSought * 3);
  CHECK(none > 20);
}

TEST_CASE("prices prove no load that some placement has") {
  int proven = 0, tried = 0;
  forRandomGraphs(200, [&](const Problem &problem, const StageGraph &unions,
                           Random &) {
    const double best = leastLoadOf(problem);
    const auto prove = [&](double load) {
      int64_t work = 1'000'000'000;
      return proveByPrices(unions, problem.devices.count, load, 1, work)
          .isProven;
    };
    REQUIRE(!prove(best * kMore));
    REQUIRE(!prove(best * 1.25));
    ++tried;
    proven += prove(best * 0.9);
    int64_t none = 0;
    REQUIRE(!proveByPrices(unions, problem.devices.count, best * kMore, 1, none)
                 .isProven);
    StageBoundParams params;
    params.stages = problem.devices.count;
    params.reached = best * 1.5;
    params.proofWork = 0;
    REQUIRE(stageBound(unions, params) <= best * kMore);
  });
  CAPTURE(proven, tried);
  CHECK(proven * 3 > tried * 2);
}

TEST_CASE("three large blocks do not go on two devices by halves") {
  // Nine of 1 s in three groups that are costly to part, on two devices. By
  // work alone a device has 4.5 s.
  TaskGraph graph;
  for (int i = 0; i < 9; ++i)
    addTask(graph, 1, 8);
  for (int i = 0; i < 9; i += 3) {
    graph.edges.push_back({i, i + 1, 8});
    graph.edges.push_back({i + 1, i + 2, 8});
  }
  const Devices devices = devicesOf(2, 8, 0);
  const Problem problem(graph, devices);
  const StageGraph unions(problem, Blocks::OfAnyPlacement);
  CHECK(leastLoadOf(problem) == Approx(6));
  int64_t work = 1'000'000'000;
  CHECK(proveByPrices(unions, 2, 4.9, 1, work).isProven);
  CHECK(!proveByPrices(unions, 2, 6.1, 1, work).isProven);
}
