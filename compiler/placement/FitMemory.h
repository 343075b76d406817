// Memory limits, for algorithms that have no idea of their own about memory.
#ifndef SMEX_COMPILER_PLACEMENT_FITMEMORY_H
#define SMEX_COMPILER_PLACEMENT_FITMEMORY_H

#include "compiler/placement/Algorithm.h"

namespace smex::placement {

/// Why no placement keeps a limit.
struct Lack {
  std::string what; // who has no room, and how much it needs
  /// That a device needs, at least, of what placements may use.
  int64_t bytes = 0;
};

/// What is seen at once of whether any placement could keep the limit: a task's
/// output beside all that it reads on one device, all residual tasks of a union
/// on one device, those of all on all devices. Nothing if there is room for
/// these; then it may still be that no placement keeps it.
std::optional<Lack> lackOfRoom(const Problem &problem);

/// The placement, if it keeps the memory limit; else what it becomes when
/// unions are moved, from the device that lacks most to those with the most
/// room, until it does. If it never does, the one on the way that needs least.
Outcome withinMemory(const Problem &problem, const Params &params,
                     Placement placement);

/// The outcome with this order, if that is what Outcome::order is to be.
void keepIfSooner(const Problem &problem, const Params &params,
                  std::vector<int> order, Outcome &outcome);

/// The same for an algorithm with an order of its own, which it keeps where
/// that is sooner. What fits in this order stays where it is.
Outcome withinMemory(const Problem &problem, const Params &params,
                     Placement placement, std::vector<int> order);

} // namespace smex::placement

#endif
