#include "runtime/graph/Batch.h"

using namespace smex::graph;

/// `ends` less `offset`, from edge `begin` up to `end`.
static Numbers moved(const Numbers &ends, int64_t begin, int64_t end,
                     int64_t offset) {
  Numbers result(ends.begin() + begin, ends.begin() + end);
  for (int64_t &node : result)
    node -= offset;
  return result;
}

Batch smex::graph::batch(const std::vector<Graph> &graphs) {
  Batch result;
  for (const Graph &graph : graphs) {
    result.nodeOffsets.push_back(result.nodeOffsets.back() + graph.nodes());
    result.edgeOffsets.push_back(result.edgeOffsets.back() + graph.edges());
  }
  Numbers sources, destinations;
  sources.reserve(size_t(result.edgeOffsets.back()));
  destinations.reserve(size_t(result.edgeOffsets.back()));
  for (size_t g = 0; g < graphs.size(); ++g) {
    for (int64_t node : graphs[g].sources())
      sources.push_back(node + result.nodeOffsets[g]);
    for (int64_t node : graphs[g].destinations())
      destinations.push_back(node + result.nodeOffsets[g]);
  }
  result.graph = Graph::sound(result.nodeOffsets.back(), std::move(sources),
                              std::move(destinations));
  return result;
}

Graph smex::graph::member(const Batch &batch, int64_t index) {
  const size_t g = size_t(index);
  const int64_t first = batch.nodeOffsets[g];
  const int64_t begin = batch.edgeOffsets[g], end = batch.edgeOffsets[g + 1];
  return Graph::sound(batch.nodeOffsets[g + 1] - first,
                      moved(batch.graph.sources(), begin, end, first),
                      moved(batch.graph.destinations(), begin, end, first));
}

Numbers smex::graph::ownersOf(const Numbers &offsets) {
  Numbers owners(size_t(offsets.back()));
  for (size_t g = 0; g + 1 < offsets.size(); ++g)
    std::fill(owners.begin() + offsets[g], owners.begin() + offsets[g + 1],
              int64_t(g));
  return owners;
}
