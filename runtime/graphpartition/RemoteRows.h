// What a worker fetches of the others before each layer: the rows of its
// remote neighbours, each once.
#ifndef SMEX_RUNTIME_GRAPHPARTITION_REMOTEROWS_H
#define SMEX_RUNTIME_GRAPHPARTITION_REMOTEROWS_H

#include "runtime/graphpartition/Ranges.h"

namespace smex::graphpartition {

/// Vertices outside [first, last) that an edge leads from into it, ascending,
/// each once. O(its edges log(its edges)).
Numbers remoteRows(const InNeighbours &graph, int64_t first, int64_t last);

/// How many each worker has. O(V * workers / 64 + E) and V bits.
Numbers remoteRowCounts(const InNeighbours &graph, const Bounds &bounds);

} // namespace smex::graphpartition

#endif
