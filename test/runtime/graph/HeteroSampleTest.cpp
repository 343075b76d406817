#include "runtime/graph/HeteroSample.h"
#include "runtime/graph/EdgeSample.h"
#include "test/runtime/graph/HeteroGraphs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace smex;
using namespace smex::graph;

namespace {
/// A type, and some of its nodes, each once.
std::pair<int64_t, Numbers> start(const HeteroGraph &graph, Die &die) {
  const int64_t type = die.below(int64_t(graph.nodeTypes().size()));
  const int64_t count = graph.nodeTypes()[size_t(type)].nodes;
  Numbers nodes;
  for (int64_t v = count - 1; v >= 0; --v)
    if (die.below(2))
      nodes.push_back(v);
  return {type, nodes};
}

/// The same for each type of edges.
std::vector<Numbers> alike(const HeteroGraph &graph, const Numbers &fanouts) {
  return std::vector<Numbers>(graph.edgeTypes().size(), fanouts);
}

/// Old numbers of the edges of one type that lead to a node.
Numbers edgesTo(const HeteroPart &part, size_t type, int64_t node) {
  Numbers edges;
  const EdgeType &all = part.graph.edgeTypes()[type];
  for (size_t e = 0; e < all.sources.size(); ++e)
    if (all.destinations[e] == node)
      edges.push_back(part.oldEdges[type][e]);
  return edges;
}
} // namespace

TEST_CASE("a sample of all neighbours is what layers read") {
  onHeteroGraphs([](const HeteroGraph &graph, Die &die) {
    if (graph.nodeTypes().empty())
      return;
    const auto [type, nodes] = start(graph, die);
    const int64_t layers = die.below(4);
    const auto part =
        sampleNeighbours(graph, byDestination(graph), type, nodes,
                         alike(graph, Numbers(size_t(layers), -1)), 1);
    REQUIRE(part);
    checkPart(graph, *part);
    // Layer by layer, looking at all edges.
    std::vector<std::set<int64_t>> seen(graph.nodeTypes().size());
    std::vector<std::set<int64_t>> edges(graph.edgeTypes().size());
    seen[size_t(type)].insert(nodes.begin(), nodes.end());
    for (int64_t layer = 0; layer < layers; ++layer) {
      const auto before = seen;
      for (size_t t = 0; t < edges.size(); ++t) {
        const EdgeType &all = graph.edgeTypes()[t];
        const size_t from = size_t(graph.nodeType(all.source)),
                     to = size_t(graph.nodeType(all.destination));
        for (size_t e = 0; e < all.sources.size(); ++e)
          if (before[to].count(all.destinations[e])) {
            edges[t].insert(int64_t(e));
            seen[from].insert(all.sources[e]);
          }
      }
    }
    for (size_t t = 0; t < seen.size(); ++t) {
      const Numbers &old = part->oldNodes[t];
      CHECK(int64_t(old.size()) == part->graph.nodeTypes()[t].nodes);
      CHECK(old.size() == seen[t].size());
      CHECK(std::set<int64_t>(old.begin(), old.end()) == seen[t]);
    }
    for (size_t t = 0; t < edges.size(); ++t)
      CHECK(part->oldEdges[t] == Numbers(edges[t].begin(), edges[t].end()));
    CHECK(std::equal(nodes.begin(), nodes.end(),
                     part->oldNodes[size_t(type)].begin()));
  });
}

TEST_CASE("each node gets as many edges of each type as the fan-out says") {
  onHeteroGraphs([](const HeteroGraph &graph, Die &die) {
    if (graph.nodeTypes().empty())
      return;
    const auto in = byDestination(graph);
    const auto [type, nodes] = start(graph, die);
    const int64_t inner = die.below(3), outer = die.below(3);
    const auto one =
        sampleNeighbours(graph, in, type, nodes, alike(graph, {outer}), 7);
    const auto two = sampleNeighbours(graph, in, type, nodes,
                                      alike(graph, {inner, outer}), 7);
    REQUIRE((one && two));
    checkPart(graph, *one);
    checkPart(graph, *two);
    for (size_t t = 0; t < in.size(); ++t) {
      const int64_t to = graph.nodeType(graph.edgeTypes()[t].destination);
      CHECK(std::is_sorted(two->oldEdges[t].begin(), two->oldEdges[t].end()));
      for (size_t i = 0; i < one->oldNodes[size_t(to)].size(); ++i) {
        const bool asked = to == type && i < nodes.size();
        const int64_t all = in[t].length(one->oldNodes[size_t(to)][i]);
        CHECK(int64_t(edgesTo(*one, t, int64_t(i)).size()) ==
              (asked ? std::min(all, outer) : 0));
      }
      // Of the first layer, all nodes that are there in the second one.
      for (size_t i = 0; i < two->oldNodes[size_t(to)].size(); ++i) {
        const int64_t all = in[t].length(two->oldNodes[size_t(to)][i]);
        const int64_t has = int64_t(edgesTo(*two, t, int64_t(i)).size());
        const bool asked = to == type && i < nodes.size();
        CHECK(has <= std::min(all, asked ? inner + outer : inner));
        if (asked)
          CHECK(has >= std::min(all, std::max(inner, outer)));
      }
    }
    // What is drawn for a node has nothing to do with the others.
    for (size_t i = 0; i < nodes.size(); ++i) {
      const auto alone = sampleNeighbours(graph, in, type, {nodes[i]},
                                          alike(graph, {outer}), 7);
      REQUIRE(alone);
      for (size_t t = 0; t < in.size(); ++t)
        if (graph.nodeType(graph.edgeTypes()[t].destination) == type)
          CHECK(edgesTo(*alone, t, 0) == edgesTo(*one, t, int64_t(i)));
    }
  });
}

