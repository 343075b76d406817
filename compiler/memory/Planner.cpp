#include "compiler/memory/Planner.h"

#include <algorithm>
#include <numeric>

using namespace smex::memory;

namespace {

int64_t alignUp(int64_t value, int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

bool overlap(const Lifetime &a, const Lifetime &b) {
  return a.lower < b.upper && b.lower < a.upper;
}

/// The most bytes alive at once, each buffer rounded up as it will be placed.
int64_t mostAlive(const std::vector<Lifetime> &buffers, int64_t alignment) {
  std::vector<std::pair<int64_t, int64_t>> changes; // time, bytes
  for (const Lifetime &b : buffers) {
    if (b.upper <= b.lower)
      continue;
    changes.push_back({b.lower, alignUp(b.size, alignment)});
    changes.push_back({b.upper, -alignUp(b.size, alignment)});
  }
  // At equal times what ends comes first: intervals are half-open.
  std::sort(changes.begin(), changes.end());
  int64_t alive = 0, most = 0;
  for (auto [time, bytes] : changes)
    most = std::max(most, alive += bytes);
  return most;
}

/// Places buffers in the given order, each in the lowest gap that holds it among
/// those placed before whose lifetimes overlap its own.
Placement place(const std::vector<Lifetime> &buffers,
                const std::vector<int> &order, int64_t alignment) {
  Placement result;
  result.offsets.assign(buffers.size(), 0);
  std::vector<int> placed; // by offset
  for (int id : order) {
    const Lifetime &b = buffers[id];
    if (b.size == 0)
      continue;
    int64_t offset = 0;
    for (int other : placed) {
      if (!overlap(b, buffers[other]))
        continue;
      if (result.offsets[other] >= offset + b.size)
        break; // the gap below `other` is large enough
      offset = std::max(offset, alignUp(result.offsets[other] + buffers[other].size,
                                        alignment));
    }
    result.offsets[id] = offset;
    result.peak = std::max(result.peak, offset + b.size);
    const auto at = std::upper_bound(
        placed.begin(), placed.end(), offset,
        [&](int64_t o, int other) { return o < result.offsets[other]; });
    placed.insert(at, id);
  }
  return result;
}

} // namespace

Placement smex::memory::pack(const std::vector<Lifetime> &buffers,
                             int64_t alignment) {
  const auto length = [&](int i) { return buffers[i].upper - buffers[i].lower; };
  std::vector<int> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);

  const auto bySize = [&](int a, int b) { return buffers[a].size > buffers[b].size; };
  const auto byLength = [&](int a, int b) { return length(a) > length(b); };
  const auto byArea = [&](int a, int b) {
    return double(buffers[a].size) * length(a) > double(buffers[b].size) * length(b);
  };
  const auto byStart = [&](int a, int b) {
    return buffers[a].lower != buffers[b].lower
               ? buffers[a].lower < buffers[b].lower
               : buffers[a].size > buffers[b].size;
  };

  Placement best;
  bool first = true;
  const auto attempt = [&](auto less) {
    std::vector<int> sorted = order;
    std::stable_sort(sorted.begin(), sorted.end(), less);
    Placement placement = place(buffers, sorted, alignment);
    if (first || placement.peak < best.peak)
      best = std::move(placement);
    first = false;
  };
  attempt(bySize);
  attempt(byLength);
  attempt(byArea);
  attempt(byStart);
  best.lowerBound = mostAlive(buffers, alignment);
  return best;
}
