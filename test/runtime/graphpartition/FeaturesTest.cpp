#include "runtime/graphpartition/Features.h"
#include "test/runtime/graph/Graphs.h"

#include <algorithm>

using namespace smex;
using namespace smex::graph;
using namespace smex::graphpartition;

namespace {

int64_t up(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/// Table 2, read aloud, of one vertex.
Features byDefinition(const Graph &graph, int64_t vertex, int64_t width) {
  Numbers neighbours;
  for (const auto &[from, to] : pairs(graph))
    if (to == vertex)
      neighbours.push_back(from);
  std::sort(neighbours.begin(), neighbours.end());
  std::vector<Numbers> runs;
  for (int64_t u : neighbours) {
    if (runs.empty() || runs.back().back() + 1 != u)
      runs.emplace_back();
    runs.back().push_back(u);
  }
  Features x = {1, int64_t(neighbours.size()), int64_t(runs.size()), 0, 0};
  for (const Numbers &run : runs) {
    x[3] += up(int64_t(run.size()), 32);
    x[4] += up(int64_t(run.size()) * width, 32);
  }
  return x;
}

} // namespace

TEST_CASE("the paper's example") {
  // Vertex 0 has the neighbours 3, 4, 6 and 8.
  const auto in = inNeighboursOf(Graph::sound(9, {8, 3, 6, 4}, {0, 0, 0, 0}));
  REQUIRE(in);
  const FeatureSums sums(*in, {16});
  // A run of two loads 2 * 16 numbers at once.
  CHECK(sums.of(0, 0, 1) == Features{1, 4, 3, 3, 3});
  CHECK(sums.of(0, 0, 9) == Features{9, 4, 3, 3, 3});
  CHECK(sums.of(0, 1, 9) == Features{8, 0, 0, 0, 0});
}

TEST_CASE("features of ranges are sums of what the definition says") {
  const std::vector<int64_t> widths = {16, 1, 40, 32, 16};
  onRandomGraphs([&](const Graph &graph, Die &die) {
    const auto in = inNeighboursOf(graph);
    REQUIRE(in);
    const FeatureSums sums(*in, widths, int(1 + die.below(4)));
    REQUIRE(sums.layers() == widths.size());
    const int64_t first = die.below(graph.nodes() + 1);
    const int64_t last = first + die.below(graph.nodes() - first + 1);
    for (size_t layer = 0; layer < widths.size(); ++layer) {
      Features expected{};
      for (int64_t v = first; v < last; ++v) {
        const Features x = byDefinition(graph, v, widths[layer]);
        for (size_t i = 0; i < x.size(); ++i)
          expected[i] += x[i];
      }
      CHECK(sums.of(layer, first, last) == expected);
    }
  });
}

TEST_CASE("long runs are loaded 32 at once") {
  Numbers sources, destinations;
  for (int64_t u = 0; u < 100; ++u)
    if (u != 70) {
      sources.push_back(u);
      destinations.push_back(3);
    }
  const auto in = inNeighboursOf(Graph::sound(100, sources, destinations));
  REQUIRE(in);
  // 70 and 29: 3 + 1 accesses for numbers, 18 + 8 for 8 numbers each.
  CHECK(FeatureSums(*in, {8}).of(0, 3, 4) == Features{1, 99, 2, 4, 26});
}

TEST_CASE("vertices are numbered anew with their edges") {
  onRandomGraphs([](const Graph &graph, Die &die) {
    const auto in = inNeighboursOf(graph);
    REQUIRE(in);
    Numbers order;
    for (int64_t v = 0; v < graph.nodes(); ++v)
      order.insert(order.begin() + die.below(v + 1), v);
    const InNeighbours anew = renumbered(*in, order);
    REQUIRE(anew.vertices() == graph.nodes());
    for (int64_t v = 0; v < graph.nodes(); ++v) {
      Numbers expected, found;
      for (const auto &[from, to] : pairs(graph))
        if (to == order[size_t(v)])
          expected.push_back(from);
      for (const int32_t *u = anew.begin(v); u != anew.end(v); ++u)
        found.push_back(order[size_t(*u)]);
      CHECK(std::is_sorted(anew.begin(v), anew.end(v)));
      std::sort(expected.begin(), expected.end());
      std::sort(found.begin(), found.end());
      CHECK(found == expected);
    }
  });
}
