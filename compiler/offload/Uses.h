// When each tensor is used, in the order of the problem's list.
#ifndef SMEX_COMPILER_OFFLOAD_USES_H
#define SMEX_COMPILER_OFFLOAD_USES_H

#include "compiler/offload/Problem.h"

namespace smex::offload {

class Uses {
public:
  explicit Uses(const Problem &problem);

  /// Operations that read or write the tensor, in order, each once. What is
  /// there from the start is used before the first, by -1.
  const std::vector<int> &of(int tensor) const { return uses[size_t(tensor)]; }
  /// The last use before the operation; -1: none.
  int lastBefore(int tensor, int operation) const;
  /// The first use that is the operation or comes later; one after the last
  /// operation: none.
  int nextFrom(int tensor, int operation) const;

private:
  std::vector<std::vector<int>> uses;
  int end;
};

} // namespace smex::offload

#endif
