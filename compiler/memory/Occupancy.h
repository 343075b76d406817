// Which bytes of an arena are taken when. Where the lowest gap is that stays
// free for some time is found in time that grows with the number of gaps, not
// with the number of buffers.
//
// A segment tree over time. Each node keeps, as disjoint runs of bytes, what is
// taken all through its span, and what is taken at any time within it: the
// first answers for spans inside it, the second for spans that contain it.
// Packed buffers touch, so the runs are few.
#ifndef SMEX_COMPILER_MEMORY_OCCUPANCY_H
#define SMEX_COMPILER_MEMORY_OCCUPANCY_H

#include "compiler/memory/Planner.h"

#include <cstddef>

namespace smex::memory {

class Occupancy {
public:
  /// For these, by their numbers. Offsets and the ends of runs are multiples of
  /// the alignment.
  Occupancy(const std::vector<Allocation> &buffers, int64_t alignment);

  /// The lowest offset at which the buffer's bytes are free all its life.
  int64_t lowestGap(int buffer) const;

  void take(int buffer, int64_t offset);

  /// Runs looked at or moved so far: some nanoseconds each.
  int64_t steps() const { return looked; }

  /// Nothing is taken any more.
  void clear();

private:
  /// Ascending, disjoint and not touching.
  struct Run {
    int64_t lo, hi;
  };
  using Runs = std::vector<Run>;
  struct Node {
    Runs always, sometime;
  };

  void add(Runs &runs, Run run);

  /// Calls visit(node, isPart) for the fewest nodes that make up the lifetime,
  /// isPart, and for all above them, not isPart.
  template <typename Visit> void forEachNode(int buffer, Visit visit) const;

  /// A buffer's life is that of the leaves first .. last - 1.
  struct Span {
    std::size_t first, last;
  };

  int64_t alignment;
  mutable int64_t looked = 0;
  std::vector<int64_t> sizes; // of buffers
  std::vector<Span> spans;
  std::size_t leaves; // a power of two; node n is above 2n and 2n + 1
  std::vector<Node> nodes;
};

} // namespace smex::memory

#endif
