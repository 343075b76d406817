// A placement's schedule as the window search sees it: who comes after whom,
// and what is still to come behind each task.
#ifndef SMEX_COMPILER_PLACEMENT_TIMELINE_H
#define SMEX_COMPILER_PLACEMENT_TIMELINE_H

#include "compiler/placement/Schedule.h"

namespace smex::placement {

struct Timeline {
  /// Of the placement's schedule, O(V + E). `apart` is what a transfer of each
  /// edge takes if its tasks are not on one device.
  Timeline(const Problem &problem, const std::vector<double> &apart,
           const Placement &placement, Schedule schedule);

  Schedule schedule;
  /// Seconds from a task's finish to the end of all, at least: along edges, and
  /// from each task to the next one on its device.
  std::vector<double> tail;
};

} // namespace smex::placement

#endif
