// Lower packings, by a local search that takes out what is in the way.
//
// What sticks out of a capacity is taken out of the packing, and put back into
// it, one buffer after the other, each where those that it overlaps there are
// the easiest to place elsewhere: these are taken out in turn. Where nothing is
// in the way, that ends. How hard a buffer is to place grows with its area, and
// whenever it did not find a free place; that is forgotten again by and by,
// after about as many tries as there are buffers. Each time the hardest one is
// next. It is the guided ejection search of vehicle routing (Nagata and
// Bräysy, 2009), with offsets in place of routes.
//
// It does not ask which buffers belong together, as Boxes.h does, and the more
// is free, the sooner it ends: it is for buffers that are too many, too much
// alike, or have too many gaps to be put together exactly.
//
// A try takes time that grows with the buffers that live together with one.
// Memory grows with the buffers.
#ifndef SMEX_COMPILER_MEMORY_EJECTION_H
#define SMEX_COMPILER_MEMORY_EJECTION_H

#include "compiler/memory/Neighbours.h"

#include <cstddef>
#include <random>

namespace smex::memory {

class Ejection {
public:
  Ejection(const std::vector<Allocation> &buffers, int64_t alignment);

  /// Searches at lower and lower capacities, from this packing on, until it is
  /// near enough to its bound, or in so many steps.
  void go(int64_t steps, Placement &best);

  /// Looks at buffers so far: some nanoseconds each.
  int64_t steps() const { return taken; }

private:
  struct Change {
    int64_t offset;
    double hardness; // by how much more is in the way from there on
  };
  /// Offsets first .. last, where all that is in the way is so hard to place.
  struct Place {
    int64_t first = 0, last = 0;
    double hardness = 0;
  };

  bool fit(int64_t capacity, int64_t until);
  void put(int buffer, int64_t capacity);
  Place easiestPlace(int buffer, int64_t capacity);
  template <typename Visit> void forEachPlace(int64_t top, Visit visit);
  int takeHardest();
  void makeHarder(int buffer);
  double hardnessOf(int buffer) const;
  /// From 0 up to 1.
  double chance();

  const std::vector<Allocation> &buffers;
  std::vector<int> ids; // of the buffers that need a place
  int64_t unit = 1;     // bytes: divides all sizes
  // Of those that need a place; sizes and offsets in units.
  std::vector<Allocation> needed;
  Neighbours neighbours;
  std::vector<int64_t> offsets;
  std::vector<char> isPlaced;
  std::vector<double> atFirst, learnt; // hardness
  double scale = 1, weight = 1;        // of what is learnt, and its inverse
  std::vector<int> out;                // of the packing
  // Of one try.
  std::vector<int> beside;
  std::vector<Change> changes;
  std::vector<double> perOffset;
  std::mt19937_64 random{1};
  int64_t taken = 0;
};

} // namespace smex::memory

#endif
