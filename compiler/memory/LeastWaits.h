// The fewest waits that order the same. Plain structs without IR.
#ifndef SMEX_COMPILER_MEMORY_LEASTWAITS_H
#define SMEX_COMPILER_MEMORY_LEASTWAITS_H

#include "runtime/plan/Plan.h"

namespace smex::memory {

/// Per worker and instruction.
using WaitLists = std::vector<std::vector<std::vector<Wait>>>;

/// Drops every wait that the order of the queues and other waits imply; none of
/// what is left can be spared. `queues` has an entry per instruction. Waits
/// name earlier instructions of the list, at most one per worker and queue.
WaitLists leastWaits(const std::vector<plan::Queue> &queues, WaitLists waits);

} // namespace smex::memory

#endif
