// Exact search for a packing that fits a capacity.
//
// Buffers are placed from the bottom up, each on its floor (Floors.h). Where a
// stretch of sections is a valley, its level lower than its neighbours', what
// starts at its level lies within it. So a section of a valley has few
// continuations: one of those buffers lies on its level, or none does, and all
// of them start higher: at the top of a buffer that is still to be placed, for
// in a packing that cannot be lowered each rests on another.
//
// A branch ends where the buffers of a section, stacked by their floors, pass
// the capacity; where a gap stays in which one of those that were refused there
// would fit, since the packing with that one lowered is found elsewhere; and
// where the same buffers with the same floors have failed before. Parts of time
// that no buffer connects any more are solved one after the other, and a
// failure in one goes back to before they came apart.
//
// Which section comes first decides: the one with the fewest continuations, in
// every other round for its failures so far (Boussemart et al., ECAI'04). Runs
// of doubling length go through several orders of the buffers, and keep what
// they learn.
//
// Canonical orders, floors and totals of sections are ideas of MiniMalloc
// (Moffitt, ASPLOS'23); valleys in place of one order of all are ours.
#ifndef SMEX_COMPILER_MEMORY_PACKINGSEARCH_H
#define SMEX_COMPILER_MEMORY_PACKINGSEARCH_H

#include "compiler/memory/Floors.h"

#include <cstddef>
#include <unordered_set>

namespace smex::memory {

enum class Verdict { Fits, Impossible, OutOfSteps };

class PackingSearch {
public:
  /// Memory and time grow with the sum of the sizes of all sections.
  PackingSearch(const std::vector<Allocation> &buffers, int64_t alignment = 64);
  PackingSearch(const PackingSearch &) = delete;

  /// Whether this is little enough for memory and for the stack.
  static bool isSmall(const std::vector<Allocation> &buffers);

  /// Looks for a packing within the capacity in bytes. A step is a look at one
  /// buffer, some nanoseconds: what is found depends on no clock.
  Verdict fit(int64_t capacity, int64_t steps);

  /// Steps of all calls so far.
  int64_t steps() const { return floors.taken; }

  /// After Fits: in bytes, 0 for buffers without size or life.
  std::vector<int64_t> offsets() const;

private:
  Verdict run(int64_t until);
  /// Of the sections from .. to - 1, which no buffer leaves.
  Verdict solve(int from, int to);
  /// The parts that are left of them with the buffer placed.
  Verdict solveParts(int from, int to, int buffer);
  int pickSection(int from, int to) const;
  uint64_t stateOf(int from, int to) const;
  /// Which order of the buffers, and of sections, the next run tries.
  void order(int attempt);

  std::vector<int> ids; // of the buffers that need a place
  std::size_t given;    // buffers, these and others
  int64_t alignment;
  Floors floors;
  const std::vector<int64_t> &sizes;
  const Cliques &cliques;
  const std::vector<Floors::Section> &sections;
  // Per buffer.
  std::vector<double> lengths;
  std::vector<int64_t> crowds; // most alive in its sections
  std::vector<int> ranks;
  std::vector<uint64_t> keys;

  int64_t capacity = -1; // units
  int64_t limit = 0;
  int attempt = 0; // the next one: of what fits, the one that found it
  int64_t successLength = 0;   // steps of the last run that fitted
  bool countsFailures = true;  // where sections are picked
  std::vector<int> candidates; // of all depths
  std::unordered_set<uint64_t> failed;
};

} // namespace smex::memory

#endif
