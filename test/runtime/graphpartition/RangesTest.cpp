#include "runtime/graphpartition/Ranges.h"
#include "test/runtime/graph/Graphs.h"

#include <algorithm>

using namespace smex;
using namespace smex::graph;
using namespace smex::graphpartition;

namespace {

/// Of each vertex a number.
class ListedCost : public CostBefore {
public:
  explicit ListedCost(const std::vector<double> &costs) : sums(1, 0.) {
    for (double cost : costs)
      sums.push_back(sums.back() + cost);
  }
  int64_t vertices() const override { return int64_t(sums.size()) - 1; }
  double before(int64_t v) const override { return sums[size_t(v)]; }

private:
  std::vector<double> sums;
};

double most(const CostBefore &cost, const Bounds &bounds) {
  const std::vector<double> costs = costsOf(cost, bounds);
  return *std::max_element(costs.begin(), costs.end());
}

/// The costliest range of the best division, by trying all of them.
double byEnumeration(const CostBefore &cost, int64_t first, int64_t parts) {
  if (parts == 1)
    return cost.of(first, cost.vertices());
  double best = cost.of(first, cost.vertices());
  for (int64_t end = first; end <= cost.vertices(); ++end)
    best = std::min(best, std::max(cost.of(first, end),
                                   byEnumeration(cost, end, parts - 1)));
  return best;
}

bool areBounds(const Bounds &bounds, int64_t parts, int64_t vertices) {
  return int64_t(bounds.size()) == parts + 1 && bounds.front() == 0 &&
         bounds.back() == vertices &&
         std::is_sorted(bounds.begin(), bounds.end());
}

/// Costs of vertices: free ones, like ones, hubs.
std::vector<double> drawCosts(Die &die) {
  std::vector<double> costs(size_t(die.below(12)));
  for (double &cost : costs)
    cost = double(std::max<int64_t>(die.below(7) - 1, 0)) *
           (die.below(5) ? 1. : 10.);
  return costs;
}

template <typename Check> void onCosts(Check check) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    INFO("seed " << seed);
    Die die{std::mt19937(seed)};
    const std::vector<double> costs = drawCosts(die);
    check(costs, 1 + die.below(5), die);
  }
}

} // namespace

TEST_CASE("the least costliest range is that of all divisions") {
  onCosts([](const std::vector<double> &costs, int64_t parts, Die &) {
    const ListedCost cost(costs);
    const Bounds bounds = leastMaximum(cost, parts);
    REQUIRE(areBounds(bounds, parts, cost.vertices()));
    CHECK(most(cost, bounds) == byEnumeration(cost, 0, parts));
  });
}

TEST_CASE("cut at crossings, a range costs its share and one vertex at most") {
  onCosts([](const std::vector<double> &costs, int64_t parts, Die &) {
    const ListedCost cost(costs);
    const Bounds bounds = cutAtCrossings(cost, parts);
    REQUIRE(areBounds(bounds, parts, cost.vertices()));
    const double total = cost.of(0, cost.vertices());
    const double costliest =
        costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end());
    CHECK(most(cost, bounds) <= total / double(parts) + costliest + 1e-9);
    // Each bound is the vertex nearest to where the cost crosses.
    for (int64_t part = 1; part < parts; ++part) {
      const auto off = [&](int64_t vertex) {
        return std::abs(cost.before(vertex) -
                        total * double(part) / double(parts));
      };
      double least = off(0);
      for (int64_t vertex = 1; vertex <= cost.vertices(); ++vertex)
        least = std::min(least, off(vertex));
      CHECK(off(bounds[size_t(part)]) == Approx(least).margin(1e-9));
    }
  });
}

TEST_CASE("equal costs are cut evenly") {
  const ListedCost cost(std::vector<double>(12, 0.1));
  CHECK(cutAtCrossings(cost, 4) == Bounds{0, 3, 6, 9, 12});
  CHECK(leastMaximum(cost, 4) == Bounds{0, 3, 6, 9, 12});
}

TEST_CASE("fewer vertices than workers leave some without") {
  const ListedCost cost({1, 1});
  for (const Bounds &bounds :
       {cutAtCrossings(cost, 5), leastMaximum(cost, 5)}) {
    REQUIRE(areBounds(bounds, 5, 2));
    CHECK(most(cost, bounds) == 1);
  }
  const ListedCost none({});
  CHECK(leastMaximum(none, 3) == Bounds{0, 0, 0, 0});
  CHECK(cutAtCrossings(none, 3) == Bounds{0, 0, 0, 0});
}

TEST_CASE("ranges of fewer steps are unions of those of more") {
  onCosts([](const std::vector<double> &costs, int64_t, Die &die) {
    const ListedCost cost(costs);
    std::vector<int64_t> ways;
    Bounds coarser = {0, cost.vertices()};
    for (int step = 0; step < 3; ++step) {
      ways.push_back(2 + die.below(2));
      const Bounds finer = cutInSteps(cost, ways);
      REQUIRE(areBounds(finer, int64_t(coarser.size() - 1) * ways.back(),
                        cost.vertices()));
      for (size_t i = 0; i < coarser.size(); ++i)
        CHECK(finer[i * size_t(ways.back())] == coarser[i]);
      coarser = finer;
    }
  });
}

TEST_CASE("imbalance is the costliest over the mean") {
  CHECK(imbalance({1, 1, 1}) == 1);
  CHECK(imbalance({1, 3, 2}) == 1.5);
  CHECK(imbalance({0, 0}) == 1);
}
