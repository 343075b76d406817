// What a placement takes of each device's memory over time (thesis section
// 4.1.2, "Tracking Memory Consumption", equation 4.3).
//
// As printed the equation's third term is garbled; by the prose: a task's
// output is there from the task's start until the last task that reads it on
// that device has finished, or with no reader there, until it has finished
// itself. A copy on another device is there from when the task that makes it
// has finished until the last reader on that device has; it has the bytes of
// the largest part that one of them reads. A residual task's output is there
// all the time, and so it is never freed; its copies on other devices are freed
// as others' are. A reference has no output of its own: who reads it on its
// device reads its target's, which is there as long. Beyond the thesis: what
// the last reader on a device overwrites is no longer there once that one
// starts, since its own output is.
//
// Of things that happen at one time, tasks that finish free first, then copies
// of what they made arrive, then tasks start; a task that takes no time starts
// and finishes before the next one in the schedule's order, and what it makes
// is there in between.
#ifndef SMEX_COMPILER_PLACEMENT_MEMORY_H
#define SMEX_COMPILER_PLACEMENT_MEMORY_H

#include "compiler/placement/Schedule.h"

namespace smex::placement {

struct MemoryUse {
  std::vector<int64_t> peakBytes;     // by device, without the host
  std::vector<int64_t> residualBytes; // of these, what is always there
  std::vector<double> peakTime;       // seconds; the first such moment

  /// The largest peak.
  int64_t most() const;
};

/// O(V log V + E): linear but for the sorting of tasks by when they finish.
MemoryUse memoryUse(const Problem &problem, const Placement &placement,
                    const Schedule &schedule);

/// Whether no device needs more than Devices::usableBytes(); always without a
/// limit.
bool fits(const Devices &devices, const MemoryUse &use);

} // namespace smex::placement

#endif
