// Heterogeneous graphs: nodes of several types, each with features of its own
// kind, and edges of several types between them. For sampling, walks and
// changes they are seen as one homogeneous graph, and taken apart again.
#ifndef SMEX_RUNTIME_GRAPH_HETERO_H
#define SMEX_RUNTIME_GRAPH_HETERO_H

#include "runtime/graph/Part.h"

namespace smex::graph {

/// Nodes are numbered from 0 within their type.
struct NodeType {
  std::string name;
  int64_t nodes = 0;
};

/// Edges ("user", "buys", "item"), numbered from 0 within their type: ends are
/// numbers within the two types of nodes.
struct EdgeType {
  std::string source, name, destination;
  Numbers sources, destinations;
};

/// Always sound: types that edges name are there, and so are their ends.
class HeteroGraph {
public:
  HeteroGraph() = default;

  /// O(edges + types). Errors: two types of the same name (edges: of the same
  /// three names), a type that is not there, what Graph::make says of ends,
  /// more than 2^63 - 1 nodes in all.
  static Result<HeteroGraph> make(std::vector<NodeType> nodeTypes,
                                  std::vector<EdgeType> edgeTypes);

  const std::vector<NodeType> &nodeTypes() const { return nodes; }
  const std::vector<EdgeType> &edgeTypes() const { return edges; }

  /// In the homogeneous graph, node i of type t is nodeOffsets()[t] + i, edges
  /// alike; one more number than types.
  const Numbers &nodeOffsets() const { return firstNode; }
  const Numbers &edgeOffsets() const { return firstEdge; }

  /// All nodes and edges without their types. O(V + E).
  Graph homogeneous() const;

  /// The type of node type `name`, or of an edge type; -1: there is none.
  int64_t nodeType(const std::string &name) const;
  int64_t edgeType(const std::string &source, const std::string &name,
                   const std::string &destination) const;

private:
  std::vector<NodeType> nodes;
  std::vector<EdgeType> edges;
  Numbers firstNode = {0}, firstEdge = {0};
};

/// A part of a heterogeneous graph, with all of its types (some may be empty).
struct HeteroPart {
  HeteroGraph graph;
  /// Per type: node i was number oldNodes[type][i] of its type before; so that
  /// features follow (gatherRows).
  std::vector<Numbers> oldNodes, oldEdges;
  /// Of each node of the part: its number within its type.
  Numbers place;
};

/// `part`, made from of.homogeneous(), with types again. Within a type, nodes
/// and edges keep their order. O(V + E) of the part, and types. Errors: a new
/// node or edge (old number -1), which has no type; a number that `of` has not;
/// an edge whose ends are not of its types.
Result<HeteroPart> withTypes(const HeteroGraph &of, const Part &part);

} // namespace smex::graph

#endif
