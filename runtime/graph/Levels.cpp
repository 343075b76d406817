#include "runtime/graph/Levels.h"

#include <algorithm>

using namespace smex;
using namespace smex::graph;

/// Nodes along a cycle, in the direction of edges, where each node with
/// waiting > 0 still waits for another one of them.
static Numbers findCycle(const Graph &graph, const Numbers &waiting) {
  const Rows in = byDestination(graph);
  int64_t node = std::find_if(waiting.begin(), waiting.end(),
                              [](int64_t edges) { return edges > 0; }) -
                 waiting.begin();
  Numbers path, position(waiting.size(), -1);
  while (position[size_t(node)] < 0) {
    position[size_t(node)] = int64_t(path.size());
    path.push_back(node);
    node = graph.source(
        *std::find_if(in.begin(node), in.end(node), [&](int64_t e) {
          return waiting[size_t(graph.source(e))] > 0;
        }));
  }
  // The path went against the edges, and its beginning may lead nowhere.
  path.erase(path.begin(), path.begin() + position[size_t(node)]);
  std::reverse(path.begin(), path.end());
  return path;
}

static Error cycleError(const Numbers &cycle) {
  constexpr size_t most = 8;
  std::string text;
  for (size_t i = 0; i < cycle.size() && i < most; ++i)
    text += std::to_string(cycle[i]) + " -> ";
  if (cycle.size() > most)
    text += "... -> ";
  return fail("the graph has no topological order: a cycle of ", cycle.size(),
              cycle.size() == 1 ? " node, " : " nodes, ", text, cycle[0],
              "; remove one of its edges");
}

Result<Levels> graph::topologicalLevels(const Graph &graph) {
  const size_t nodes = size_t(graph.nodes());
  const Rows out = bySource(graph);
  Levels result;
  result.level.assign(nodes, 0);
  Numbers waiting(nodes, 0); // edges from nodes that are not done
  for (int64_t v : graph.destinations())
    ++waiting[size_t(v)];
  Numbers done; // grows while it is read
  done.reserve(nodes);
  for (size_t v = 0; v < nodes; ++v)
    if (waiting[v] == 0)
      done.push_back(int64_t(v));
  int64_t levels = nodes ? 1 : 0;
  for (size_t i = 0; i < done.size(); ++i) {
    const int64_t below = result.level[size_t(done[i])];
    levels = std::max(levels, below + 1);
    for (const int64_t *e = out.begin(done[i]); e != out.end(done[i]); ++e) {
      const size_t to = size_t(graph.destination(*e));
      if (--waiting[to] > 0)
        continue;
      // Nodes are done level by level, so the last one waited for is the
      // highest.
      result.level[to] = below + 1;
      done.push_back(int64_t(to));
    }
  }
  if (done.size() < nodes)
    return cycleError(findCycle(graph, waiting));
  result.nodes = groupBy(result.level, levels);
  result.edges = groupBy(gather(result.level, graph.destinations()), levels);
  return result;
}
