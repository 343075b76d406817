// A graph: so many nodes, and edges between them. Everything else in this
// folder is made from it, in plain vectors that can be bound as a model's
// inputs.
//
// Nodes and edges are numbered from 0. Numbers are 64 bit: they are what models
// index with (ONNX's indices are i64), offsets of more than 2^31 edges need
// them, and one width spares every function a second copy of itself.
//
// Features stay with the caller, a row per node or per edge. What renumbers
// says which number each node and edge had before, and features follow by a
// gather (Part.h).
#ifndef SMEX_RUNTIME_GRAPH_GRAPH_H
#define SMEX_RUNTIME_GRAPH_GRAPH_H

#include "runtime/io/SparseMatrix.h"

#include <utility>

namespace smex::graph {

/// Numbers of nodes or of edges.
using Numbers = std::vector<int64_t>;

/// A directed multigraph: edges may be parallel, and lead from a node to
/// itself; nodes may have none. In coordinates (COO); rows and columns are made
/// on demand (Rows.h). A Graph is always sound: no end is outside.
class Graph {
public:
  /// No nodes, no edges.
  Graph() = default;

  /// Edge e leads from node sources[e] to node destinations[e]. O(edges).
  /// Errors: a negative number of nodes, not as many sources as destinations,
  /// an end that is no node.
  static Result<Graph> make(int64_t nodes, Numbers sources,
                            Numbers destinations);

  /// For ends that are there by construction; a defect if they are not.
  static Graph sound(int64_t nodes, Numbers sources, Numbers destinations);

  int64_t nodes() const { return count; }
  int64_t edges() const { return int64_t(from.size()); }
  /// One end of each edge.
  const Numbers &sources() const { return from; }
  const Numbers &destinations() const { return to; }
  /// Both ends of each edge, sources first, from a graph that is not used any
  /// more: a large one is not copied to be changed.
  std::pair<Numbers, Numbers> takeEnds() && {
    return {std::move(from), std::move(to)};
  }
  int64_t source(int64_t edge) const { return from[size_t(edge)]; }
  int64_t destination(int64_t edge) const { return to[size_t(edge)]; }

  bool operator==(const Graph &other) const {
    return count == other.count && from == other.from && to == other.to;
  }

private:
  int64_t count = 0;
  Numbers from, to;
};

/// Row i, column j: an edge from i to j, in the order of the matrix. `name` is
/// what messages call it. Errors: a matrix that is not square, or so wide for
/// what it holds (more than 2^27 + 64 x edges) that a list with a number per
/// node would be no match for the file.
Result<Graph> fromMatrix(io::SparseMatrix matrix, const std::string &name);

/// The same where rows are nodes of one type and columns nodes of another: both
/// are numbered from 0, and the graph has as many nodes as the larger type.
Result<Graph> betweenTypes(io::SparseMatrix matrix, const std::string &name);

/// A file, see io::readSparseMatrix: scipy's .npz, Matrix Market, or a list of
/// edges. Weights are left out.
Result<Graph> readGraph(const std::string &path);

} // namespace smex::graph

#endif
