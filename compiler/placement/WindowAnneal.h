// Simulated annealing within one window of a schedule.
#ifndef SMEX_COMPILER_PLACEMENT_WINDOWANNEAL_H
#define SMEX_COMPILER_PLACEMENT_WINDOWANNEAL_H

#include "compiler/placement/Window.h"
#include "dialects/support/Random.h"

namespace smex::placement {

struct WindowAnnealParams {
  int64_t moves = 0; // that are tried
  /// Whether the order is free, too, of a window that runs in a given one.
  bool ordersTasks = false;
  Random random = Random(0, "window");
};

/// Leaves the window with the best devices seen, and their order, no worse than
/// those that it had, and run with them.
void annealWindow(Window &window, const WindowAnnealParams &params);

} // namespace smex::placement

#endif
