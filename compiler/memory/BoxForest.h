// Buffers in boxes in boxes, that can be put together and taken apart again.
//
// A box is a rectangle of memory and time that is full of others: two with the
// same life, stacked; two of the same size, one of which starts when the other
// ends; or five around each other like a pinwheel. What is in no box is outer,
// and may be packed as one buffer.
//
// Where bytes stay free even when most are alive, fillers may stand for them:
// then two make a box also where one is a little smaller or shorter. A filler
// takes its room for as long as its box is there, so that the outer boxes never
// need more bytes at once than the buffers do.
//
// All changes since the last keep() can be undone. Memory grows with the
// buffers.
#ifndef SMEX_COMPILER_MEMORY_BOXFOREST_H
#define SMEX_COMPILER_MEMORY_BOXFOREST_H

#include "compiler/memory/Planner.h"
#include "compiler/memory/Room.h"

#include <array>
#include <cstddef>

namespace smex::memory {

class BoxForest {
public:
  /// Outer boxes of all buffers with a size and a life, and fillers for these
  /// gaps (Gaps.h).
  BoxForest(const std::vector<Allocation> &buffers, int64_t alignment,
            const std::vector<Allocation> &gaps);

  /// The outer boxes, without fillers.
  std::vector<Allocation> outer() const;
  std::size_t outerCount() const { return outers.size() - loose; }

  /// Offsets of the buffers in bytes, from those of the outer boxes.
  std::vector<int64_t> offsets(const std::vector<int64_t> &outer) const;

  /// Looks at boxes so far: some nanoseconds each.
  int64_t steps() const { return taken; }

protected:
  enum Kind : uint8_t { Leaf, Filler, Stack, Join, Wheel };
  /// Of a wheel: what starts first below the centre, the centre, what ends last
  /// beside it, what starts first and what ends last above it.
  using Parts = std::array<int, 5>;
  struct Box {
    int lower, upper; // numbers of times
    int64_t size;     // units of the alignment
    Kind kind = Leaf;
    bool exists = false;
    int parent = -1;         // -1: outer
    unsigned made = 0;       // no other, before or later, has this number
    Parts parts{};           // a stack from the bottom, a join in order of time
    std::array<int, 5> at{}; // in the lists
  };
  /// Of boxes that start or end at a time: all, or outer ones.
  enum List : uint8_t { AllStarts, AllEnds, OuterStarts, OuterEnds, kLists };

  static int partsOf(Kind kind) {
    return kind <= Filler ? 0 : kind == Wheel ? 5 : 2;
  }
  const std::vector<int> &list(List which, int time) const {
    return lists[which][std::size_t(time)];
  }
  /// Where what has this life is to be found.
  const std::vector<int> &shorter(List starts, List ends, int lower,
                                  int upper) const;
  int64_t length(const Box &box) const {
    return times[std::size_t(box.upper)] - times[std::size_t(box.lower)];
  }
  bool isIn(int box, int outer) const;

  /// Of outer boxes that fit; gives the new one.
  int make(Kind kind, const Parts &parts);
  /// Room for it must be there.
  int makeFiller(int lower, int upper, int64_t size);
  /// Of an outer box. Fillers in it are gone, other parts are outer and dirty.
  void takeApart(int box);
  /// Takes apart all that it is in.
  void release(int box);
  /// Changes since the last keep().
  std::size_t changeCount() const { return changes.size(); }
  /// Undoes all of them but the first so many.
  void undo(std::size_t first = 0);
  void keep();
  /// Outer boxes, without fillers, that these changes made or took out.
  std::vector<int> changed() const;

  std::vector<Box> boxes;
  std::vector<int> outers, dirty; // dirty: to look at, since they became outer
  std::vector<int64_t> times;
  std::vector<int64_t> growth; // of the room at each time
  Room room;
  bool isFull = true; // nowhere room
  int64_t taken = 0;

private:
  struct Change {
    int box;
    bool isMade; // else taken apart
  };
  void insert(List which, int time, int box);
  void remove(List which, int time, int box);
  void show(int box);
  void hide(int box);
  void enter(int box);
  void leave(int box);
  int newBox();
  void unmake(int box);
  void remake(int box);
  void fill(int filler, int64_t size);

  int64_t alignment;
  std::vector<int> leafOf; // per buffer; -1: none
  std::vector<int> unused;
  std::vector<std::vector<int>> lists[kLists];
  std::vector<Change> changes;
  std::size_t loose = 0; // outer fillers
  unsigned clock = 0;
};

} // namespace smex::memory

#endif
