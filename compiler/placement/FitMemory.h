// Memory limits, for algorithms that have no idea of their own about memory.
#ifndef SMEX_COMPILER_PLACEMENT_FITMEMORY_H
#define SMEX_COMPILER_PLACEMENT_FITMEMORY_H

#include "compiler/placement/Algorithm.h"

namespace smex::placement {

/// Whether any placement could keep the limit, as far as is seen at once: a
/// task's output beside all that it reads on one device, all residual tasks of
/// a union on one device, those of all on all devices. The error names who has
/// no room, and how much it needs.
Status haveRoom(const Problem &problem);

/// The placement, if it keeps the memory limit; else what it becomes when
/// unions are moved, from the device that lacks most to those with the most
/// room, until it does. If it never does, the one on the way that needs least.
Outcome withinMemory(const Problem &problem, const Params &params,
                     Placement placement);

} // namespace smex::placement

#endif
