// A graph as a file gives it to a model: between nodes of one type or of two,
// with edges that are all alike, or each of a type. What the compiler binds
// (smexc --graph) and what a plan is given when it runs (smex-run --graph).
#ifndef SMEX_RUNTIME_GRAPH_RELATION_H
#define SMEX_RUNTIME_GRAPH_RELATION_H

#include "runtime/graph/Graph.h"

namespace smex::graph {

/// What a model takes from a file.
struct RelationKind {
  bool ofOneType = true;  // both ends are numbers of the same nodes
  bool selfLoops = false; // one is added at each node that has none
  /// The values in the file are types of edges, whole numbers from 0 up to one
  /// less than this; 0: there are no types. Not with self-loops.
  int64_t edgeTypes = 0;
};

struct Relation {
  Graph graph; // as many nodes as the larger of the two types
  int64_t sourceNodes = 0, destinationNodes = 0;
  Numbers types; // one per edge, or none
  /// Of each graph that is in this one side by side with others: how many
  /// nodes that edges lead to. Of a file: one.
  Numbers sizes = {};

  /// Of nodes of one type, and edges that are alike.
  static Relation of(Graph graph);
};

/// A file as io::readSparseMatrix reads it, rows for sources. Errors: what it
/// says, what fromMatrix and betweenTypes say, a value that is no type of an
/// edge.
Result<Relation> readRelation(const std::string &path,
                              const RelationKind &kind);

/// Several as one, one after the other, as `batch` does with graphs. At least
/// one; all of the same kind.
Relation sideBySide(std::vector<Relation> relations);

} // namespace smex::graph

#endif
