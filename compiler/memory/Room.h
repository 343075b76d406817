// How many bytes are free at each time, and the fewest of a while. A segment
// tree, so that taking some for a while and asking take logarithmic time.
#ifndef SMEX_COMPILER_MEMORY_ROOM_H
#define SMEX_COMPILER_MEMORY_ROOM_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace smex::memory {

class Room {
public:
  explicit Room(const std::vector<int64_t> &free = {});

  /// The fewest that are free in [lower, upper), which is not empty.
  int64_t least(int lower, int upper) const;

  /// Takes so many in [lower, upper); gives them back if that is negative.
  void take(int lower, int upper, int64_t size);

private:
  std::size_t leaves = 1; // a power of two; node n is above 2n and 2n + 1
  /// The fewest below a node, without what was taken from all of those above.
  std::vector<int64_t> fewest;
  std::vector<int64_t> taken; // from all below a node
};

} // namespace smex::memory

#endif
