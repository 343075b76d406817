// ParDNN's second step (thesis section 4.1.2, "Addressing Overflow"): tasks
// leave devices that need more memory than they may use.
//
// In rounds: the schedule is emulated and memory is counted over time. On each
// device that is over the limit, tasks are visited from the last to the first.
// Where the device needs too much while a task runs, those leave that free most
// at that moment for what moving them costs (M_pot, equation 4.5), each to a
// device that can accommodate it at all times, until enough is free. A round
// takes all moments of all devices on one schedule, and keeps memory up to date
// as tasks move (MemoryModel.h), so that it costs what a few schedules do; the
// next one sees what the moves did to the schedule. A task moves once, with all
// that has to be beside it. A residual task takes those along that read it:
// their copy of it would take what it leaves.
#ifndef SMEX_COMPILER_PLACEMENT_OVERFLOW_H
#define SMEX_COMPILER_PLACEMENT_OVERFLOW_H

#include "compiler/placement/Memory.h"

namespace smex::placement {

struct Relief {
  int64_t moved = 0; // tasks
  int rounds = 0;
  /// If the limit is never kept: what the nearest placement on the way takes of
  /// the device that holds most. Else 0.
  int64_t neededBytes = 0;
};

/// Changes the placement until it keeps the limit, if there is one, as counted
/// by memoryUse. If it never does, the placement becomes the nearest one on the
/// way. Of large graphs there are fewer rounds.
Relief addressOverflow(const Problem &problem, const Emulator &emulator,
                       Placement &placement);

} // namespace smex::placement

#endif
