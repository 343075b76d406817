// Random graphs of several types of nodes and edges.
#ifndef SMEX_TEST_RUNTIME_GRAPH_HETEROGRAPHS_H
#define SMEX_TEST_RUNTIME_GRAPH_HETEROGRAPHS_H

#include "runtime/graph/Hetero.h"
#include "test/runtime/graph/Graphs.h"

namespace smex::graph {

/// Types a, b, ...; edges of random types between them, some without edges.
inline HeteroGraph randomHetero(Die &die) {
  std::vector<NodeType> nodes;
  for (int64_t types = die.below(4); types > 0; --types)
    nodes.push_back({std::string(1, char('a' + nodes.size())), die.below(8)});
  std::vector<EdgeType> edges;
  for (int64_t types = nodes.empty() ? 0 : die.below(4); types > 0; --types) {
    const NodeType &from = nodes[size_t(die.below(int64_t(nodes.size())))];
    const NodeType &to = nodes[size_t(die.below(int64_t(nodes.size())))];
    const int64_t count = from.nodes && to.nodes ? die.below(10) : 0;
    edges.push_back({from.name, "r" + std::to_string(types), to.name,
                     count ? die.numbers(count, from.nodes) : Numbers(),
                     count ? die.numbers(count, to.nodes) : Numbers()});
  }
  auto graph = HeteroGraph::make(nodes, edges);
  REQUIRE(graph);
  return *graph;
}

/// Each edge of the part, by type and numbers within types, is the one of the
/// whole that it says it was.
inline void checkPart(const HeteroGraph &whole, const HeteroPart &part) {
  for (size_t t = 0; t < whole.edgeTypes().size(); ++t) {
    const EdgeType &now = part.graph.edgeTypes()[t];
    const EdgeType &before = whole.edgeTypes()[t];
    CHECK(now.name == before.name);
    const size_t from = size_t(whole.nodeType(before.source));
    const size_t to = size_t(whole.nodeType(before.destination));
    REQUIRE(part.oldEdges[t].size() == now.sources.size());
    for (size_t e = 0; e < now.sources.size(); ++e) {
      const size_t old = size_t(part.oldEdges[t][e]);
      CHECK(part.oldNodes[from][size_t(now.sources[e])] == before.sources[old]);
      CHECK(part.oldNodes[to][size_t(now.destinations[e])] ==
            before.destinations[old]);
    }
  }
}

template <typename Check> void onHeteroGraphs(Check check) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    Die die{std::mt19937(seed)};
    const HeteroGraph graph = randomHetero(die);
    check(graph, die);
  }
}
} // namespace smex::graph

#endif
