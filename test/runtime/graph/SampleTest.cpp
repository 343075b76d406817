#include "runtime/graph/Sample.h"
#include "test/runtime/graph/Graphs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace smex;
using namespace smex::graph;

namespace {
Numbers someNodes(const Graph &graph, Die &die) {
  std::set<int64_t> nodes;
  for (int64_t tries = die.below(6); tries > 0 && graph.nodes() > 0; --tries)
    nodes.insert(die.below(graph.nodes()));
  Numbers list(nodes.begin(), nodes.end());
  std::reverse(list.begin(), list.end()); // the order is the caller's
  return list;
}

/// What is true of blocks of any kind.
void checkBlocks(const Graph &graph, const std::vector<Block> &blocks,
                 const Numbers &nodes) {
  Numbers served = nodes;
  for (size_t l = blocks.size(); l-- > 0;) {
    const auto &[part, destinations, weights] = blocks[l];
    REQUIRE(destinations == int64_t(served.size()));
    REQUIRE(part.oldNodes.size() >= served.size());
    CHECK(Numbers(part.oldNodes.begin(),
                  part.oldNodes.begin() + destinations) == served);
    CHECK(
        std::set<int64_t>(part.oldNodes.begin(), part.oldNodes.end()).size() ==
        part.oldNodes.size());
    CHECK(
        std::set<int64_t>(part.oldEdges.begin(), part.oldEdges.end()).size() ==
        part.oldEdges.size());
    CHECK(weights.size() == part.oldEdges.size());
    std::set<int64_t> needed(served.begin(), served.end());
    for (int64_t e = 0; e < part.graph.edges(); ++e) {
      const int64_t old = part.oldEdges[size_t(e)];
      CHECK(part.graph.destination(e) < destinations);
      CHECK(part.oldNodes[size_t(part.graph.source(e))] == graph.source(old));
      CHECK(part.oldNodes[size_t(part.graph.destination(e))] ==
            graph.destination(old));
      needed.insert(graph.source(old));
    }
    CHECK(needed.size() == part.oldNodes.size());
    served = part.oldNodes;
  }
}

/// Old numbers of the edges to destination i of a block.
Numbers edgesTo(const Block &block, int64_t i) {
  Numbers edges;
  for (int64_t e = 0; e < block.part.graph.edges(); ++e)
    if (block.part.graph.destination(e) == i)
      edges.push_back(block.part.oldEdges[size_t(e)]);
  return edges;
}
} // namespace

TEST_CASE("each node gets as many of its edges as the fan-out says") {
  onRandomGraphs([](const Graph &graph, Die &die) {
    const Rows in = byDestination(graph);
    const Numbers nodes = someNodes(graph, die);
    Numbers fanouts = die.numbers(die.below(4), 5);
    for (int64_t &fanout : fanouts)
      fanout -= 1;
    const auto blocks = sampleNeighbours(graph, in, nodes, fanouts, 5);
    REQUIRE(blocks);
    REQUIRE(blocks->size() == fanouts.size());
    checkBlocks(graph, *blocks, nodes);
    for (size_t l = 0; l < fanouts.size(); ++l) {
      const Block &block = (*blocks)[l];
      CHECK(std::is_sorted(block.part.graph.destinations().begin(),
                           block.part.graph.destinations().end()));
      for (int64_t i = 0; i < block.destinations; ++i) {
        const int64_t all = in.length(block.part.oldNodes[size_t(i)]);
        const Numbers edges = edgesTo(block, i);
        CHECK(int64_t(edges.size()) ==
              (fanouts[l] < 0 ? all : std::min(all, fanouts[l])));
        CHECK(std::is_sorted(edges.begin(), edges.end()));
        for (int64_t e = 0; e < block.part.graph.edges(); ++e)
          if (block.part.graph.destination(e) == i)
            CHECK(block.weights[size_t(e)] ==
                  float(double(all) / double(edges.size())));
      }
    }
    // What is drawn for a node has nothing to do with the other nodes.
    for (size_t i = 0; !fanouts.empty() && i < nodes.size(); ++i) {
      const auto alone = sampleNeighbours(graph, in, {nodes[i]}, fanouts, 5);
      REQUIRE(alone);
      CHECK(edgesTo(alone->back(), 0) == edgesTo(blocks->back(), int64_t(i)));
    }
  });
}

TEST_CASE("samples are the same on any machine") {
  Numbers sources;
  for (int64_t v = 0; v < 50; ++v)
    sources.push_back(v);
  const Graph star = Graph::sound(50, sources, Numbers(50, 0));
  const Rows in = byDestination(star);
  const Importance importance(star);
  const auto one = sampleNeighbours(star, in, {0}, {5}, 1);
  const auto other = sampleNeighbours(star, in, {0}, {5}, 2);
  const auto layer = sampleLayers(star, in, importance, {0}, {5}, 1);
  REQUIRE(one);
  REQUIRE(other);
  REQUIRE(layer);
  CHECK(one->at(0).part.oldEdges == Numbers{10, 24, 32, 38, 46});
  CHECK(other->at(0).part.oldEdges == Numbers{3, 18, 19, 22, 49});
  CHECK(layer->at(0).part.oldEdges == Numbers{22, 27, 36, 46});
}

