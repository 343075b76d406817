// ParDNN's first stage (thesis section 4.1.1, "Graph slicing", Algorithm 1):
// tasks in clusters, so that what follows moves clusters rather than tasks.
//
// The critical path of the graph is the first primary cluster and leaves the
// graph, the critical path of what is left is the second, and so on, as many as
// there are devices. What is left then becomes secondary clusters along the
// weighted levels that it has as a whole: from the heaviest task forward and
// back, each time to the neighbour with the largest level, until a dead end.
// (As printed Algorithm 1 computes levels before it takes the path away, and
// for none but secondary clusters.)
//
// Tasks that have to be together join the cluster that takes the first of them;
// tasks without a kernel for GPUs are in none.
#ifndef SMEX_COMPILER_PLACEMENT_SLICING_H
#define SMEX_COMPILER_PLACEMENT_SLICING_H

#include "compiler/placement/Schedule.h"

namespace smex::placement {

struct Clusters {
  /// Tasks in topological order: a path but for those that joined it. As many
  /// as were asked for; on a small graph the last ones are empty.
  std::vector<std::vector<int>> primary;
  /// The heaviest first.
  std::vector<std::vector<int>> secondary;
};

/// O(K (V + E) + V log V).
Clusters slice(const Problem &problem, int primaries);

} // namespace smex::placement

#endif
