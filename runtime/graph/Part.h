// A graph made from another one, and where its nodes and edges come from: what
// every change, sample and batch returns.
#ifndef SMEX_RUNTIME_GRAPH_PART_H
#define SMEX_RUNTIME_GRAPH_PART_H

#include "runtime/graph/Graph.h"

namespace smex::graph {

/// Node v was oldNodes[v] before, edge e was oldEdges[e]; -1: it is new.
struct Part {
  Graph graph;
  Numbers oldNodes, oldEdges;
};

/// All of a graph, under the same numbers.
Part whole(Graph graph);

/// `second` was made from first.graph: the same graph, by the numbers of what
/// `first` was made from.
Part compose(const Part &first, Part second);

/// Features follow their nodes, or edges: row i is row old[i] of `features`,
/// zeros where that is -1. O(bytes of the result). Errors: features without
/// rows (rank 0), a number that has none, a size that no memory holds.
Result<Tensor> gatherRows(const Tensor &features, const Numbers &old);

} // namespace smex::graph

#endif
