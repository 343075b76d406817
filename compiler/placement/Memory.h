// What a placement takes of each device's memory over time (thesis section
// 4.1.2, "Tracking Memory Consumption", equation 4.3).
//
// As printed the equation's third term is garbled; by the prose: a task's
// output is there from the task's start until the last task that reads it on
// that device has finished, or with no reader there, until it has finished
// itself. A copy on another device is there from when the task that makes it
// has finished until the last reader on that device has; it has the bytes of
// the largest part that one of them reads, or where parts are told apart
// (Edge::part), of all of them. A residual task's output is there all the time,
// and so it is never freed; its copies on other devices are freed as others'
// are. A reference has no output of its own: who reads it on its device reads
// its target's, which is there as long. Who reads no bytes only comes later,
// and keeps nothing. Beyond the thesis: what the last reader on a device
// overwrites is no longer there once that one starts, since its own output is;
// and what is kept stays to the end.
//
// Of a plan (Schedule::list) the same is counted over its list of instructions,
// each of which has finished before the next one starts: workers need bytes for
// as long as the list says, whatever the clock does. Copies come at their place
// in the list (Schedule::copied), and until then what they are of is there,
// too; but those of residual outputs, which are there all the
// time, before the first task that reads them on the copy's device, as plans
// fetch parameters. What reads nothing and takes no time is there from the
// start, and so are its copies.
//
// Of things that happen at one time, tasks that finish free first, then copies
// of what they made arrive, then tasks start; a task that takes no time starts
// and finishes before the next one in the schedule's order, and what it makes
// is there in between.
#ifndef SMEX_COMPILER_PLACEMENT_MEMORY_H
#define SMEX_COMPILER_PLACEMENT_MEMORY_H

#include "compiler/placement/Schedule.h"

#include <algorithm>

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

/// In how many rounds tasks are moved at most until a limit is kept: of large
/// graphs in as many as visit so many tasks, but for a few.
inline int mostRoundsFor(size_t tasks, int64_t few) {
  constexpr int64_t kMostRounds = 200, kMostVisits = 3'000'000;
  return int(std::clamp(kMostVisits / int64_t(tasks + 1), few, kMostRounds));
}

} // namespace smex::placement

#endif
