// What happens, in order: tensors are loaded, stored and dropped, operations
// run, some of them again. And what that costs, found by replaying it: whoever
// made the schedule is not asked.
#ifndef SMEX_COMPILER_OFFLOAD_SCHEDULE_H
#define SMEX_COMPILER_OFFLOAD_SCHEDULE_H

#include "compiler/offload/Problem.h"

namespace smex::offload {

struct Action {
  enum class Kind {
    Load,  // copies a tensor from the host to the device
    Store, // copies it from the device to the host
    Drop,  // forgets what the device has of it
    Run,   // an operation, for the first time or again
  };
  Kind kind = Kind::Run;
  int what = 0; // a tensor, or an operation
};

using Schedule = std::vector<Action>;

struct Traffic {
  int64_t loaded = 0, stored = 0; // bytes, on all workers together
  int64_t again = 0;              // what crosses while operations run again
  std::vector<int64_t> peak;      // bytes, in each memory

  int64_t moved() const { return loaded + stored; }
  int64_t total() const { return moved() + again; }
};

/// An error where the schedule is not one of the problem's: something is read
/// that is not there or has another value by now, a memory is too small, an
/// operation is missing or runs again where it may not, or what is to be on the
/// host at the end is not.
Result<Traffic> replay(const Problem &problem, const Schedule &schedule);

} // namespace smex::offload

#endif