TEST_CASE("neighbours are drawn uniformly, as sets") {
  const Graph star = Graph::sound(6, {0, 1, 2, 3, 4, 5}, {0, 0, 0, 0, 0, 0});
  const Rows in = byDestination(star);
  std::map<Numbers, int> seen;
  constexpr int rounds = 20000;
  for (uint64_t seed = 0; seed < rounds; ++seed) {
    const auto blocks = sampleNeighbours(star, in, {0}, {3}, seed);
    REQUIRE(blocks);
    ++seen[blocks->at(0).part.oldEdges];
  }
  // Each of the 20 sets, within five standard deviations.
  REQUIRE(seen.size() == 20);
  for (const auto &[edges, times] : seen)
    CHECK(std::abs(times - rounds / 20) < 5 * std::sqrt(rounds / 20.));
}

TEST_CASE("a layer keeps all edges of the nodes drawn, and no others") {
  onRandomGraphs([](const Graph &graph, Die &die) {
    const Rows in = byDestination(graph), out = bySource(graph);
    const Numbers nodes = someNodes(graph, die);
    const Numbers draws = die.numbers(die.below(4), 8);
    const Importance importance(graph);
    const auto blocks = sampleLayers(graph, in, importance, nodes, draws, 9);
    REQUIRE(blocks);
    REQUIRE(blocks->size() == draws.size());
    checkBlocks(graph, *blocks, nodes);
    for (size_t l = 0; l < draws.size(); ++l) {
      const Block &block = (*blocks)[l];
      std::map<int64_t, float> weightOf; // source: of all its edges
      for (int64_t e = 0; e < block.part.graph.edges(); ++e) {
        const int64_t source = graph.source(block.part.oldEdges[size_t(e)]);
        const float weight = block.weights[size_t(e)];
        CHECK(weightOf.emplace(source, weight).first->second == weight);
      }
      int64_t expected = 0;
      for (int64_t i = 0; i < block.destinations; ++i)
        for (const auto &[from, to] : pairs(graph))
          expected +=
              to == block.part.oldNodes[size_t(i)] && weightOf.count(from);
      CHECK(block.part.graph.edges() == expected);
      double drawn = 0;
      for (const auto &[source, weight] : weightOf) {
        const double times = double(weight) * double(draws[l]) *
                             double(out.length(source)) / double(graph.edges());
        CHECK(times >= 0.999);
        CHECK(std::fabs(times - std::round(times)) < 1e-3);
        drawn += std::round(times);
      }
      CHECK(drawn <= double(draws[l]));
    }
  });
}

TEST_CASE("weighted sums are right on the average") {
  // An edge e carries the message e + 1, to node 0.
  Numbers sources = {1, 1, 1, 2, 2, 3, 4, 0, 5, 5};
  Numbers destinations = {0, 0, 2, 0, 1, 0, 0, 0, 1, 2};
  const Graph graph = Graph::sound(6, sources, destinations);
  const Rows in = byDestination(graph);
  const Importance importance(graph);
  constexpr double exact = 1 + 2 + 4 + 6 + 7 + 8;
  for (const bool layers : {false, true}) {
    INFO((layers ? "layers" : "neighbours"));
    double sum = 0, squares = 0;
    constexpr int rounds = 5000;
    for (uint64_t seed = 0; seed < rounds; ++seed) {
      const auto blocks =
          layers ? sampleLayers(graph, in, importance, {0}, {3}, seed)
                 : sampleNeighbours(graph, in, {0}, {3}, seed);
      REQUIRE(blocks);
      const Block &block = blocks->at(0);
      double value = 0;
      for (size_t e = 0; e < block.weights.size(); ++e)
        value += block.weights[e] * double(block.part.oldEdges[e] + 1);
      sum += value;
      squares += value * value;
    }
    const double mean = sum / rounds;
    const double deviation = std::sqrt(squares / rounds - mean * mean);
    CHECK(deviation > 0);
    CHECK(std::fabs(mean - exact) < 5 * deviation / std::sqrt(rounds));
  }
}

