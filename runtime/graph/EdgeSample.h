// Parts of a graph for edges, as for the prediction of links: for the nodes at
// both of their ends, with these edges themselves.
#ifndef SMEX_RUNTIME_GRAPH_EDGESAMPLE_H
#define SMEX_RUNTIME_GRAPH_EDGESAMPLE_H

#include "runtime/graph/Part.h"

namespace smex::graph {

/// The nodes at both ends of edges, each once, in the order of the first time.
/// Errors: an edge that is not there.
Result<Numbers> endsOf(const Graph &graph, const Numbers &edges);

/// The part of a graph with these edges too, where it has them not: behind
/// those that it has. Their ends are among its nodes.
Part withEdges(const Graph &graph, Part part, const Numbers &edges);

} // namespace smex::graph

#endif
