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

/// For makespan, O((V + E) log V): no schedule is shorter, whichever emulator
/// it is of. Besides the longest path: data that reaches a task before it could
/// have come from another device was made on the task's own, by one task after
/// the other; and what has to run in a window of time fits into K devices
/// (Fernandez & Bussell 1973).
///
/// For throughput: transfers count, see StageBound.h. `reached` is a load that
/// some placement has, as small as is known: the search for the bound starts
/// there.
Bounds lowerBounds(const Problem &problem, const Params &params,
                   double reached);

/// The longest path without transfers, and with what of them is unavoidable.
double criticalPath(const Problem &problem);
double makespanBound(const Problem &problem);

} // namespace smex::placement

#endif
