// Buffers put together into boxes (Boxes.h), and taken apart again where that
// was wrong.
//
// A full rectangle of memory and time that was cut into buffers is one box
// again if each was put together with the right ones. Where sizes are alike,
// several fit, and one wrong choice keeps all that is around it apart: then
// boxes are left that nothing fits. So each of those asks for what it lacks:
// something of its size before or behind it, of its life beside it, perhaps
// deep in another box. That is taken out, with all around it, and what is free
// then is put together anew, the least likely coincidences first. What does not
// leave fewer boxes is undone, but for a few times (simulated annealing), so
// that each look costs what a box is deep, not what there is.
//
// Memory grows with the buffers, time with the steps.
#ifndef SMEX_COMPILER_MEMORY_REASSEMBLY_H
#define SMEX_COMPILER_MEMORY_REASSEMBLY_H

#include "compiler/memory/Planner.h"
#include "compiler/memory/Room.h"

#include <array>
#include <cstddef>
#include <queue>
#include <random>

namespace smex::memory {

class Reassembly {
public:
  /// Buffers without size or life are in no box. Gaps: see Gaps.h.
  Reassembly(const std::vector<Allocation> &buffers, int64_t alignment,
             const std::vector<Allocation> &gaps = {});

  /// Puts together what fits, and then mends it, until one box is left or after
  /// so many steps. A step is a look at one box, some nanoseconds.
  void run(int64_t steps);

  /// Those that are not part of another, buffers by themselves among them.
  std::vector<Allocation> outer() const;
  std::size_t outerCount() const { return outers.size() - loose; }

  /// Offsets of the buffers in bytes, from those of the outer boxes.
  std::vector<int64_t> offsets(const std::vector<int64_t> &outer) const;

  int64_t steps() const { return taken; }

private:
  /// Filler is free space. A join or stack that wastes some makes it first.
  enum Kind : uint8_t {
    Leaf,
    Filler,
    Stack,
    Join,
    Wheel,
    LossyStack,
    LossyJoin,
    LossyMeet
  };
  /// The lists that a box is in.
  enum List : uint8_t { AllStarts, AllEnds, OuterStarts, OuterEnds, kLists };
  struct Box {
    int lower, upper; // numbers of times
    int64_t size;     // units of the alignment
    Kind kind = Leaf;
    bool exists = false;
    int parent = -1; // -1: outer
    unsigned made = 0;
    /// Of a wheel: below, centre, right, left, above.
    std::array<int, 5> parts{};
    std::array<int, kLists> at{};
    int atOuter = 0;
  };
  /// Two that fit, and how many such there are by chance.
  struct Candidate {
    double chance;
    Kind kind;
    std::array<int, 5> parts;
    std::array<unsigned, 5> made;
    bool operator<(const Candidate &other) const {
      return chance > other.chance;
    }
  };
  struct Change {
    int box;
    bool isMade; // else taken apart
  };

  static int partsOf(Kind kind) {
    return kind <= Filler ? 0 : kind == Wheel ? 5 : 2;
  }
  std::vector<int> &list(List which, int time) {
    return lists[which][std::size_t(time)];
  }
  std::vector<int> &shorter(List starts, List ends, int lower, int upper) {
    auto &first = list(starts, lower), &second = list(ends, upper);
    return first.size() < second.size() ? first : second;
  }
  void insert(List which, int time, int box);
  void remove(List which, int time, int box);
  void show(int box);
  void hide(int box);
  void enter(int box);
  void leave(int box);
  int newBox();
  int make(Kind kind, const std::array<int, 5> &parts);
  int fill(int lower, int upper, int64_t size);
  void fillAgain(int box, int64_t size);
  struct Waste {
    int lower, upper;
    int64_t size;
  };
  Waste wasteOf(Kind kind, const Box &first, const Box &second) const;
  bool waste(const Candidate &candidate);
  void proposeLossy(Kind kind, int a, int b);
  void takeApart(int box);
  void unmake(int box);
  void remake(int box);
  void undo();
  void keep();

  bool isOneEdge(int time);
  bool hasLife(int lower, int upper, int butA, int butB);
  double chanceOf(Kind kind, const std::array<int, 5> &parts);
  void propose(Kind kind, const std::array<int, 5> &parts);
  void proposeFor(int box);
  /// Calls visit(parts) for wheels around the centre, among outer boxes or all,
  /// until that says false.
  template <typename Visit>
  void wheelsAround(int centre, bool amongAll, Visit visit);
  template <typename Visit>
  void wheelsWith(int box, bool amongAll, Visit visit);
  bool askForWheel(int box);
  bool isIn(int box, int outer) const;
  double rateOf(int64_t size) const;
  void putTogether();

  void release(int box);
  bool ask(int box);
  void disturb(int box);
  void clear(int box);
  void shake();
  int64_t below(int64_t end) { return int64_t(random() % uint64_t(end)); }

  std::size_t given;
  int64_t alignment;
  std::vector<int64_t> times;
  std::vector<int> leafOf; // per buffer; -1: none
  std::vector<Box> boxes;
  std::vector<int> unused, outers;
  std::vector<std::vector<int>> lists[kLists];
  std::vector<int64_t> sizes; // of leaves, sorted
  Room room;
  std::vector<int64_t> steps_; // by how much the room grows at each time
  bool isFull = true;
  std::size_t loose = 0; // fillers that are in no box
  std::vector<int> dirty;
  std::priority_queue<Candidate> candidates;
  std::vector<Change> changes;
  std::mt19937_64 random{1};
  double noise = 0;
  unsigned clock = 0;
  int64_t taken = 0;
};

} // namespace smex::memory

#endif
