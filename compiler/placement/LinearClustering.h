// Linear clusters (Kim & Browne 1988), and their places.
#ifndef SMEX_COMPILER_PLACEMENT_LINEARCLUSTERING_H
#define SMEX_COMPILER_PLACEMENT_LINEARCLUSTERING_H

#include "compiler/placement/Schedule.h"

namespace smex::placement {

/// Paths: the longest, with transfers between all tasks, of the graph; then of
/// what is left of it; until nothing is. Of equally long ones, the one that the
/// topological order has first.
///
/// Levels are those that computing them anew for each path would give, but only
/// tasks whose level changes are looked at again: O(V (V + E)) at worst, and
/// far from it on graphs that are long and not wide.
std::vector<std::vector<int>> linearClusters(const Problem &problem);

/// Guided load balancing (Radulescu & van Gemund 1998): clusters, in the order
/// of their earliest starts where no data moves within a cluster, each to the
/// device that has the least work so far. Clusters that share a union are one.
Placement guidedLoadBalancing(const Problem &problem,
                              const std::vector<std::vector<int>> &clusters);

} // namespace smex::placement

#endif
