// A graph's partition (runtime/graphpartition) as the search takes it: bounds
// for all sides that are as long as there are vertices, and for those that are
// as long as there are edges, which follow from them: an edge is where the
// vertex is that it leads to (Roc's section 4.2). Then what is computed per
// vertex, of the messages that come in to it, is divided alike, and its share
// of the edges is its own.
//
// Whether a side is one of vertices is told by its length alone. A side that
// happens to be as long is cut at the same bounds, which is as right, and not
// as even.
#ifndef SMEX_COMPILER_GRAPHPARTITION_VERTEXSIDES_H
#define SMEX_COMPILER_GRAPHPARTITION_VERTEXSIDES_H

#include "compiler/partition/Choices.h"
#include "compiler/partition/Graph.h"
#include "runtime/graphpartition/ModelFile.h"

#include <memory>

namespace smex::graphpartition {

/// What bounds go by: smexc --graph-partition.
struct Balance {
  enum class Kind {
    Vertices, // as many each
    Edges,    // as many in-edges each
    EdgeCap,  // vertices until there are more edges than a share of them
    Model,    // what a fitted cost model says that they cost
  } kind = Kind::Vertices;
  ModelFile model;
  std::string file; // of the model, for messages
};

/// "equal-vertices", "equal-edges", "greedy-edge-cap", or the file of a model,
/// *.json. Errors: another name, or one of a partitioner that has no bounds
/// before a run (Fault::Usage); a file that is no model.
Result<Balance> parseBalance(const std::string &text);

/// Nodes of one type, and the edges that lead to them.
struct NodeType {
  /// In the canonical order (graph::Rows.h). Of edges from several types, each
  /// source is numbered within its own.
  InNeighbours graph;
  /// Where the edges lead to each vertex that are of one graph, as
  /// InNeighbours::offsets, of each of several graphs; none: there is one.
  std::vector<Numbers> parts = {};
};

/// One graph more, among the edges that lead to these nodes: O(V + E). Requires
/// as many vertices.
void addEdges(const InNeighbours &graph, NodeType &nodes);

struct BalancedGraph {
  std::vector<NodeType> types; // those that edges lead to
  Balance by;                  // a model: of one type and one graph
};

/// How many numbers each message has, layer by layer: of operators that have a
/// result per vertex of so many numbers and reduce over edges. Degrees are
/// none.
std::vector<int64_t> messageWidths(const partition::OperatorGraph &graph,
                                   int64_t vertices, int64_t edges);

/// The sides of vertices and of edges, type by type; of no more than one
/// vertex, none. Of sides that are equally long, the first one. Errors: a cost
/// model of other layers than these.
Result<std::vector<partition::Side>>
sidesOf(std::shared_ptr<const BalancedGraph> graph,
        const partition::OperatorGraph &model);

} // namespace smex::graphpartition

#endif
