// Which node and edge of a graph is where in a plan that handles them in groups
// (Rooms.h): the room that a plan is given, and the lists for one graph.
#ifndef SMEX_RUNTIME_GRAPH_LAYOUT_H
#define SMEX_RUNTIME_GRAPH_LAYOUT_H

#include "dialects/smex/lists/Rooms.h"
#include "runtime/graph/Rows.h"

namespace smex::graph {

/// That share of a count, and a few where that is too little: what is rare in
/// one graph is there in the next one.
int64_t moreThan(int64_t count, double share);

/// Rooms of nodes and edges alone. Without a share, all rooms are exactly the
/// graph's; with one, so much more, from 0 up.
Rooms roomsFor(const Graph &graph, std::optional<double> share);

/// Adds buckets for nodes with these messages: those of bucketsByDegree with
/// more room each, and one that is wider than all. O(V + E).
void addBuckets(const Rows &messages, std::optional<double> share,
                Rooms &rooms);

/// Adds levels: those of levelsOf with more room each, and more of them below.
/// Each has room for an edge from every node of the level before it, and for
/// some from each level that is no further away than in the graph. O(V + E),
/// and for each level the length of the longest edge. Errors: a cycle.
Status addLevels(const Graph &graph, std::optional<double> share, Rooms &rooms);

/// The lists of a graph, in the order asked for. Edges are numbered in the
/// canonical order (Rows.h). All from one pass: see bucketsWithin and
/// levelsWithin for cost and errors; besides, more nodes or edges than there is
/// room for. Rooms that are exact are those of this graph, and may be of fewer
/// nodes: those that messages may lead to.
Result<std::vector<Tensor>> layOut(const Graph &graph, const Rooms &rooms,
                                   const std::vector<GraphList> &lists);

} // namespace smex::graph

#endif
