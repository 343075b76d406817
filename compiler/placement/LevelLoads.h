// How much work each device has within a span of levels (thesis section 4.1.1,
// "Mapping"): sums over ranges, while tasks come and go.
#ifndef SMEX_COMPILER_PLACEMENT_LEVELLOADS_H
#define SMEX_COMPILER_PLACEMENT_LEVELLOADS_H

#include <cstddef>
#include <vector>

namespace smex::placement {

/// From and to which top level, half-open, seconds.
struct Span {
  double begin = 0, end = 0;
  bool has(double level) const { return begin <= level && level < end; }
};

/// Binary-indexed trees over levels (Fenwick 1994), one per device,
/// interleaved.
class LevelLoads {
public:
  /// `levels`: by task; all that a span will be asked for.
  LevelLoads(const std::vector<double> &levels, int devices);

  /// Work that a device gets, or loses where it is negative. O(log V).
  void add(int task, int device, double seconds);
  /// Of one device, and of each. O(log V), and O(K log V).
  double within(const Span &span, int device) const;
  void within(const Span &span, std::vector<double> &seconds) const;

private:
  size_t below(double level) const;

  std::vector<double> sorted; // distinct levels
  std::vector<int> rank;      // by task
  size_t devices;
  std::vector<double> sums; // of node i, from 1, and device d: i * devices + d
};

} // namespace smex::placement

#endif
