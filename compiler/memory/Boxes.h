// Buffers put together into boxes, so that fewer are left to pack.
//
// A box is a rectangle of memory and time without free space in it, but gaps.
// Buffers with the same life make one, stacked; so do two of the same size, one
// of which starts when the other ends; and five around each other like a
// pinwheel. Boxes are buffers again, and so on. What is put together may be
// packed as one buffer: where nothing fits beside it then, it was put together
// by chance. So the least likely coincidences count first: those that others
// confirm, and those of rare sizes where few buffers start and end at once.
//
// Gaps (Gaps.h) are put together like buffers, and left out in the end.
//
// A full rectangle that was cut into pieces becomes one box again, mostly, in
// time n log n for each level of cuts.
#ifndef SMEX_COMPILER_MEMORY_BOXES_H
#define SMEX_COMPILER_MEMORY_BOXES_H

#include "compiler/memory/Planner.h"

#include <cstddef>

namespace smex::memory {

class Boxes {
public:
  /// Buffers without size or life are in none. Gaps: see Gaps.h.
  Boxes(const std::vector<Allocation> &buffers, int64_t alignment,
        const std::vector<Allocation> &gaps = {});

  /// Puts together what can be: pairs that nothing confirms, where at most so
  /// many are expected by chance. May go on with a higher risk.
  void build(double risk);

  /// Those that are not part of another, buffers by themselves among them.
  std::vector<Allocation> outer() const;

  /// Offsets of the buffers in bytes, from those of the outer boxes.
  std::vector<int64_t> offsets(const std::vector<int64_t> &outer) const;

private:
  struct Box {
    int64_t lower, upper, size; // units of the alignment
    bool isOuter = true;
    /// Those in it, and where from its bottom.
    std::vector<std::pair<int, int64_t>> parts;
  };
  struct Found {
    int first, second;    // one ends when the other starts; -1: stacked
    std::size_t from, to; // of `byLife`, if stacked
    double chance;        // how many such no cut makes
  };

  void index();
  void findStacks(std::vector<Found> &found) const;
  void findJoins(std::vector<Found> &found) const;
  bool wheel();
  bool wheelAround(int centre);
  void apply(std::vector<Found> &found, double level);
  bool isOneEdge(int64_t time) const;
  double alikeByChance(int64_t lower, int64_t upper) const;
  int add(Box box);
  void findEdges();
  bool isAGap(std::size_t box) const;
  bool hasLife(int64_t lower, int64_t upper) const;

  std::size_t looked = 0;    // at outer boxes, so far
  std::size_t given, leaves; // buffers; with gaps, which follow them
  int64_t alignment;
  std::vector<Box> boxes; // the buffers first, also those without a place
  /// Outer boxes when last looked at: by life; by start and size; by end and
  /// size.
  std::vector<int> byLife, byStart, byEnd;
  std::vector<int64_t> sizes; // of those, sorted
  std::vector<int64_t>
      oneEdge; // times at which one edge is all there is, sorted
};

} // namespace smex::memory

#endif
