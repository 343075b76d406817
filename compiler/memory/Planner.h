// Offline memory planning: buffers of known size and lifetime, packed into one
// arena. Plain structs without IR.
#ifndef SMEX_COMPILER_MEMORY_PLANNER_H
#define SMEX_COMPILER_MEMORY_PLANNER_H

#include <cstdint>
#include <vector>

namespace smex::memory {

/// Of all places, bytes.
constexpr int64_t kAlignment = 64;

/// Alive in [lower, upper): two buffers may share bytes only if their lifetimes
/// do not overlap. Sizes are in bytes.
struct Allocation {
  int64_t lower = 0, upper = 0;
  int64_t size = 0;

  bool operator==(const Allocation &other) const {
    return lower == other.lower && upper == other.upper && size == other.size;
  }
};

struct Placement {
  std::vector<int64_t> offsets; // bytes, multiples of the alignment
  int64_t peak = 0;             // highest offset + size
  int64_t lowerBound = 0; // most bytes alive at once: no packing needs less

  /// Takes these offsets of the same buffers if their peak is lower.
  void improve(const std::vector<Allocation> &buffers,
               std::vector<int64_t> others);
};

/// The least multiple of the alignment that is not less.
inline int64_t alignUp(int64_t value, int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// The most bytes alive at once, each buffer rounded up as it will be placed.
int64_t mostAlive(const std::vector<Allocation> &buffers,
                  int64_t alignment = kAlignment);

/// The same buffers, each alive up to `wanted` or as far as that raises nowhere
/// the most bytes alive at once.
std::vector<Allocation> lengthened(std::vector<Allocation> buffers,
                                   const std::vector<int64_t> &wanted,
                                   int64_t alignment = kAlignment);

/// Whether a peak is so little above a bound that looking for a lower one is
/// not worth the time: 1 / 512.
bool isNearEnough(int64_t peak, int64_t bound);

/// Packs greedily in several orders and keeps the best; deterministic. Of many
/// buffers, the first order that comes near enough to the bound is as good.
/// Buffers of size 0, and those that never live, get offset 0.
Placement packGreedily(const std::vector<Allocation> &buffers,
                       int64_t alignment = kAlignment);

/// By default that is mostly up to three seconds, and half a minute for tens of
/// thousands of buffers that are hard to pack.
constexpr int64_t kPackingSteps = int64_t(1) << 28;

/// The same, improved where it is not at the bound: repaired, put into boxes
/// (Boxes.h), looked for by a walk through time (LayoutSweep.h), searched
/// (Descent.h), and lowered (Ejection.h), in so many steps, fewer where little
/// can be gained; in none, packed greedily. Deterministic, too.
Placement pack(const std::vector<Allocation> &buffers,
               int64_t alignment = kAlignment, int64_t steps = kPackingSteps);

} // namespace smex::memory

#endif