TEST_CASE("layers drawn by importance estimate a matrix times features") {
  // Chen et al., equation 2: the mean over many draws is A h, at all nodes.
  constexpr uint64_t testSeed = 20;
  INFO("seed " << testSeed);
  const Random random(testSeed, "importance");
  constexpr int64_t nodes = 12, edges = 60, draws = 4, rounds = 20000;
  Numbers sources, destinations;
  std::vector<float> values;
  std::vector<double> features;
  for (int64_t e = 0; e < edges; ++e) {
    sources.push_back(random.of(0).below(nodes, uint64_t(e)));
    destinations.push_back(random.of(1).below(nodes, uint64_t(e)));
    // Unlike ones, some below 0, and some 0: their sources may be drawn never.
    values.push_back(float(random.of(2).below(9, uint64_t(e)) - 3) / 4);
  }
  Numbers all;
  for (int64_t v = 0; v < nodes; ++v) {
    all.push_back(v);
    features.push_back(double(random.of(3).below(100, uint64_t(v))) / 10 - 4);
  }
  const Graph graph = Graph::sound(nodes, sources, destinations);
  const Rows in = byDestination(graph);
  const Importance importance(graph, values);
  std::vector<double> exact(nodes), sum(nodes), squares(nodes);
  std::vector<double> norms(nodes);
  double norm = 0;
  for (int64_t e = 0; e < edges; ++e) {
    const double value = double(values[size_t(e)]);
    exact[size_t(graph.destination(e))] +=
        value * features[size_t(graph.source(e))];
    norms[size_t(graph.source(e))] += value * value;
    norm += value * value;
  }
  for (int64_t v = 0; v < nodes; ++v)
    CHECK(importance.of(v) == Approx(norms[size_t(v)] / norm).margin(1e-12));
  std::vector<double> drawn(nodes);
  for (uint64_t seed = 0; seed < rounds; ++seed) {
    const auto blocks = sampleLayers(graph, in, importance, all, {draws}, seed);
    REQUIRE(blocks);
    const Block &block = blocks->at(0);
    std::vector<double> estimate(nodes);
    for (int64_t e = 0; e < block.part.graph.edges(); ++e) {
      const int64_t old = block.part.oldEdges[size_t(e)];
      estimate[size_t(graph.destination(old))] +=
          double(block.weights[size_t(e)]) * double(values[size_t(old)]) *
          features[size_t(graph.source(old))];
    }
    for (size_t v = 0; v < size_t(nodes); ++v) {
      sum[v] += estimate[v];
      squares[v] += estimate[v] * estimate[v];
    }
    ++drawn[size_t(importance.draw(Random(seed, "one"), 0))];
  }
  // Within five standard deviations of the mean, and of a count.
  for (size_t v = 0; v < size_t(nodes); ++v) {
    INFO("node " << v);
    const double mean = sum[v] / rounds;
    const double deviation = std::sqrt(squares[v] / rounds - mean * mean);
    CHECK(std::fabs(mean - exact[v]) <=
          5 * deviation / std::sqrt(double(rounds)));
    CHECK((in.length(int64_t(v)) == 0 || deviation > 0));
    const double share = norms[v] / norm;
    CHECK(std::fabs(drawn[v] / rounds - share) <=
          5 * std::sqrt(share * (1 - share) / rounds));
  }
}

TEST_CASE("blocks as one graph") {
  onRandomGraphs([](const Graph &graph, Die &die) {
    const Rows in = byDestination(graph);
    const auto blocks =
        sampleNeighbours(graph, in, someNodes(graph, die), {2, 3, 1}, 3);
    REQUIRE(blocks);
    const Part part = unite(*blocks);
    std::set<int64_t> edges;
    for (const Block &block : *blocks)
      edges.insert(block.part.oldEdges.begin(), block.part.oldEdges.end());
    CHECK(part.oldNodes == blocks->at(0).part.oldNodes);
    CHECK(part.oldEdges == Numbers(edges.begin(), edges.end()));
    REQUIRE(part.graph.edges() == int64_t(edges.size()));
    for (int64_t e = 0; e < part.graph.edges(); ++e) {
      const int64_t old = part.oldEdges[size_t(e)];
      CHECK(part.oldNodes[size_t(part.graph.source(e))] == graph.source(old));
      CHECK(part.oldNodes[size_t(part.graph.destination(e))] ==
            graph.destination(old));
    }
  });
  CHECK(unite({}).graph == Graph());
}

TEST_CASE("samples that cannot be") {
  const Graph graph = Graph::sound(3, {0, 1}, {1, 2});
  const Rows in = byDestination(graph);
  CHECK(wrong(sampleNeighbours(graph, in, {0, 3}, {2}, 0)) ==
        "nodes to sample for: node 3 is not there: the graph has 3, numbered "
        "from 0");
  CHECK(wrong(sampleNeighbours(graph, in, {1, 1}, {2}, 0)) ==
        "nodes to sample for: node 1 occurs twice; give each once");
  CHECK(wrong(sampleNeighbours(graph, in, {1}, {2, -2}, 0)) ==
        "fan-out -2: give a number from -1 up");
  CHECK(wrong(sampleLayers(graph, in, Importance(graph), {1}, {-1}, 0)) ==
        "draws of a layer -1: give a number from 0 up");
  const Graph empty;
  const auto none =
      sampleLayers(empty, byDestination(empty), Importance(empty), {}, {5}, 0);
  REQUIRE(none);
  CHECK(none->at(0).part.graph == Graph());
}
