// Sets of a problem's tensors: a bit each, or a short list.
#ifndef SMEX_COMPILER_OFFLOAD_SET_H
#define SMEX_COMPILER_OFFLOAD_SET_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace smex::offload {

/// With a word for every 64 tensors, and one more.
using Set = std::vector<uint64_t>;

inline bool has(const Set &set, int t) {
  return set[size_t(t) / 64] >> (size_t(t) % 64) & 1;
}
inline void add(Set &set, int t) {
  set[size_t(t) / 64] |= uint64_t(1) << (size_t(t) % 64);
}
inline void remove(Set &set, int t) {
  set[size_t(t) / 64] &= ~(uint64_t(1) << (size_t(t) % 64));
}

/// Of few tensors, in any order.
inline bool isAmong(const std::vector<int> &all, int t) {
  return std::find(all.begin(), all.end(), t) != all.end();
}

} // namespace smex::offload

#endif