TEST_CASE("a sample for edges is one for either end, with these edges") {
  onHeteroGraphs([](const HeteroGraph &graph, Die &die) {
    if (graph.edgeTypes().empty())
      return;
    const auto in = byDestination(graph);
    const int64_t edgeType = die.below(int64_t(in.size()));
    const EdgeType &own = graph.edgeTypes()[size_t(edgeType)];
    const int64_t from = graph.nodeType(own.source),
                  to = graph.nodeType(own.destination);
    Numbers edges;
    std::vector<std::set<int64_t>> ends(graph.nodeTypes().size());
    for (int64_t e = int64_t(own.sources.size()) - 1; e >= 0; --e)
      if (die.below(3) == 0) {
        edges.push_back(e);
        ends[size_t(from)].insert(own.sources[size_t(e)]);
        ends[size_t(to)].insert(own.destinations[size_t(e)]);
      }
    const auto fanouts = alike(graph, {die.below(4) - 1, die.below(3)});
    const auto part = sampleForEdges(graph, in, edgeType, edges, fanouts, 7);
    INFO((part ? "" : part.error().message));
    REQUIRE(part);
    checkPart(graph, *part);
    // What is drawn for a node has nothing to do with the others.
    std::vector<std::set<int64_t>> wanted(in.size());
    wanted[size_t(edgeType)].insert(edges.begin(), edges.end());
    for (int64_t type : {from, to}) {
      const Numbers nodes(ends[size_t(type)].begin(), ends[size_t(type)].end());
      const auto alone = sampleNeighbours(graph, in, type, nodes, fanouts, 7);
      REQUIRE(alone);
      for (size_t t = 0; t < in.size(); ++t)
        wanted[t].insert(alone->oldEdges[t].begin(), alone->oldEdges[t].end());
      const Numbers &old = part->oldNodes[size_t(type)];
      REQUIRE(old.size() >= nodes.size());
      CHECK(std::set<int64_t>(old.begin(), old.begin() + long(nodes.size())) ==
            ends[size_t(type)]);
    }
    for (size_t t = 0; t < in.size(); ++t)
      CHECK(part->oldEdges[t] == Numbers(wanted[t].begin(), wanted[t].end()));

    // The same in blocks: these edges are the last one.
    const auto blocks =
        sampleBlocksForEdges(graph, in, edgeType, edges, fanouts, 7);
    REQUIRE(blocks);
    CHECK(blocks->oldNodes == part->oldNodes);
    REQUIRE(blocks->layers.size() == 3);
    std::vector<std::set<int64_t>> all(in.size());
    for (const auto &layer : blocks->layers)
      for (size_t t = 0; t < in.size(); ++t)
        all[t].insert(layer[t].old.begin(), layer[t].old.end());
    CHECK(all == wanted);
    for (size_t t = 0; t < in.size(); ++t)
      CHECK(blocks->layers[2][t].old ==
            (int64_t(t) == edgeType ? edges : Numbers()));
    const auto &last = blocks->layers[2][size_t(edgeType)];
    for (size_t e = 0; e < edges.size(); ++e) {
      const size_t old = size_t(edges[e]);
      CHECK(blocks->oldNodes[size_t(from)][size_t(last.sources[e])] ==
            own.sources[old]);
      CHECK(blocks->oldNodes[size_t(to)][size_t(last.destinations[e])] ==
            own.destinations[old]);
    }
  });
}

TEST_CASE("edges that a part has, or gets, keep their ends") {
  const Graph graph = Graph::sound(5, {0, 1, 2, 3, 4}, {1, 2, 3, 4, 4});
  const auto ends = endsOf(graph, {3, 1, 4});
  REQUIRE(ends);
  CHECK(*ends == Numbers{3, 4, 1, 2});
  const auto wrong = endsOf(graph, {0, 5});
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message == "edges to sample for: edge 5 is not there: "
                                 "there are 5, numbered from 0");
  const Part part = {Graph::sound(4, {1}, {0}), {4, 3, 1, 2}, {3}};
  const Part more = withEdges(graph, part, {1, 3, 4});
  CHECK(more.oldNodes == part.oldNodes);
  CHECK(more.oldEdges == Numbers{3, 1, 4});
  CHECK(more.graph.sources() == Numbers{1, 2, 0});
  CHECK(more.graph.destinations() == Numbers{0, 3, 0});
}

