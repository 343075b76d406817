// Lower and lower packings, by exact searches (PackingSearch.h).
//
// How long a search takes says little of its capacity: about as long at 5 % as
// at 20 % above the bound, and then, somewhere nearer, for ever. So the descent
// is from easy capacities to hard ones, and counts what a success reached, not
// what was asked for; each capacity has few steps at first, and twice as many
// in the next round. The bound is searched in every round, too, by a search of
// its own, that what it learns about conflicts there does not mislead the
// others.
#ifndef SMEX_COMPILER_MEMORY_DESCENT_H
#define SMEX_COMPILER_MEMORY_DESCENT_H

#include "compiler/memory/PackingSearch.h"

#include <optional>

namespace smex::memory {

class Descent {
public:
  /// Does nothing for buffers that are too many for a search.
  Descent(const std::vector<Allocation> &buffers, int64_t alignment);

  /// Searches at the bound alone.
  void tryBound(int64_t steps, Placement &best);

  /// Searches at the bound and, where the best packing is not near enough, at
  /// capacities below it, in so many steps.
  void go(int64_t steps, Placement &best);

private:
  bool isFound(PackingSearch &search, int64_t capacity, int64_t steps,
               Placement &best);

  const std::vector<Allocation> &buffers;
  int64_t alignment;
  std::optional<PackingSearch> exact, loose; // at the bound, and above it
  int64_t impossible = -1;                   // no packing needs so little
};

} // namespace smex::memory

#endif
