// A graph as its partition sees it: for each vertex the vertices that its
// in-edges come from (CSC, or the rows of a transposed CSR matrix).
#ifndef SMEX_RUNTIME_GRAPHPARTITION_INNEIGHBOURS_H
#define SMEX_RUNTIME_GRAPHPARTITION_INNEIGHBOURS_H

#include "runtime/graph/Graph.h"

namespace smex::graphpartition {

using graph::Numbers;

/// Vertex v's neighbours are sources[offsets[v]] to sources[offsets[v + 1] -
/// 1], ascending; parallel edges repeat a neighbour. 32 bits for a vertex: with
/// hundreds of millions of edges, their width is the time that it takes to
/// read them.
struct InNeighbours {
  Numbers offsets = {0};
  std::vector<int32_t> sources;

  int64_t vertices() const { return int64_t(offsets.size()) - 1; }
  int64_t edges() const { return int64_t(sources.size()); }
  int64_t degree(int64_t vertex) const {
    return offsets[size_t(vertex) + 1] - offsets[size_t(vertex)];
  }
  const int32_t *begin(int64_t vertex) const {
    return sources.data() + offsets[size_t(vertex)];
  }
  const int32_t *end(int64_t vertex) const {
    return sources.data() + offsets[size_t(vertex) + 1];
  }
};

/// O(V + E). Errors: more than 2^31 - 1 vertices.
Result<InNeighbours> inNeighboursOf(const graph::Graph &graph);

/// The same graph with its vertices numbered anew: vertex i is that which was
/// order[i]. O(V + E log(longest row)). `order` is a permutation.
InNeighbours renumbered(const InNeighbours &graph, const Numbers &order);

/// The same graph with its edges turned round: a vertex's neighbours are those
/// that its edges lead to. O(V + E).
InNeighbours reversed(const InNeighbours &graph);

} // namespace smex::graphpartition

#endif
