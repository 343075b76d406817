// A graph as the two inputs of a model that is to work on it, the ends of its
// edges; for a plan with room for more nodes and edges than the graph has, too.
#ifndef SMEX_RUNTIME_GRAPH_BIND_H
#define SMEX_RUNTIME_GRAPH_BIND_H

#include "runtime/graph/Graph.h"

namespace smex::graph {

/// i64[edges] each: edge e leads from node sources[e] to node destinations[e].
struct Ends {
  Tensor sources, destinations;
};

/// In the canonical order (Rows.h); O(V + E).
Ends endsOf(const Graph &graph);

/// What a plan has room for.
struct Room {
  int64_t nodes = 0, edges = 0;
  /// Edges may lead to -1: the model only compares destinations, and one that
  /// is no node has no effect.
  bool toNone = false;
};

/// As endsOf, with edges up to the room's. Spare ones lead from spare nodes
/// (those after the graph's) to themselves, evenly: results of the graph's own
/// nodes are what they were, whatever the model does along edges. Where there
/// is no spare node, they lead from node 0 to -1. O(room). Errors: a graph with
/// more nodes or edges; spare edges that have nowhere to lead.
Result<Ends> endsWithin(const Graph &graph, const Room &room);

} // namespace smex::graph

#endif
