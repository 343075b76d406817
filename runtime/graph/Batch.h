// Many graphs as one: a disjoint union, on which message passing does them all
// at once. Features of nodes and edges are those of the graphs, one after the
// other.
#ifndef SMEX_RUNTIME_GRAPH_BATCH_H
#define SMEX_RUNTIME_GRAPH_BATCH_H

#include "runtime/graph/Graph.h"

namespace smex::graph {

struct Batch {
  Graph graph;
  /// Graph g has nodes nodeOffsets[g] up to nodeOffsets[g + 1] - 1, its edges
  /// alike; one more than there are graphs. They are rows to read out from.
  Numbers nodeOffsets = {0}, edgeOffsets = {0};

  int64_t graphs() const { return int64_t(nodeOffsets.size()) - 1; }
};

/// O(V + E + graphs).
Batch batch(const std::vector<Graph> &graphs);

/// Graph `index` of the batch again; O(its nodes and edges).
Graph member(const Batch &batch, int64_t index);

/// The graph of each node, or edge, by the batch's offsets: keys to reduce over
/// when each graph has one result. O(graphs + result).
Numbers ownersOf(const Numbers &offsets);

} // namespace smex::graph

#endif
