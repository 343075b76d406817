// Ways to make room: which of the tensors on a device leave it.
#ifndef SMEX_COMPILER_OFFLOAD_WAYS_H
#define SMEX_COMPILER_OFFLOAD_WAYS_H

#include <cstdint>
#include <vector>

namespace smex::offload {

/// A tensor that may leave.
struct Leaving {
  int tensor = 0;
  std::vector<int64_t> bytes; // in each memory
  int64_t cost = 0;
  int nextUse = 0; // an operation
};

struct Ways {
  std::vector<std::vector<int>> sets; // of tensors, ascending
  bool isComplete = true;
};

/// All sets that free what is lacking and of which no tensor could stay; if
/// those are more than `most`, some of them, made greedily in several orders.
/// What is lacking is zero or less where a memory has room.
Ways waysToFree(std::vector<Leaving> candidates,
                const std::vector<int64_t> &lacking, int most);

} // namespace smex::offload

#endif
