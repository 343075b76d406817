// Which graph of a batch each node is of, as an input of a model that has a
// result for each graph; for a plan with room for more of both, too.
#ifndef SMEX_RUNTIME_GRAPH_MEMBERS_H
#define SMEX_RUNTIME_GRAPH_MEMBERS_H

#include "runtime/graph/Graph.h"

namespace smex::graph {

/// What a plan has room for.
struct BatchRoom {
  int64_t nodes = 0, graphs = 0;
  /// A node may be of graph -1: the model only compares these numbers, and one
  /// that is no graph's has no effect.
  bool toNone = true;
};

/// i64[room.nodes]: graph g has the next sizes[g] nodes. Those after the
/// batch's are of graphs after the batch's, evenly, and of none (-1) where
/// there is no such graph. O(room). Errors: more graphs or nodes than there is
/// room for; spare nodes that must be of a graph, and there is none.
Result<Tensor> membersWithin(const Numbers &sizes, const BatchRoom &room);

} // namespace smex::graph

#endif
