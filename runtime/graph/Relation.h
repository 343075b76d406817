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
  /// The values in the file are a number of each edge; 1 where it has none. Not
  /// with types.
  bool values = false;
};

struct Relation {
  Graph graph; // as many nodes as the larger of the two types
  int64_t sourceNodes = 0, destinationNodes = 0;
  Numbers types; // one per edge, or none
  /// Of each graph that is in this one side by side with others: how many
  /// nodes that edges lead to. Of a file: one.
  Numbers sizes = {};
  /// One per edge of the files, or none.
  std::vector<float> values = {};
  /// So many edges, the last ones, are in no file: self-loops that were added.
  int64_t loops = 0;

  /// The edges of the files. Features of edges have a row for each.
  int64_t fileEdges() const { return graph.edges() - loops; }

  /// Of nodes of one type, and edges that are alike.
  static Relation of(Graph graph);
};

/// With a self-loop for each node that has none, as withSelfLoops adds them to
/// a graph (Change.h). Edges without types, between nodes of one type.
Relation withSelfLoops(Relation relation);

/// A file as io::readSparseMatrix reads it, rows for sources. Errors: what it
/// says, what fromMatrix and betweenTypes say, a value that is no type of an
/// edge.
Result<Relation> readRelation(const std::string &path,
                              const RelationKind &kind);

/// Several as one, one after the other, as `batch` does with graphs; self-loops
/// that were added come after the edges of all. At least one; all of the same
/// kind.
Relation sideBySide(std::vector<Relation> relations);

} // namespace smex::graph

#endif
