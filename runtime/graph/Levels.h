// Topological levels: the order in which trees and other graphs without cycles
// are computed, a level at a time (TreeLSTM: children before parents). For the
// other direction: of reversed(graph).
#ifndef SMEX_RUNTIME_GRAPH_LEVELS_H
#define SMEX_RUNTIME_GRAPH_LEVELS_H

#include "runtime/graph/Rows.h"

namespace smex::graph {

struct Levels {
  /// Of each node: edges on the longest path that leads to it; 0 where none
  /// does. All that a node receives comes from levels below its own.
  Numbers level;
  /// Nodes of each level, ascending, and the edges that lead to them, in their
  /// order: level l computes nodes' row l from edges' row l.
  Rows nodes, edges;
};

/// O(V + E). Errors: a cycle, edges from a node to itself included; the message
/// names nodes along one.
Result<Levels> topologicalLevels(const Graph &graph);

} // namespace smex::graph

#endif
