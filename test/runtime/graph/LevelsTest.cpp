#include "runtime/graph/Levels.h"
#include "test/runtime/graph/Graphs.h"

#include <sstream>

using namespace smex;
using namespace smex::graph;

/// Longest paths by relaxing every edge until nothing changes; nothing if that
/// does not end.
static std::optional<Numbers> longestPaths(const Graph &graph) {
  Numbers level(size_t(graph.nodes()), 0);
  for (int64_t round = 0; round <= graph.nodes(); ++round) {
    bool changed = false;
    for (const auto &[from, to] : pairs(graph))
      if (level[size_t(to)] <= level[size_t(from)]) {
        level[size_t(to)] = level[size_t(from)] + 1;
        changed = true;
      }
    if (!changed)
      return level;
  }
  return std::nullopt;
}

static void check(const Graph &graph) {
  const auto expected = longestPaths(graph);
  const auto levels = topologicalLevels(graph);
  REQUIRE(bool(levels) == expected.has_value());
  if (levels) {
    CHECK(levels->level == *expected);
    int64_t depth = 0;
    for (int64_t level : *expected)
      depth = std::max(depth, level + 1);
    REQUIRE(levels->nodes.rows() == depth);
    REQUIRE(levels->edges.rows() == depth);
    for (int64_t l = 0; l < depth; ++l) {
      Numbers nodes, edges;
      for (int64_t v = 0; v < graph.nodes(); ++v)
        if ((*expected)[size_t(v)] == l)
          nodes.push_back(v);
      for (int64_t e = 0; e < graph.edges(); ++e)
        if ((*expected)[size_t(graph.destination(e))] == l)
          edges.push_back(e);
      CHECK(Numbers(levels->nodes.begin(l), levels->nodes.end(l)) == nodes);
      CHECK(Numbers(levels->edges.begin(l), levels->edges.end(l)) == edges);
    }
    return;
  }
  // The message names a cycle that is there: each step of it is an edge.
  const std::string message = levels.error().message;
  std::istringstream text(message.substr(message.find(", ") + 2));
  int64_t last = -1;
  for (std::string word; text >> word && word != "...";)
    if (word != "->") {
      const int64_t node = std::stoll(word);
      if (last >= 0) {
        bool there = false;
        for (const auto &edge : pairs(graph))
          there |= edge == std::pair(last, node);
        CHECK(there);
      }
      last = node;
      if (word.back() == ';')
        break;
    }
  CHECK(last >= 0);
}

TEST_CASE("levels are longest paths") {
  onRandomGraphs([](const Graph &graph, Die &) { check(graph); }, true);
}

TEST_CASE("a cycle is found, or there is none") {
  int cycles = 0;
  onRandomGraphs([&](const Graph &graph, Die &) {
    check(graph);
    cycles += !longestPaths(graph);
  });
  CHECK(cycles > 100);
}

TEST_CASE("a cycle is named") {
  // A tail on both sides of 2 -> 5 -> 3 -> 2.
  CHECK(wrong(topologicalLevels(
            Graph::sound(7, {0, 2, 5, 3, 3, 4}, {2, 5, 3, 2, 4, 6}))) ==
        "the graph has no topological order: a cycle of 3 nodes, 5 -> 3 -> 2 "
        "-> 5; remove one of its edges");
  CHECK(wrong(topologicalLevels(Graph::sound(2, {1}, {1}))) ==
        "the graph has no topological order: a cycle of 1 node, 1 -> 1; remove "
        "one of its edges");
  Numbers ring, next;
  for (int64_t v = 0; v < 20; ++v) {
    ring.push_back(v);
    next.push_back((v + 1) % 20);
  }
  CHECK(wrong(topologicalLevels(Graph::sound(20, ring, next)))
            .find("a cycle of 20 nodes, 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 8 "
                  "-> ... -> 1;") != std::string::npos);
}
