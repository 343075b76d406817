// How low what is not placed yet may start, while buffers are placed from the
// bottom up, and what room that leaves. With a way back.
//
// The floor of a buffer is the top of what is placed under it: it cannot start
// below. A section is a clique of buffers alive at once; its level is the
// lowest floor in it. Stacked by their floors, its buffers must not pass the
// capacity.
#ifndef SMEX_COMPILER_MEMORY_FLOORS_H
#define SMEX_COMPILER_MEMORY_FLOORS_H

#include "compiler/memory/Cliques.h"

#include <cstddef>
#include <limits>

namespace smex::memory {

/// Bytes are in units of the alignment.
class Floors {
public:
  /// The floor of what is placed, and the level of a section without others.
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max() / 4;

  struct Section {
    std::vector<int> alive;  // buffers, by floors when last looked at
    std::vector<int> starts; // those that are in no section before
    int64_t level = 0;       // the lowest floor
    int onLevel = 0;         // how many have it
    int64_t slack = 0;       // from the top of the stack by floors to capacity
    int crossing = 0;        // not placed, also in the section before
    double failures = 1;     // so far, of all starts
  };

  /// Every buffer must have a size and a life.
  Floors(const std::vector<Allocation> &buffers, int64_t alignment);

  /// Nothing is placed any more. False if a section passes the capacity.
  bool start(int64_t capacity);

  /// Puts the buffer on its floor. False if a section passes the capacity then;
  /// undo it even so.
  bool place(int buffer);

  /// Nothing lies on the level of the section: what could starts higher, on a
  /// buffer that is still to be placed. False, too, if one of them would fit
  /// into the gap.
  bool leaveGap(int section);

  /// Goes back to where mark() was this.
  void undo(std::size_t mark);
  std::size_t mark() const { return trail.size(); }

  const std::vector<Section> &sections() const { return all; }
  const Cliques &cliques() const { return lives; }
  const std::vector<int64_t> &sizes() const { return units; }
  int64_t floor(int buffer) const { return floors[std::size_t(buffer)]; }
  /// Where it was placed last.
  int64_t offset(int buffer) const { return places[std::size_t(buffer)]; }

  int64_t taken = 0; // steps; each is a look at one buffer

private:
  /// What a step back restores.
  struct Change {
    enum Kind { Floor, Sums, Place } kind;
    int index;
    int64_t value, slack;
    int onLevel;
  };

  void raise(int buffer, int64_t floor);
  bool settle();
  bool measure(int section);
  /// Calls visit(other) for what overlaps the buffer, and for itself.
  template <typename Visit> void forEachOverlap(int buffer, Visit visit);

  std::vector<int64_t> units, floors, places; // per buffer
  Cliques lives;
  std::vector<Section> all;
  int64_t capacity = -1;
  std::vector<Change> trail;
  std::vector<int> touched; // sections to measure
  std::vector<char> isTouched;
};

} // namespace smex::memory

#endif
