// Which of many to move next (thesis section 4.1.2, "Addressing Overflow",
// equation 4.4): a 0-1 min-knapsack, filled greedily. The least cost per byte
// first, or one that is enough by itself, if it costs less.
#ifndef SMEX_COMPILER_PLACEMENT_KNAPSACK_H
#define SMEX_COMPILER_PLACEMENT_KNAPSACK_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

namespace smex::placement {

/// Two heaps, by cost per byte and by cost. The second one is a heap for each
/// power of two of bytes, so that those that are enough are found as what is
/// lacking changes; of those of the lowest power only the cheapest is looked
/// at.
class Knapsack {
public:
  explicit Knapsack(size_t items)
      : current(items, 0), costs(items, 0), offers(items, 0) {}

  /// What an item costs, and the bytes that it brings, 0: it is no candidate.
  /// Replaces what was said before. O(log V).
  void offer(int item, double cost, int64_t bytes);
  int64_t offered(int item) const { return current[size_t(item)]; }

  /// The item to take while so many bytes are lacking, or -1. `bytesNow(item)`
  /// says what an item brings now: at most what was offered, which is then
  /// corrected. The item stays on offer.
  template <typename BytesNow> int pick(int64_t lacking, BytesNow bytesNow) {
    const int byRate = top(rates, bytesNow);
    int best = byRate;
    // Downwards, since what brings less now is offered again further down.
    for (int power = int(bySize.size()); power-- > powerOf(lacking);) {
      const int item = top(bySize[size_t(power)], bytesNow);
      if (item >= 0 && current[size_t(item)] >= lacking &&
          costs[size_t(item)] < costs[size_t(best)])
        best = item;
    }
    return best;
  }

private:
  using Entry = std::tuple<double, int, int>; // key, item, which offer
  using Heap =
      std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>>;
  static int powerOf(int64_t bytes) {
    return bytes <= 1 ? 0 : 63 - __builtin_clzll(uint64_t(bytes));
  }

  template <typename BytesNow> int top(Heap &heap, BytesNow bytesNow) {
    while (!heap.empty()) {
      const auto [key, item, offer] = heap.top();
      const int64_t offered = current[size_t(item)];
      if (offers[size_t(item)] == offer && offered > 0) {
        const int64_t now = bytesNow(item);
        if (now == offered)
          return item;
        this->offer(item, costs[size_t(item)], now);
      }
      // What is no longer so; a new offer may have come before it.
      if (heap.top() == Entry(key, item, offer))
        heap.pop();
    }
    return -1;
  }

  Heap rates;
  std::array<Heap, 64> bySize;
  std::vector<int64_t> current; // bytes, by item
  std::vector<double> costs;    // by item
  std::vector<int> offers;      // by item: how many there were
};

inline void Knapsack::offer(int item, double cost, int64_t bytes) {
  if (current[size_t(item)] == bytes && costs[size_t(item)] == cost)
    return;
  current[size_t(item)] = bytes;
  costs[size_t(item)] = cost;
  const int offer = ++offers[size_t(item)];
  if (bytes <= 0)
    return;
  rates.push({cost / double(bytes), item, offer});
  bySize[size_t(powerOf(bytes))].push({cost, item, offer});
}

} // namespace smex::placement

#endif
