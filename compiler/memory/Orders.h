// Buffers placed one after the other, each in the lowest gap that holds it.
#ifndef SMEX_COMPILER_MEMORY_ORDERS_H
#define SMEX_COMPILER_MEMORY_ORDERS_H

#include "compiler/memory/Planner.h"

namespace smex::memory {

/// The best of several orders (packGreedily), repaired where it is not near the
/// bound: what sticks out is placed sooner, again and again.
Placement packInOrders(const std::vector<Allocation> &buffers,
                       int64_t alignment);

} // namespace smex::memory

#endif
