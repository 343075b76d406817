// Exact search for a packing that fits a capacity.
//
// Buffers are placed from the bottom up. Each that is not placed has a floor,
// below which it cannot start any more: the top of what is placed under it. A
// section is a clique of buffers alive at once; its level is the lowest floor
// in it. Where a stretch of sections is a valley, lower than its neighbours,
// what starts at its level lies within it. So a section of a valley has few
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

#include "compiler/memory/Cliques.h"

#include <cstddef>
#include <unordered_set>

namespace smex::memory {

enum class Verdict { Fits, Impossible, OutOfSteps };

class PackingSearch {
public:
  /// Memory and time grow with the sum of the sizes of all sections.
  PackingSearch(const std::vector<Allocation> &buffers, int64_t alignment = 64);

  /// Whether this is little enough for memory and for the stack.
  static bool isSmall(const std::vector<Allocation> &buffers);

  /// Looks for a packing within the capacity in bytes. A step is a look at one
  /// buffer, some nanoseconds: what is found depends on no clock.
  Verdict fit(int64_t capacity, int64_t steps);

  /// Steps of all calls so far.
  int64_t steps() const { return taken; }

  /// After Fits: in bytes, 0 for buffers without size or life.
  std::vector<int64_t> offsets() const;

private:
  struct Section {
    std::vector<int> alive;  // buffers, by floors when last looked at
    std::vector<int> starts; // those that are in no section before
    int64_t level = 0;       // the lowest floor
    int onLevel = 0;         // how many have it
    int64_t slack = 0;       // from the top of the stack by floors to capacity
    int crossing = 0;        // not placed, also in the section before
    double failures = 1;
  };
  /// What a step back restores.
  struct Change {
    enum Kind { Floor, Sums, Place } kind;
    int index;
    int64_t value, slack;
    int onLevel;
  };

  void start();
  Verdict run(int64_t until);
  /// Of the sections from .. to - 1, which no buffer leaves.
  Verdict solve(int from, int to);
  /// The parts that are left of them with the buffer placed.
  Verdict solveParts(int from, int to, int buffer);
  int pickSection(int from, int to) const;
  bool place(int buffer);
  /// Nothing lies on the level of the section.
  bool leaveGap(int section);
  void undo(std::size_t mark);
  void raise(int buffer, int64_t floor);
  bool settle();
  bool measure(int section);
  uint64_t stateOf(int from, int to) const;
  /// Calls visit(other) for what overlaps the buffer, and for itself.
  template <typename Visit> void forEachOverlap(int buffer, Visit visit);
  /// Which order of the buffers, and of sections, the next run tries.
  void order(int attempt);

  std::vector<int> ids; // of the buffers that need a place
  std::size_t given;    // buffers, these and others
  int64_t alignment;
  // Per buffer; in units of the alignment.
  std::vector<int64_t> sizes, floors, places;
  std::vector<double> lengths;
  std::vector<int64_t> crowds; // most alive in its sections
  std::vector<int> ranks;
  std::vector<uint64_t> keys;
  Cliques cliques;
  std::vector<Section> sections;

  int64_t capacity = -1; // units
  int64_t taken = 0, limit = 0;
  bool countsFailures = true; // where sections are picked
  std::vector<Change> trail;
  std::vector<int> touched; // sections to measure
  std::vector<char> isTouched;
  std::vector<int> candidates; // of all depths
  std::unordered_set<uint64_t> failed;
};

} // namespace smex::memory

#endif
