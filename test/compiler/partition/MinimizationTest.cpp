// Elimination of one variable after another, against all assignments.
#include "compiler/partition/Factors.h"
#include "test/compiler/partition/RandomGraph.h"

#include <catch2/catch.hpp>

using namespace smex::partition::network;
using smex::partition::test::Random;

namespace {

/// What costs are like.
enum class Kind {
  Bytes,  // as in a lower bound
  Ties,   // as in a step
  Mixed,  // some tables have ties
  Large,  // the sum of two is not exact as a double, and often odd
  Signed, // less than nothing, too
};

std::vector<Cost> randomCosts(Random &random, Kind kind, int64_t count) {
  const bool ties =
      kind == Kind::Ties || (kind == Kind::Mixed && random.chance(50));
  std::vector<Cost> costs;
  for (int64_t i = 0; i < count; ++i) {
    Cost cost{random.below(50), ties ? random.below(3) : 0};
    if (kind == Kind::Large)
      cost.bytes += int64_t(1) << 53;
    if (kind == Kind::Signed)
      cost.bytes -= 25;
    costs.push_back(cost);
  }
  return costs;
}

/// Calls `visit` with all values of the variables, the last one the fastest.
template <typename Visit>
void forAll(const std::vector<int> &sizes, std::vector<int> &values,
            const std::vector<int> &variables, size_t next, Visit visit) {
  if (next == variables.size())
    return visit();
  int &value = values[variables[next]];
  for (value = 0; value < sizes[variables[next]]; ++value)
    forAll(sizes, values, variables, next + 1, visit);
}

/// Eliminates all variables but one, in ascending order, comparing each entry.
void check(Random &random, Kind kind, int maxDomain) {
  FactorGraph graph;
  const int64_t count = random.between(1, 5);
  for (int64_t v = 0; v < count; ++v)
    graph.sizes.push_back(int(random.between(1, maxDomain)));
  Tables tables;
  const int64_t factors = random.between(1, 6);
  for (int64_t f = 0; f < factors; ++f) {
    std::vector<int> scope;
    for (int v = 0; v < int(count); ++v)
      if (random.chance(60))
        scope.push_back(v);
    const int table =
        tables.given(randomCosts(random, kind, tableSize(graph.sizes, scope)));
    graph.factors.push_back({std::move(scope), table});
  }
  std::vector<int> values(count), order(count);
  for (size_t v = 0; v < order.size(); ++v)
    order[v] = int(v);
  for (size_t i = order.size(); i-- > 1;)
    std::swap(order[i], order[size_t(random.below(int64_t(i) + 1))]);
  for (int x : order) {
    std::vector<Factor> bucket, rest;
    for (Factor &factor : graph.factors)
      (std::binary_search(factor.scope.begin(), factor.scope.end(), x) ? bucket
                                                                       : rest)
          .push_back(std::move(factor));
    graph.factors = std::move(rest);
    if (bucket.empty())
      continue;
    const std::vector<int> scope = otherVariables(x, bucket);
    std::vector<Tables::Elimination> scheduled;
    const Factor left = tables.schedule(x, graph.sizes, bucket, scheduled);
    REQUIRE(left.scope == scope);
    for (const Tables::Elimination &elimination : scheduled)
      tables.compute(elimination, graph.sizes);
    forAll(graph.sizes, values, scope, 0, [&] {
      Cost least;
      for (values[x] = 0; values[x] < graph.sizes[x]; ++values[x]) {
        Cost cost;
        for (const Factor &factor : bucket)
          cost += tables.at(factor, graph.sizes, values);
        if (values[x] == 0 || cost < least)
          least = cost;
      }
      if (!(tables.at(left, graph.sizes, values) == least))
        FAIL("not the least cost");
    });
    graph.factors.push_back(left);
  }
}

} // namespace

TEST_CASE("what elimination leaves costs the least") {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    // Domains small and large: rows of one variable and of several.
    check(random, Kind(seed % 5), seed % 3 == 0 ? 11 : seed % 3 == 1 ? 5 : 3);
  }
}

TEST_CASE("eliminated tables are given as costs to whoever asks for these") {
  Tables tables;
  const std::vector<int> sizes{2, 3};
  const int table =
      tables.given({{5, 0}, {1, 0}, {7, 0}, {2, 0}, {4, 0}, {3, 0}});
  const Factor left = tables.eliminate(0, sizes, {{{0, 1}, table}});
  CHECK(tables.costs(left.table) == std::vector<Cost>{{2, 0}, {1, 0}, {3, 0}});
  CHECK(tables.bytes(left.table).empty());
  CHECK(tables.eliminate(0, sizes, {{{0, 1}, table}}).table == left.table);
}
