// What happens, in order: tensors are loaded, stored and dropped, operations
// run. And what that costs, found by replaying it: whoever made the schedule is
// not asked.
#ifndef SMEX_COMPILER_OFFLOAD_SCHEDULE_H
#define SMEX_COMPILER_OFFLOAD_SCHEDULE_H

#include "compiler/offload/Problem.h"

namespace smex::offload {

struct Action {
  enum class Kind {
    Load,  // copies a tensor from the host to the device
    Store, // copies it from the device to the host
    Drop,  // forgets what the device has of it
    Run,   // an operation
  };
  Kind kind = Kind::Run;
  int what = 0; // a tensor, or an operation
};

using Schedule = std::vector<Action>;

struct Traffic {
  int64_t loaded = 0, stored = 0; // bytes, on all workers together
  std::vector<int64_t> peak;      // bytes, in each memory

  int64_t total() const { return loaded + stored; }
};

/// An error where the schedule is not one of the problem's: something is read
/// that is not there, a memory is too small, an operation is missing or runs
/// twice, or what is to be on the host at the end is not.
Result<Traffic> replay(const Problem &problem, const Schedule &schedule);

} // namespace smex::offload

#endif
