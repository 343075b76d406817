// Graphs that change: parts of one, and more to it. Each result says which
// number its nodes and edges had before, so that features are kept
// (gatherRows). Nodes and edges that stay keep their order.
#ifndef SMEX_RUNTIME_GRAPH_CHANGE_H
#define SMEX_RUNTIME_GRAPH_CHANGE_H

#include "runtime/graph/Part.h"

namespace smex::graph {

/// One bit per node, or per edge.
using Mask = std::vector<bool>;

/// The bits at these numbers, in any order, of `count`; O(count + numbers).
/// Errors: a number that is not below `count`.
Result<Mask> maskOf(int64_t count, const Numbers &numbers);

/// The numbers of the bits that are set, ascending.
Numbers numbersOf(const Mask &mask);

/// What is left when only these nodes stay: they, and the edges between them.
/// The mask has a bit per node. O(V + E).
Part keepNodes(const Graph &graph, const Mask &nodes);

/// What is left when only these edges stay, with all the nodes, or without
/// nodes that have no edge left. The mask has a bit per edge. O(V + E).
enum class Idle { Keep, Drop };
Part keepEdges(const Graph &graph, const Mask &edges, Idle idle = Idle::Keep);

/// The edges that a pull to these nodes reads (all that lead to them), or that
/// a push from them writes to; O(E). Message passing on an active set is
/// keepEdges of it.
Mask edgesInto(const Graph &graph, const Mask &nodes);
Mask edgesFrom(const Graph &graph, const Mask &nodes);

/// Without these; with a node go its edges. O(V + E). Errors: a number that is
/// not there.
Result<Part> removeNodes(const Graph &graph, const Numbers &nodes);
Result<Part> removeEdges(const Graph &graph, const Numbers &edges);

/// With more nodes, or edges, at the end; O(V + E). Errors: a negative number,
/// more nodes than 2^63 - 1, an end that is not there.
Result<Part> addNodes(const Graph &graph, int64_t count);
Result<Part> addEdges(const Graph &graph, const Numbers &sources,
                      const Numbers &destinations);

/// With an edge from itself to itself for each node that has none, at the end.
/// A graph that is moved in is not copied.
Part withSelfLoops(Graph graph);

/// Each edge the other way round, under the same numbers.
Graph reversed(const Graph &graph);

} // namespace smex::graph

#endif
