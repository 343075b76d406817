// Local search for makespan, window by window of the schedule.
#ifndef SMEX_COMPILER_PLACEMENT_WINDOWSEARCH_H
#define SMEX_COMPILER_PLACEMENT_WINDOWSEARCH_H

#include "compiler/placement/Memory.h"

#include <functional>

namespace smex::placement {

struct WindowSearchParams {
  Emulator emulator = firstInFirstOut;
  /// If there is one, devices keep to an order that is searched for, too.
  OrderedEmulator inOrder;
  /// Tasks that are run in windows, over all: the effort.
  int64_t work = 0;
  uint64_t seed = 0;
  /// No placement has less: the search ends there.
  double bound = 0;
};

/// Where each task is, and, where orders are searched for, the order.
struct Ordered {
  Placement placement;
  std::vector<int> order;
};

/// Sweeps over the schedule of a placement, each time with windows of another
/// size. In each window simulated annealing moves tasks, groups of neighbours
/// and stretches to other devices; what came before and what comes after stays
/// (Window.h). Where orders are free, tasks also pass each other on their
/// devices, and after each sweep it is tried whether longest ways first, or
/// earliest starts first, make a shorter schedule. Every few windows the
/// emulator says what came of it, and only what is no worse, and keeps the
/// memory limit if there is one, stays. The result is never worse than what is
/// given, which keeps the limit. Deterministic.
Ordered searchWindows(const Problem &problem, Ordered start,
                      const WindowSearchParams &params);

/// Orders of a placement that are often good ones: longest ways first, and
/// earliest starts first.
std::vector<std::vector<int>> likelyOrders(const Problem &problem,
                                           const Placement &placement);

} // namespace smex::placement

#endif
