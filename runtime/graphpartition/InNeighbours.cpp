#include "runtime/graphpartition/InNeighbours.h"

#include "runtime/graph/Rows.h"

#include <algorithm>
#include <limits>

using namespace smex;
using namespace smex::graphpartition;

Result<InNeighbours> graphpartition::inNeighboursOf(const graph::Graph &graph) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (graph.nodes() > most)
    return fail("a graph of ", graph.nodes(), " vertices: at most ", most,
                " can be partitioned");
  InNeighbours in;
  in.offsets.assign(size_t(graph.nodes()) + 1, 0);
  in.sources.reserve(size_t(graph.edges()));
  for (int64_t e : graph::canonicalOrder(graph)) {
    ++in.offsets[size_t(graph.destination(e)) + 1];
    in.sources.push_back(int32_t(graph.source(e)));
  }
  for (size_t v = 1; v < in.offsets.size(); ++v)
    in.offsets[v] += in.offsets[v - 1];
  return in;
}

InNeighbours graphpartition::renumbered(const InNeighbours &graph,
                                        const Numbers &order) {
  std::vector<int32_t> place(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    place[size_t(order[i])] = int32_t(i);
  InNeighbours result;
  result.offsets.reserve(order.size() + 1);
  result.sources.reserve(graph.sources.size());
  for (int64_t old : order) {
    for (const int32_t *u = graph.begin(old); u != graph.end(old); ++u)
      result.sources.push_back(place[size_t(*u)]);
    std::sort(result.sources.begin() + result.offsets.back(),
              result.sources.end());
    result.offsets.push_back(int64_t(result.sources.size()));
  }
  return result;
}

InNeighbours graphpartition::reversed(const InNeighbours &graph) {
  InNeighbours result;
  result.offsets.assign(graph.offsets.size(), 0);
  for (int32_t source : graph.sources)
    ++result.offsets[size_t(source) + 1];
  for (size_t v = 1; v < result.offsets.size(); ++v)
    result.offsets[v] += result.offsets[v - 1];
  result.sources.resize(graph.sources.size());
  Numbers next(result.offsets.begin(), result.offsets.end() - 1);
  for (int64_t v = 0; v < graph.vertices(); ++v)
    for (const int32_t *u = graph.begin(v); u != graph.end(v); ++u)
      result.sources[size_t(next[size_t(*u)]++)] = int32_t(v);
  return result;
}
