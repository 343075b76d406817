// Random graphs to try everything on: with nodes that have no edges, edges from
// a node to itself, parallel edges and a hub; the empty graph among them.
#ifndef SMEX_TEST_RUNTIME_GRAPH_GRAPHS_H
#define SMEX_TEST_RUNTIME_GRAPH_GRAPHS_H

#include "runtime/graph/Graph.h"

#include <catch2/catch.hpp>

#include <random>

namespace smex::graph {

/// Without std::distributions, which differ between libraries.
struct Die {
  std::mt19937 engine;
  int64_t below(int64_t count) { return int64_t(engine()) % count; }
  Numbers numbers(int64_t length, int64_t count) {
    Numbers list(static_cast<size_t>(length));
    for (int64_t &number : list)
      number = below(count);
    return list;
  }
};

/// Edges lead to a higher node only where there must be no cycle.
inline Graph randomGraph(Die &die, bool acyclic = false) {
  const int64_t nodes = die.below(30);
  Numbers sources, destinations;
  const auto add = [&](int64_t a, int64_t b) {
    if (acyclic && a == b)
      return;
    sources.push_back(acyclic ? std::min(a, b) : a);
    destinations.push_back(acyclic ? std::max(a, b) : b);
  };
  if (nodes > 0) {
    const int64_t hub = die.below(nodes), used = die.below(nodes) + 1;
    for (int64_t edges = die.below(3 * nodes); edges > 0; --edges)
      add(die.below(used), die.below(used));
    for (int64_t edges = die.below(nodes); edges > 0; --edges)
      add(die.below(used), hub);
    for (int64_t copies = die.below(4); copies > 0 && !sources.empty();
         --copies) {
      const size_t e = size_t(die.below(int64_t(sources.size())));
      add(sources[e], destinations[e]);
    }
  }
  return Graph::sound(nodes, sources, destinations);
}

/// `check(graph, die)` on many of them; a failure tells the seed.
template <typename Check>
void onRandomGraphs(Check check, bool acyclic = false) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    Die die{std::mt19937(seed)};
    const Graph graph = randomGraph(die, acyclic);
    check(graph, die);
  }
}

/// One pair per edge, to compare with.
inline std::vector<std::pair<int64_t, int64_t>> pairs(const Graph &graph) {
  std::vector<std::pair<int64_t, int64_t>> list;
  for (int64_t e = 0; e < graph.edges(); ++e)
    list.emplace_back(graph.source(e), graph.destination(e));
  return list;
}

/// The message of a result that must be an error.
template <typename T> std::string wrong(const Result<T> &result) {
  return result ? "no error" : result.error().message;
}

} // namespace smex::graph

#endif
