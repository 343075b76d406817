#include "compiler/partition/CostNetwork.h"
#include "test/compiler/partition/RandomGraph.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::partition::network;
using smex::partition::test::Random;

namespace {

Problem randomProblem(Random &random, int maxVariables, int maxDomain) {
  Problem problem;
  const int64_t variables = random.between(1, maxVariables);
  for (int64_t v = 0; v < variables; ++v)
    problem.domains.push_back(int(random.between(1, maxDomain)));
  // Few different costs make many ties.
  const int64_t most = random.chance(50) ? 3 : 100;
  const auto costs = [&](int64_t count) {
    std::vector<Cost> result;
    for (int64_t i = 0; i < count; ++i)
      result.push_back({random.below(most), random.below(most)});
    return result;
  };
  for (int64_t v = 0; v < variables; ++v)
    if (random.chance(30))
      problem.unaries.push_back({int(v), costs(problem.domains[v])});
  for (int a = 0; a < variables; ++a)
    for (int b = 0; b < variables; ++b) {
      if (a == b || !random.chance(25))
        continue;
      const int rows = problem.domains[a], columns = problem.domains[b];
      int table = int(problem.tables.size());
      for (size_t t = 0; t < problem.tables.size(); ++t) // shared
        if (problem.tables[t].rows == rows &&
            problem.tables[t].columns == columns && random.chance(40))
          table = int(t);
      if (table == int(problem.tables.size()))
        problem.tables.push_back(
            {rows, columns, costs(int64_t(rows) * columns)});
      problem.binaries.push_back({a, b, table});
    }
  return problem;
}

Cost leastCost(const Problem &problem) {
  std::vector<int> values(problem.domains.size());
  Cost least = evaluate(problem, values);
  while (true) {
    size_t v = 0;
    while (v < values.size() && ++values[v] == problem.domains[v])
      values[v++] = 0;
    if (v == values.size())
      return least;
    const Cost cost = evaluate(problem, values);
    if (cost < least)
      least = cost;
  }
}

/// A row of `length` variables with two values; neighbours want to differ.
Problem alternating(int length) {
  Problem problem;
  problem.domains.assign(length, 2);
  problem.tables.push_back({2, 2, {{1, 0}, {0, 0}, {0, 0}, {1, 0}}});
  for (int v = 0; v + 1 < length; ++v)
    problem.binaries.push_back({v, v + 1, 0});
  return problem;
}

} // namespace

TEST_CASE("elimination finds the least cost of random networks") {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Problem problem = randomProblem(random, 8, 4);
    REQUIRE(validate(problem));
    const Solution solution = solve(problem);
    REQUIRE(validate(problem, solution));
    REQUIRE(solution.optimal);
    REQUIRE(solution.cost == leastCost(problem));
    REQUIRE(lowerBound(problem) == solution.cost);
  }
}

TEST_CASE("a bounded search brackets the least cost") {
  int optimal = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Problem problem = randomProblem(random, 9, 3);
    const Cost least = leastCost(problem);
    Params params;
    params.maxTableEntries = 1;
    params.maxBoundEntries = random.between(1, 9);
    params.maxPartEntries = random.between(1, 9);
    const Solution solution = solve(problem, params);
    REQUIRE(validate(problem, solution));
    REQUIRE(!(least < solution.lowerBound));
    REQUIRE(!(solution.cost < least));
    REQUIRE(!(least < lowerBound(problem, params)));
    optimal += solution.cost == least;
  }
  INFO(optimal << " of 300 optimal");
  CHECK(optimal > 270);
}

TEST_CASE("a long chain is narrow") {
  const Solution solution = solve(alternating(20000));
  CHECK(solution.optimal);
  CHECK(solution.cost == Cost{0, 0});
  // Of equal solutions, each time the lowest value.
  CHECK(solution.values[19999] != solution.values[19998]);
}

TEST_CASE("of equal bytes the lower tie cost wins, then the lower value") {
  Problem problem;
  problem.domains = {4};
  problem.unaries.push_back({0, {{5, 9}, {3, 2}, {3, 1}, {3, 1}}});
  const Solution solution = solve(problem);
  CHECK(solution.values == std::vector<int>{2});
  CHECK(solution.cost == Cost{3, 1});
}

TEST_CASE("networks that do not fit together are named") {
  Problem problem = alternating(3);
  problem.domains[1] = 3;
  CHECK(!validate(problem));
  problem = alternating(3);
  problem.binaries.push_back({1, 1, 0});
  CHECK(!validate(problem));
  problem = alternating(3);
  problem.domains[0] = 0;
  CHECK(!validate(problem));
  problem = alternating(3);
  problem.unaries.push_back({2, {{1, 0}}});
  CHECK(!validate(problem));

  problem = alternating(3);
  Solution solution = solve(problem);
  solution.cost.bytes = -1;
  CHECK(!validate(problem, solution));
}
