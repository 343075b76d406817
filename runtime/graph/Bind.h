// A graph as the inputs of a model that is to work on it: the ends of its
// edges, and what each edge has besides; for a plan with room for more nodes
// and edges, too.
//
// A model's edges are in an order of their own (canonicalOrder, Rows.h), with
// self-loops that no file has, and spare ones at the end. Features of edges
// follow by edgeRows, and by nothing else.
#ifndef SMEX_RUNTIME_GRAPH_BIND_H
#define SMEX_RUNTIME_GRAPH_BIND_H

#include "runtime/graph/Relation.h"

#include <optional>

namespace smex::graph {

/// i64[edges] each: edge e leads from node sources[e] to node destinations[e],
/// and is of type types[e], if edges have types (or there are none).
struct Ends {
  Tensor sources, destinations, types;
  /// f32[edges]: the number in the file, if it was taken from it; 0 of what is
  /// in no file.
  Tensor values;
  /// bool[edges]: is it a self-loop that was added?
  Tensor added;
};

/// In the canonical order (Rows.h); O(V + E).
Ends endsOf(const Graph &graph);
Ends endsOf(const Relation &relation);
Ends endsOf(Relation &&relation); // the same, in less memory

/// Where the features of each edge are, of `room` edges, at least as many as
/// there are: its number in the files (of several, one after the other), or -1,
/// for a self-loop that was added and for spare edges. O(V + E + room).
Numbers edgeRows(const Relation &relation, int64_t room);

/// What a plan has room for.
struct Room {
  int64_t nodes = 0, edges = 0;
  /// Edges may lead to -1: the model only compares destinations, and one that
  /// is no node has no effect.
  bool toNone = false;
  /// Of the type that edges come from, if it is not that which they lead to.
  std::optional<int64_t> sourceNodes = std::nullopt;
};

/// As endsOf, with edges up to the room's. Spare ones lead from spare nodes
/// (those after the graph's) to themselves, evenly, and are of type 0: results
/// of the graph's own nodes are what they were, whatever the model does along
/// edges. Between two types of nodes, from spare ones to spare ones. Where
/// there is no spare node, they lead from node 0 to -1. O(room). Errors: a
/// graph with more nodes or edges; spare edges that have nowhere to lead.
Result<Ends> endsWithin(const Graph &graph, const Room &room);
Result<Ends> endsWithin(const Relation &relation, const Room &room);

} // namespace smex::graph

#endif