TEST_CASE("a block per layer, with fan-outs for each type of edges") {
  onHeteroGraphs([](const HeteroGraph &graph, Die &die) {
    if (graph.nodeTypes().empty())
      return;
    const auto in = byDestination(graph);
    const auto [type, nodes] = start(graph, die);
    std::vector<Numbers> fanouts;
    for (size_t t = 0; t < in.size(); ++t)
      fanouts.push_back({die.below(4) - 1, die.below(4) - 1});
    const auto blocks = sampleBlocks(graph, in, type, nodes, fanouts, 7);
    REQUIRE(blocks);
    if (in.empty()) {
      CHECK(blocks->layers.empty());
      return;
    }
    REQUIRE(blocks->layers.size() == 2);
    // What is there before a layer is drawn, by its old numbers: the last one
    // first.
    std::vector<std::set<int64_t>> served(graph.nodeTypes().size());
    served[size_t(type)].insert(nodes.begin(), nodes.end());
    for (size_t layer = 2; layer-- > 0;) {
      const auto before = served;
      for (size_t t = 0; t < in.size(); ++t) {
        const EdgeType &all = graph.edgeTypes()[t];
        const size_t from = size_t(graph.nodeType(all.source)),
                     to = size_t(graph.nodeType(all.destination));
        const auto &edges = blocks->layers[layer][t];
        REQUIRE(edges.sources.size() == edges.old.size());
        REQUIRE(edges.destinations.size() == edges.old.size());
        std::map<int64_t, std::set<int64_t>> drawn; // of each destination
        for (size_t e = 0; e < edges.old.size(); ++e) {
          const size_t old = size_t(edges.old[e]);
          CHECK(blocks->oldNodes[from][size_t(edges.sources[e])] ==
                all.sources[old]);
          CHECK(blocks->oldNodes[to][size_t(edges.destinations[e])] ==
                all.destinations[old]);
          CHECK(drawn[all.destinations[old]].insert(edges.old[e]).second);
          served[from].insert(all.sources[old]);
        }
        for (int64_t node : before[to]) {
          const int64_t all = in[t].length(node), limit = fanouts[t][layer];
          CHECK(int64_t(drawn[node].size()) ==
                (limit < 0 ? all : std::min(all, limit)));
          drawn.erase(node);
        }
        CHECK(drawn.empty()); // no edge leads to another node
      }
    }
    for (size_t t = 0; t < served.size(); ++t)
      CHECK(std::set<int64_t>(blocks->oldNodes[t].begin(),
                              blocks->oldNodes[t].end()) == served[t]);
    CHECK(std::equal(nodes.begin(), nodes.end(),
                     blocks->oldNodes[size_t(type)].begin()));
  });
}

TEST_CASE("neighbours of each type are drawn uniformly, as sets") {
  const Numbers leaves = {0, 1, 2, 3, 4}, hub(5, 0);
  const auto graph =
      HeteroGraph::make({{"a", 5}, {"b", 1}}, {{"a", "to", "b", leaves, hub},
                                               {"a", "of", "b", leaves, hub}});
  REQUIRE(graph);
  const auto in = byDestination(*graph);
  std::map<std::pair<Numbers, Numbers>, int> seen;
  constexpr int rounds = 20000;
  for (uint64_t seed = 0; seed < rounds; ++seed) {
    const auto part = sampleNeighbours(*graph, in, 1, {0}, {{2}, {2}}, seed);
    REQUIRE(part);
    ++seen[{part->oldEdges[0], part->oldEdges[1]}];
  }
  // Each of the 10 x 10 pairs of sets, within five standard deviations.
  REQUIRE(seen.size() == 100);
  for (const auto &[edges, times] : seen)
    CHECK(std::abs(times - rounds / 100) < 5 * std::sqrt(rounds / 100.));
}

TEST_CASE("samples of types that cannot be") {
  const auto graph = HeteroGraph::make({{"a", 2}}, {});
  REQUIRE(graph);
  const auto says = [&](int64_t type, const Numbers &nodes, int64_t fanout) {
    return wrong(sampleNeighbours(*graph, {}, type, nodes, {{fanout}}, 1));
  };
  CHECK(says(0, {0, 1}, 2) == "no error");
  CHECK(says(1, {0}, 2) == "nodes to sample for: there is no type 1 of nodes");
  CHECK(says(0, {2}, 2) == "nodes to sample for: node 2 is not there: of type "
                           "\"a\" there are 2, numbered from 0");
  CHECK(says(0, {1, 1}, 2) ==
        "nodes to sample for: node 1 occurs twice; give each once");
  CHECK(says(0, {1}, -2) == "fan-out -2: give a number from -1 up");
}
