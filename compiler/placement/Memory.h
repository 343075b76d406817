// What a placement takes of each device's memory over time (thesis section
// 4.1.2, "Tracking Memory Consumption", equation 4.3).
//
// As printed the equation's third term is garbled; by the prose: a task's
// output is there from the task's start until the last task that reads it on
// that device has finished. A copy on another device is there from when the
// task that makes it has finished until the last reader on that device has.
// A residual task's output is there all the time, and so it is never freed; its
// copies on other devices are freed as others' are.
#ifndef SMEX_COMPILER_PLACEMENT_MEMORY_H
#define SMEX_COMPILER_PLACEMENT_MEMORY_H

#include "compiler/placement/Schedule.h"

namespace smex::placement {

struct MemoryUse {
  std::vector<int64_t> peakBytes;     // by device, without the host
  std::vector<int64_t> residualBytes; // of these, what is always there
  std::vector<double> peakTime;       // seconds; the first such moment
};

/// Near-linear: O((V + E) log V) for the sorting of moments.
MemoryUse memoryUse(const Problem &problem, const Placement &placement,
                    const Schedule &schedule);

/// Whether no device needs more than Devices::usableBytes(); always without a
/// limit.
bool fits(const Devices &devices, const MemoryUse &use);

} // namespace smex::placement

#endif
