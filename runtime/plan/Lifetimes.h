// When the bytes of a plan's buffers are needed: what the memory planner packs
// (thesis section 3.6), read back from a plan.
#ifndef SMEX_RUNTIME_PLAN_LIFETIMES_H
#define SMEX_RUNTIME_PLAN_LIFETIMES_H

#include "runtime/plan/Plan.h"

namespace smex::plan {

/// A buffer of one worker: from its first instruction up to the one after its
/// last, on any worker. -1 is before the first instruction.
struct Lifetime {
  int buffer = 0;
  int lower = 0, upper = 0;
  int64_t bytes = 0;
};

/// Of all buffers of a worker that hold bytes of their own, and the workspace
/// and the staging (buffer -1) if there are any. A parameter's next value that
/// is put in its place has none.
std::vector<Lifetime> lifetimes(const Partitioned &partitioned, int worker);

/// Most bytes alive at once, and when: no arena can be smaller.
struct MostAlive {
  int64_t bytes = 0;
  int time = -1;
};
MostAlive mostAlive(const std::vector<Lifetime> &lifetimes);

} // namespace smex::plan

#endif
