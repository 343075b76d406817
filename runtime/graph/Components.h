// The connected parts of a graph, whatever the direction of its edges: each
// tree of a forest, each graph of a batch.
#ifndef SMEX_RUNTIME_GRAPH_COMPONENTS_H
#define SMEX_RUNTIME_GRAPH_COMPONENTS_H

#include "runtime/graph/Part.h"
#include "runtime/graph/Rows.h"

namespace smex::graph {

/// Of each node the smallest one that it is connected with; O(V + E log V).
Numbers componentsOf(const Graph &graph);

/// The parts, in the order of their smallest nodes.
class Components {
public:
  explicit Components(Graph graph);

  int64_t count() const { return nodes.rows(); }
  int64_t nodesOf(int64_t part) const { return nodes.length(part); }
  /// Some parts, one after the other, with their nodes and edges in the order
  /// that they have; O(their nodes and edges). Each part at most once, and
  /// below count().
  Part take(const Numbers &parts);

private:
  const Graph graph;
  Rows nodes, edges; // by part
  Numbers place;     // of nodes that are taken
};

} // namespace smex::graph

#endif
