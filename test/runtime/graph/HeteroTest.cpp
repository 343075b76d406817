#include "runtime/graph/Hetero.h"
#include "runtime/graph/Change.h"
#include "runtime/graph/Sample.h"
#include "test/runtime/graph/HeteroGraphs.h"

using namespace smex;
using namespace smex::graph;

TEST_CASE("types go and come back") {
  onHeteroGraphs([](const HeteroGraph &graph, Die &) {
    const Graph plain = graph.homogeneous();
    std::vector<std::pair<int64_t, int64_t>> expected;
    for (const EdgeType &type : graph.edgeTypes())
      for (size_t e = 0; e < type.sources.size(); ++e) {
        int64_t from = type.sources[e], to = type.destinations[e];
        for (const NodeType &before : graph.nodeTypes()) {
          from += before.name < type.source ? before.nodes : 0;
          to += before.name < type.destination ? before.nodes : 0;
        }
        expected.emplace_back(from, to);
      }
    CHECK(pairs(plain) == expected);
    const auto back = withTypes(graph, whole(plain));
    REQUIRE(back);
    for (size_t t = 0; t < graph.nodeTypes().size(); ++t)
      CHECK(back->graph.nodeTypes()[t].nodes == graph.nodeTypes()[t].nodes);
    for (size_t t = 0; t < graph.edgeTypes().size(); ++t) {
      const EdgeType &now = back->graph.edgeTypes()[t];
      CHECK(now.sources == graph.edgeTypes()[t].sources);
      CHECK(now.destinations == graph.edgeTypes()[t].destinations);
    }
    checkPart(graph, *back);
  });
}

TEST_CASE("parts and samples of a graph with types") {
  onHeteroGraphs([](const HeteroGraph &graph, Die &die) {
    const Graph plain = graph.homogeneous();
    Mask mask(size_t(plain.nodes()));
    Numbers nodes;
    for (size_t v = 0; v < mask.size(); ++v) {
      mask[v] = die.below(3) > 0;
      if (mask[v])
        nodes.push_back(int64_t(v));
    }
    const Part kept = keepNodes(plain, mask);
    const auto part = withTypes(graph, kept);
    REQUIRE(part);
    checkPart(graph, *part);
    size_t edges = 0;
    for (const EdgeType &type : part->graph.edgeTypes())
      edges += type.sources.size();
    CHECK(int64_t(edges) == kept.graph.edges());
    const auto blocks =
        sampleNeighbours(plain, byDestination(plain), nodes, {2, 2}, 1);
    REQUIRE(blocks);
    const Part &sample = blocks->at(0).part;
    const auto typed = withTypes(graph, sample);
    REQUIRE(typed);
    checkPart(graph, *typed);
    for (size_t v = 0; v < sample.oldNodes.size(); ++v) {
      size_t type = 0;
      while (sample.oldNodes[v] >= graph.nodeOffsets()[type + 1])
        ++type;
      CHECK(typed->oldNodes[type][size_t(typed->place[v])] ==
            sample.oldNodes[v] - graph.nodeOffsets()[type]);
    }
  });
}

TEST_CASE("what is no heterogeneous graph") {
  const std::vector<NodeType> nodes = {{"user", 2}, {"item", 3}};
  const auto make = [&](std::vector<EdgeType> edges) {
    return wrong(HeteroGraph::make(nodes, std::move(edges)));
  };
  CHECK(make({{"user", "buys", "item", {0, 1}, {2, 0}}}) == "no error");
  CHECK(make({{"user", "buys", "thing", {0}, {0}}}) ==
        "edges (\"user\", \"buys\", \"thing\"): there are no nodes \"thing\"");
  CHECK(make({{"user", "buys", "item", {2}, {2}}}) ==
        "edges (\"user\", \"buys\", \"item\"): edge 0 leads from \"user\" 2, "
        "which is not there: there are 2, numbered from 0");
  CHECK(make({{"user", "buys", "item", {0, 1}, {2, -1}}}) ==
        "edges (\"user\", \"buys\", \"item\"): edge 1 leads to \"item\" -1, "
        "which is not there: there are 3, numbered from 0");
  CHECK(make({{"user", "buys", "item", {0}, {}}}) ==
        "edges (\"user\", \"buys\", \"item\"): 1 sources and 0 destinations: "
        "give as many of both");
  CHECK(make({{"user", "buys", "item", {}, {}},
              {"user", "buys", "item", {}, {}}}) ==
        "edges (\"user\", \"buys\", \"item\"): are there twice; join them, or "
        "give each its own name");
  CHECK(wrong(HeteroGraph::make({{"user", 1}, {"user", 1}}, {})) ==
        "nodes \"user\": there are two types of that name; give each its own");
  CHECK(wrong(HeteroGraph::make({{"user", -1}}, {})) ==
        "nodes \"user\": -1 of them: give a number from 0 up, 2^63 - 1 in all "
        "at most");
  const auto graph =
      HeteroGraph::make(nodes, {{"user", "buys", "item", {0}, {2}}});
  REQUIRE(graph);
  CHECK(graph->edgeType("user", "buys", "item") == 0);
  CHECK(graph->edgeType("item", "buys", "user") == -1);
  const Graph plain = graph->homogeneous();
  const auto more = addNodes(plain, 1);
  REQUIRE(more);
  CHECK(wrong(withTypes(*graph, *more)) ==
        "a part of a heterogeneous graph: its node number 5 is new, and has no "
        "type");
  Part turned = whole(reversed(plain));
  CHECK(wrong(withTypes(*graph, turned)) ==
        "edges (\"user\", \"buys\", \"item\"): edge number 0 of the part has "
        "ends of other types");
  turned.oldEdges[0] = 7;
  CHECK(wrong(withTypes(*graph, turned)) ==
        "a part of a heterogeneous graph: its edge number 0 is not of that "
        "graph");
}
