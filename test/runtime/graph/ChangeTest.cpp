#include "runtime/graph/Change.h"
#include "test/runtime/graph/Graphs.h"

#include <set>

using namespace smex;
using namespace smex::graph;

namespace {
Mask randomMask(Die &die, int64_t count) {
  Mask mask(static_cast<size_t>(count));
  for (size_t i = 0; i < mask.size(); ++i)
    mask[i] = die.below(3) > 0;
  return mask;
}

/// What was asked to stay, by looking at everything.
void checkKept(const Graph &graph, const Part &part,
               const std::set<int64_t> &nodes, const std::set<int64_t> &edges) {
  CHECK(part.oldNodes == Numbers(nodes.begin(), nodes.end()));
  CHECK(part.oldEdges == Numbers(edges.begin(), edges.end()));
  REQUIRE(part.graph.nodes() == int64_t(nodes.size()));
  REQUIRE(part.graph.edges() == int64_t(edges.size()));
  for (int64_t e = 0; e < part.graph.edges(); ++e) {
    const int64_t old = part.oldEdges[size_t(e)];
    CHECK(part.oldNodes[size_t(part.graph.source(e))] == graph.source(old));
    CHECK(part.oldNodes[size_t(part.graph.destination(e))] ==
          graph.destination(old));
  }
}

std::set<int64_t> all(int64_t count) {
  std::set<int64_t> numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.insert(i);
  return numbers;
}
} // namespace

TEST_CASE("a subgraph by nodes, or without some") {
  onRandomGraphs([](const Graph &graph, Die &die) {
    const Mask mask = randomMask(die, graph.nodes());
    std::set<int64_t> nodes, edges;
    Numbers gone;
    for (int64_t v = 0; v < graph.nodes(); ++v)
      mask[size_t(v)] ? (void)nodes.insert(v) : gone.push_back(v);
    for (int64_t e = 0; e < graph.edges(); ++e)
      if (nodes.count(graph.source(e)) && nodes.count(graph.destination(e)))
        edges.insert(e);
    checkKept(graph, keepNodes(graph, mask), nodes, edges);
    const auto rest = removeNodes(graph, gone);
    REQUIRE(rest);
    checkKept(graph, *rest, nodes, edges);
  });
}

TEST_CASE("a subgraph by edges, or without some") {
  onRandomGraphs([](const Graph &graph, Die &die) {
    const Mask mask = randomMask(die, graph.edges());
    std::set<int64_t> edges, touched;
    Numbers gone;
    for (int64_t e = 0; e < graph.edges(); ++e)
      if (mask[size_t(e)]) {
        edges.insert(e);
        touched.insert(graph.source(e));
        touched.insert(graph.destination(e));
      } else {
        gone.push_back(e);
      }
    checkKept(graph, keepEdges(graph, mask), all(graph.nodes()), edges);
    checkKept(graph, keepEdges(graph, mask, Idle::Drop), touched, edges);
    const auto rest = removeEdges(graph, gone);
    REQUIRE(rest);
    checkKept(graph, *rest, all(graph.nodes()), edges);
  });
}

TEST_CASE("edges of a pull and of a push") {
  onRandomGraphs([](const Graph &graph, Die &die) {
    const Mask nodes = randomMask(die, graph.nodes());
    const Mask into = edgesInto(graph, nodes), from = edgesFrom(graph, nodes);
    for (int64_t e = 0; e < graph.edges(); ++e) {
      CHECK(into[size_t(e)] == nodes[size_t(graph.destination(e))]);
      CHECK(from[size_t(e)] == nodes[size_t(graph.source(e))]);
    }
  });
}

TEST_CASE("more nodes and edges, and features that stay") {
  onRandomGraphs([](const Graph &graph, Die &die) {
    const auto grown = addNodes(graph, 3);
    REQUIRE(grown);
    CHECK(grown->graph.nodes() == graph.nodes() + 3);
    CHECK(pairs(grown->graph) == pairs(graph));
    const Numbers from = die.numbers(5, graph.nodes() + 3);
    const Numbers to = die.numbers(5, graph.nodes() + 3);
    const auto both = addEdges(grown->graph, from, to);
    REQUIRE(both);
    auto expected = pairs(graph);
    for (size_t i = 0; i < from.size(); ++i)
      expected.emplace_back(from[i], to[i]);
    CHECK(pairs(both->graph) == expected);
    // In two steps as in one; the feature of a node or edge is its number + 1.
    const Part part = compose(
        *grown,
        compose(*both,
                keepNodes(both->graph, randomMask(die, both->graph.nodes()))));
    Tensor features = makeTensor({DType::I64, {graph.nodes(), 2}});
    for (int64_t i = 0; i < 2 * graph.nodes(); ++i)
      features.data<int64_t>()[i] = i / 2 + 1;
    const auto kept = gatherRows(features, part.oldNodes);
    REQUIRE(kept);
    CHECK(kept->type == TensorType{DType::I64, {part.graph.nodes(), 2}});
    for (int64_t v = 0; v < part.graph.nodes(); ++v)
      for (int64_t f = 0; f < 2; ++f)
        CHECK(kept->data<int64_t>()[2 * v + f] == part.oldNodes[size_t(v)] + 1);
    for (int64_t e = 0; e < part.graph.edges(); ++e)
      if (const int64_t old = part.oldEdges[size_t(e)]; old >= 0)
        CHECK(part.oldNodes[size_t(part.graph.source(e))] == graph.source(old));
  });
}

TEST_CASE("self-loops where there are none, and edges turned round") {
  onRandomGraphs([](const Graph &graph, Die &) {
    const Part part = withSelfLoops(graph);
    auto expected = pairs(graph);
    for (int64_t v = 0; v < graph.nodes(); ++v) {
      bool has = false;
      for (const auto &[from, to] : pairs(graph))
        has |= from == v && to == v;
      if (!has)
        expected.emplace_back(v, v);
    }
    CHECK(pairs(part.graph) == expected);
    for (size_t e = 0; e < expected.size(); ++e)
      CHECK(part.oldEdges[e] == (e < size_t(graph.edges()) ? int64_t(e) : -1));
    for (int64_t e = 0; e < graph.edges(); ++e)
      CHECK(pairs(reversed(graph))[size_t(e)] ==
            std::pair(graph.destination(e), graph.source(e)));
  });
}

TEST_CASE("changes that cannot be") {
  const Graph graph = Graph::sound(3, {0, 1}, {1, 2});
  CHECK(wrong(removeNodes(graph, {1, 3})) ==
        "nodes to remove: number 3 is not there: there are 3, numbered from 0");
  CHECK(wrong(removeEdges(graph, {-1})) ==
        "edges to remove: number -1 is not there: there are 2, numbered from "
        "0");
  CHECK(wrong(addEdges(graph, {0}, {3})) ==
        "edges to add: edge 0 leads to node 3, which is not there: the graph "
        "has 3, numbered from 0");
  CHECK(wrong(addNodes(graph, -1)) ==
        "nodes to add to 3: -1: give a number from 0 up, 2^63 - 1 together at "
        "most");
  CHECK(wrong(addNodes(graph, INT64_MAX)).find("2^63 - 1") !=
        std::string::npos);
  const Tensor features = makeTensor({DType::F32, {2, 4}});
  CHECK(wrong(gatherRows(features, {0, 2})) ==
        "features of type f32[2, 4]: have no row 2");
  CHECK(wrong(gatherRows(makeTensor({DType::F32, {}}), {})) ==
        "features of type f32[]: give a row for each node or edge");
}
