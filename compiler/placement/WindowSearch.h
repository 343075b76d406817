// Local search for makespan, window by window of the schedule.
#ifndef SMEX_COMPILER_PLACEMENT_WINDOWSEARCH_H
#define SMEX_COMPILER_PLACEMENT_WINDOWSEARCH_H

#include "compiler/placement/Memory.h"

#include <functional>

namespace smex::placement {

struct WindowSearchParams {
  Emulator emulator = firstInFirstOut;
  /// Tasks that are run in windows, over all: the effort.
  int64_t work = 0;
  uint64_t seed = 0;
  /// No placement has less: the search ends there.
  double bound = 0;
};

/// Sweeps over the schedule of a placement, each time with windows of another
/// size. In each window simulated annealing moves tasks, groups of neighbours
/// and stretches to other devices; what came before and what comes after stays
/// (Window.h). Every few windows the emulator says what came of it, and only
/// what is no worse, and keeps the memory limit if there is one, stays. The
/// result is never worse than the placement given, which keeps the limit.
/// Deterministic.
Placement searchWindows(const Problem &problem, Placement placement,
                        const WindowSearchParams &params);

} // namespace smex::placement

#endif
