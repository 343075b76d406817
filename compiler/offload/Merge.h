// Schedules of several problems with the same operations, which run for the
// first time in the order of the list, as one: what some of them do alike
// between the same two operations is done once, for all of these.
#ifndef SMEX_COMPILER_OFFLOAD_MERGE_H
#define SMEX_COMPILER_OFFLOAD_MERGE_H

#include "compiler/offload/Schedule.h"

namespace smex::offload {

struct Joint {
  Action action;
  std::vector<size_t> problems; // ascending; all, where it runs first
  int reader = -1;              // of a load: the operation that it is for
};

/// Each schedule keeps the order of its own, but that loads come right before
/// the operation that they are for, which what is stored or dropped meanwhile
/// comes before.
std::vector<Joint> merge(const std::vector<Schedule> &schedules);

} // namespace smex::offload

#endif
