#include "examples/bench/Reordered.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <numeric>

using namespace smex;
using namespace smex::bench;

using Floats = std::vector<float>;

/// Of a sum per node, by the definition, with an edge to itself where there is
/// none.
static Floats expected(const DrawnGraph &graph, const Floats &rows,
                       int64_t features) {
  Floats sums(rows.size(), 0);
  const auto add = [&](int64_t from, int64_t to) {
    for (int64_t f = 0; f < features; ++f)
      sums[size_t(to * features + f)] += rows[size_t(from * features + f)];
  };
  std::vector<bool> loops(static_cast<size_t>(graph.nodes()));
  for (int64_t v = 0; v < graph.nodes(); ++v)
    for (int64_t e = graph.starts[size_t(v)]; e < graph.starts[size_t(v) + 1];
         ++e) {
      add(v, graph.ends[size_t(e)]);
      if (graph.ends[size_t(e)] == v)
        loops[size_t(v)] = true;
    }
  for (int64_t v = 0; v < graph.nodes(); ++v)
    if (!loops[size_t(v)])
      add(v, v);
  return sums;
}

static Floats drawn(int64_t count) {
  Floats values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(float(i * 7919 % 31)); // sums are exact in any order
  return values;
}

static Floats gathered(const Floats &rows, int64_t features,
                       const Numbers &order) {
  Floats made;
  for (int32_t row : order)
    made.insert(made.end(), rows.begin() + row * features,
                rows.begin() + (row + 1) * features);
  return made;
}

static Floats sumsOf(const std::vector<SumList> &lists, Floats rows,
                     int64_t features, int32_t ahead) {
  Floats results(rows.size(), -1);
  for (const SumList &list : lists)
    sum(list, features, {rows.data(), features}, {results.data(), features},
        ahead);
  return results;
}

/// Each number once.
static bool isOrder(Numbers order, int64_t count) {
  std::sort(order.begin(), order.end());
  Numbers all(static_cast<size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return order == all;
}

TEST_CASE("Sums are the same in any order") {
  const DrawnGraph graph = drawRmat(300, 4000, 0.76, 3);
  const SumList list = byDestination(graph);
  const int64_t nodes = graph.nodes();
  const int64_t features = GENERATE(16, 32, 64);
  const int32_t ahead = GENERATE(0, 5);
  const Floats rows = drawn(nodes * features);
  const Floats wanted = expected(graph, rows, features);
  const auto check = [&](const std::vector<SumList> &lists) {
    CHECK(sumsOf(lists, rows, features, ahead) == wanted);
  };
  check({list});
  for (const Numbers &order :
       {byReads(list), byTerms(list), cuthillMcKee(list), byLabels(list, 3)}) {
    REQUIRE(isOrder(order, nodes));
    const Numbers places = placesIn(order);
    check({inOrder(list, order)});
    check({termsInOrder(list, places)});
    const SumList moved = ofRows(list, places);
    const Floats there = gathered(rows, features, order);
    CHECK(sumsOf({moved}, there, features, ahead) == wanted);
    CHECK(sumsOf(inBlocks(moved, nodes, 64), there, features, ahead) == wanted);
    CHECK(sumsOf({toRows(moved, places)}, there, features, ahead) ==
          gathered(wanted, features, order));
  }
  for (int64_t perBlock : {1, 7, 64, 300, 1000})
    check(inBlocks(list, nodes, perBlock));
}

TEST_CASE("Terms stand in the order of a key") {
  const SumList list = byDestination(drawUniform(50, 400, 1));
  Numbers key(50);
  for (int32_t i = 0; i < 50; ++i)
    key[size_t(i)] = 49 - i;
  const SumList made = termsInOrder(list, key);
  for (size_t i = 0; i < made.results.size(); ++i)
    CHECK(std::is_sorted(made.sources.begin() + made.offsets[i],
                         made.sources.begin() + made.offsets[i + 1],
                         std::greater<int32_t>()));
}

TEST_CASE("The nodes of a path lie beside their neighbours") {
  // 0 - 5 - 1 - 4 - 2 - 3
  DrawnGraph path;
  path.starts = {0, 1, 2, 3, 3, 4, 5};
  path.ends = {5, 4, 3, 2, 1};
  const Numbers places = placesIn(cuthillMcKee(byDestination(path)));
  for (auto [a, b] : {std::pair(0, 5), {5, 1}, {1, 4}, {4, 2}, {2, 3}})
    CHECK(std::abs(places[size_t(a)] - places[size_t(b)]) == 1);
}

TEST_CASE("Nodes with most edges among themselves lie together") {
  // All even nodes with each other, and all odd ones.
  DrawnGraph graph;
  graph.starts = {0};
  for (int32_t v = 0; v < 20; ++v) {
    for (int32_t other = 0; other < 20; ++other)
      if (other != v && other % 2 == v % 2)
        graph.ends.push_back(other);
    graph.starts.push_back(int64_t(graph.ends.size()));
  }
  const Numbers order = byLabels(byDestination(graph), 5);
  REQUIRE(isOrder(order, 20));
  for (size_t i = 1; i < 20; ++i)
    CHECK((order[i] % 2 == order[i - 1] % 2) == (i != 10));
}
