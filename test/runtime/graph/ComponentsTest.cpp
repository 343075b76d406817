#include "runtime/graph/Components.h"
#include "runtime/graph/Batch.h"
#include "test/runtime/graph/Graphs.h"

#include <algorithm>

using namespace smex;
using namespace smex::graph;

/// By looking at every edge until nothing changes.
static Numbers bySmallest(const Graph &graph) {
  Numbers part;
  for (int64_t v = 0; v < graph.nodes(); ++v)
    part.push_back(v);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto &[from, to] : pairs(graph)) {
      int64_t &a = part[size_t(from)], &b = part[size_t(to)];
      changed |= a != b;
      a = b = std::min(a, b);
    }
  }
  return part;
}

TEST_CASE("nodes are of one component if edges connect them") {
  onRandomGraphs([](const Graph &graph, Die &) {
    CHECK(componentsOf(graph) == bySmallest(graph));
  });
}

TEST_CASE("components are taken as they are") {
  onRandomGraphs([](const Graph &graph, Die &die) {
    const Numbers part = bySmallest(graph);
    Numbers firsts = part;
    std::sort(firsts.begin(), firsts.end());
    firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
    Components components(graph);
    REQUIRE(components.count() == int64_t(firsts.size()));
    for (int round = 0; round < 3; ++round) {
      Numbers some;
      for (int64_t c = 0; c < components.count(); ++c)
        if (die.below(2))
          some.insert(some.begin() + die.below(int64_t(some.size()) + 1), c);
      Numbers nodes, edges;
      for (int64_t c : some) {
        for (int64_t v = 0; v < graph.nodes(); ++v)
          if (part[size_t(v)] == firsts[size_t(c)])
            nodes.push_back(v);
        for (int64_t e = 0; e < graph.edges(); ++e)
          if (part[size_t(graph.source(e))] == firsts[size_t(c)])
            edges.push_back(e);
      }
      const Part taken = components.take(some);
      CHECK(taken.oldNodes == nodes);
      REQUIRE(taken.oldEdges == edges);
      REQUIRE(taken.graph.nodes() == int64_t(nodes.size()));
      for (int64_t e = 0; e < taken.graph.edges(); ++e) {
        CHECK(nodes[size_t(taken.graph.source(e))] ==
              graph.source(edges[size_t(e)]));
        CHECK(nodes[size_t(taken.graph.destination(e))] ==
              graph.destination(edges[size_t(e)]));
      }
    }
  });
}

TEST_CASE("graphs of a batch are its components") {
  const Graph path = Graph::sound(3, {0, 1}, {1, 2});
  const Graph back = Graph::sound(2, {1}, {0});
  Components components(batch({path, back, path}).graph);
  REQUIRE(components.count() == 3);
  CHECK(components.take({1}).graph == back);
  CHECK(components.take({2, 1}).graph == batch({path, back}).graph);
}
