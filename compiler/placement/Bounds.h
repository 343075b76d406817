// What no placement undercuts, whatever made it.
#ifndef SMEX_COMPILER_PLACEMENT_BOUNDS_H
#define SMEX_COMPILER_PLACEMENT_BOUNDS_H

#include "compiler/placement/Algorithm.h"

namespace smex::placement {

struct Bounds {
  double criticalPath = 0; // the longest chain of tasks, without transfers
  double work = 0;         // all tasks over all devices
  double largest = 0;      // the largest task or union: for throughput
  /// The best of what is proven for the objective, these three among them.
  double best = 0;
};

/// Near-linear in the graph.
Bounds lowerBounds(const Problem &problem, Objective objective);

} // namespace smex::placement

#endif
