// ParDNN's third stage (thesis section 4.1.1, "Refinement"): clusters that swap
// devices, and tasks along the critical path that change theirs.
#ifndef SMEX_COMPILER_PLACEMENT_REFINEMENT_H
#define SMEX_COMPILER_PLACEMENT_REFINEMENT_H

#include "compiler/placement/Mapping.h"

namespace smex::placement {

/// Swaps the devices of two secondary clusters, one of which starts within the
/// other's span, where that makes the larger of both devices' work smaller, in
/// spans about theirs, or the clusters' communication with other devices, and
/// neither of them larger. Of a few candidates the best; a cluster is swapped
/// once. Each cluster is on one device. O((V + E) log V). Returns the number of
/// swaps.
int swapClusters(const ClusterFacts &facts, Placement &placement);

/// At most `times` times: finds the critical path of the graph as placed, where
/// transfers within a device take no time, and moves tasks (and those that have
/// to be with them) at either end of its transfers to the device of the other
/// end, where no path through them is as long then. Keeps what makes the
/// critical path shorter, as found by computing it anew. O(times (V + E)).
/// Returns the number of moves.
int switchTasks(const Problem &problem, Placement &placement, int times);

} // namespace smex::placement

#endif
