// How likely it is that boxes fit which do not belong together.
#ifndef SMEX_COMPILER_MEMORY_CHANCE_H
#define SMEX_COMPILER_MEMORY_CHANCE_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace smex::memory {

/// That two with the same life, so long, are not beside each other: `sure` of
/// its two ends are times at which one edge is all there is.
inline double alikeByChance(int sure, int64_t length) {
  return sure == 2 ? 0 : (sure ? 0.3 : 1.) / double(length + 1);
}

/// How likely another of these sizes, which are sorted, is this one: by how
/// many are a tenth around it, and `more`.
inline double rateOf(const std::vector<int64_t> &sizes, int64_t size,
                     int64_t more) {
  const int64_t around = size / 10;
  const auto low = std::lower_bound(sizes.begin(), sizes.end(), size - around);
  const auto high = std::upper_bound(low, sizes.end(), size + around);
  return double(high - low + more) / double(sizes.size()) /
         double(2 * around + 1);
}

} // namespace smex::memory

#endif
