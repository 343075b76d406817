// The sets of buffers that are alive at once, without those that are part of
// another: buffers whose lives overlap are in one of them together, so no other
// time needs a look.
#ifndef SMEX_COMPILER_MEMORY_CLIQUES_H
#define SMEX_COMPILER_MEMORY_CLIQUES_H

#include "compiler/memory/Planner.h"

namespace smex::memory {

struct Cliques {
  /// Every buffer must have a life.
  explicit Cliques(const std::vector<Allocation> &buffers);

  int count = 0; // of cliques, ordered by time
  /// Per buffer: it is in the cliques first .. last - 1.
  std::vector<int> first, last;
};

} // namespace smex::memory

#endif
