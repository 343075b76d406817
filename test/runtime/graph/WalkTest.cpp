#include "runtime/graph/Walk.h"
#include "test/runtime/graph/Graphs.h"

#include <cmath>
#include <set>

using namespace smex;
using namespace smex::graph;

TEST_CASE("walks go along edges until no edge leaves") {
  onRandomGraphs([](const Graph &graph, Die &die) {
    const Rows out = bySource(graph);
    const Numbers starts =
        graph.nodes() ? die.numbers(die.below(5), graph.nodes()) : Numbers();
    const int64_t length = die.below(7);
    const auto walks = randomWalks(graph, out, starts, length, 4);
    REQUIRE(walks);
    CHECK(walks->walks == int64_t(starts.size()));
    CHECK(walks->length == length);
    REQUIRE(walks->nodes.size() == starts.size() * size_t(length + 1));
    REQUIRE(walks->edges.size() == starts.size() * size_t(length));
    std::set<int64_t> nodes, edges;
    for (size_t w = 0; w < starts.size(); ++w) {
      const int64_t *node = &walks->nodes[w * size_t(length + 1)];
      CHECK(node[0] == starts[w]);
      nodes.insert(starts[w]);
      for (int64_t step = 0; step < length; ++step) {
        const int64_t edge = walks->edges[w * size_t(length) + size_t(step)];
        if (edge < 0) {
          CHECK(edge == -1);
          CHECK(node[step + 1] == -1);
          if (node[step] >= 0)
            for (int64_t source : graph.sources())
              CHECK(source != node[step]);
          continue;
        }
        CHECK(graph.source(edge) == node[step]);
        CHECK(graph.destination(edge) == node[step + 1]);
        nodes.insert(node[step + 1]);
        edges.insert(edge);
      }
    }
    // Once each, and nothing else.
    const Part part = walkedGraph(graph, *walks);
    CHECK(std::set<int64_t>(part.oldNodes.begin(), part.oldNodes.end()) ==
          nodes);
    CHECK(std::set<int64_t>(part.oldEdges.begin(), part.oldEdges.end()) ==
          edges);
    REQUIRE(part.graph.nodes() == int64_t(nodes.size()));
    REQUIRE(part.graph.edges() == int64_t(edges.size()));
    size_t place = 0; // starts come first
    std::set<int64_t> started;
    for (int64_t start : starts)
      if (started.insert(start).second)
        CHECK(part.oldNodes[place++] == start);
    for (int64_t e = 0; e < part.graph.edges(); ++e) {
      const int64_t old = part.oldEdges[size_t(e)];
      CHECK(part.oldNodes[size_t(part.graph.source(e))] == graph.source(old));
      CHECK(part.oldNodes[size_t(part.graph.destination(e))] ==
            graph.destination(old));
    }
    // The first walk does not depend on there being others.
    if (!starts.empty()) {
      const auto first = randomWalks(graph, out, {starts[0]}, length, 4);
      REQUIRE(first);
      CHECK(first->nodes ==
            Numbers(walks->nodes.begin(), walks->nodes.begin() + length + 1));
    }
  });
}

TEST_CASE("each edge is as likely as any other") {
  const Graph graph = Graph::sound(3, {0, 0, 0, 1, 2}, {1, 1, 2, 0, 0});
  const auto walks =
      randomWalks(graph, bySource(graph), Numbers(1000, 0), 20, 6);
  REQUIRE(walks);
  int seen[3] = {};
  for (int64_t edge : walks->edges)
    if (edge < 3)
      ++seen[edge];
  for (int times : seen)
    CHECK(std::abs(times - 10000 / 3) < 5 * std::sqrt(10000 / 3.));
}

TEST_CASE("walks are the same on any machine") {
  const Graph graph =
      Graph::sound(4, {0, 0, 1, 1, 2, 2, 3, 3}, {1, 2, 2, 3, 3, 0, 0, 1});
  const auto walks = randomWalks(graph, bySource(graph), {0}, 8, 1);
  REQUIRE(walks);
  CHECK(walks->nodes == Numbers{0, 2, 3, 0, 1, 2, 3, 0, 2});
}

TEST_CASE("walks that cannot be") {
  const Graph graph = Graph::sound(3, {0, 1}, {1, 2});
  const Rows out = bySource(graph);
  CHECK(wrong(randomWalks(graph, out, {3}, 2, 0)) ==
        "start of a walk: node 3 is not there: the graph has 3, numbered from "
        "0");
  for (const int64_t length : {int64_t(-1), INT64_MAX, INT64_MAX - 1})
    CHECK(wrong(randomWalks(graph, out, {0, 1}, length, 0))
              .find("give a length from 0 up") != std::string::npos);
}
