// One device's memory over time, while outputs come and go: bytes are added to
// spans of moments, and the most within a span is asked for.
#ifndef SMEX_COMPILER_PLACEMENT_USEOVERTIME_H
#define SMEX_COMPILER_PLACEMENT_USEOVERTIME_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace smex::placement {

/// A tree over the spans between moments at which the device's use changed when
/// it was made. What is added in the middle of such a span counts for all of
/// it: the use is never less than it is, and exact for what was there at first.
class UseOverTime {
public:
  /// From `moments[i]` (growing, the first is 0) on the device uses `bytes[i]`.
  UseOverTime(std::vector<int> moments, const std::vector<int64_t> &bytes);

  /// To moments `from` .. `to` - 1, at most one moment at least. O(log V).
  void add(int from, int to, int64_t bytes);
  int64_t most(int from, int to) const;
  int64_t at(int moment) const { return most(moment, moment + 1); }
  /// The last of moments `from` .. `to` - 1 at which a span of more than
  /// `bytes` begins, or `from` where it began before; -1: none.
  int lastAbove(int64_t bytes, int from, int to) const;
  /// Of all time.
  void addAlways(int64_t bytes) { always += bytes; }

private:
  int slotOf(int moment) const;

  std::vector<int> moments;
  size_t leaves; // a power of two
  /// Of node i, whose children are 2 i and 2 i + 1: what is added to all below
  /// it, and the most below it with that.
  std::vector<int64_t> added, largest;
  int64_t always = 0;
};

} // namespace smex::placement

#endif
