// Random walks: from each start along edges drawn uniformly among those that
// leave the node.
#ifndef SMEX_RUNTIME_GRAPH_WALK_H
#define SMEX_RUNTIME_GRAPH_WALK_H

#include "runtime/graph/Part.h"
#include "runtime/graph/Rows.h"

namespace smex::graph {

struct Walks {
  int64_t walks = 0, length = 0;
  /// Row-major: nodes [walks, length + 1], the start first, edges [walks,
  /// length]; -1 after a node that no edge leaves.
  Numbers nodes, edges;
};

/// A walk of `length` edges for each start (a node may occur more than once).
/// `out` is bySource(graph). A function of its arguments alone: walk i does not
/// depend on how many others there are. O(starts x length). Errors: a start
/// that is not there, a negative length, more steps than memory holds.
Result<Walks> randomWalks(const Graph &graph, const Rows &out,
                          const Numbers &starts, int64_t length, uint64_t seed);

/// The nodes seen, those that walks start from first, and the edges walked,
/// each once, in the order of the first time. O(walks x length).
Part walkedGraph(const Graph &graph, const Walks &walks);

} // namespace smex::graph

#endif
