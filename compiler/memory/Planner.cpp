#include "compiler/memory/Planner.h"

#include "compiler/memory/Occupancy.h"

#include <algorithm>
#include <numeric>

using namespace smex::memory;

namespace {

int64_t alignUp(int64_t value, int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Places buffers in the given order, each in the lowest gap that holds it
/// among those placed before whose lifetimes overlap its own.
Placement place(const std::vector<Lifetime> &buffers,
                const std::vector<int> &order, int64_t alignment) {
  Placement result;
  result.offsets.assign(buffers.size(), 0);
  Occupancy occupancy(buffers, alignment);
  for (int id : order) {
    const Lifetime &b = buffers[id];
    if (b.size == 0)
      continue;
    if (b.lower < b.upper) {
      result.offsets[id] = occupancy.lowestGap(b);
      occupancy.take(b, result.offsets[id]);
    }
    result.peak = std::max(result.peak, result.offsets[id] + b.size);
  }
  return result;
}

/// Rounds of `repair` at most, and how near to the bound is near enough.
constexpr int kRounds = 64;
constexpr int64_t kNearEnough = 1024; // 1 / 1024 above

/// What sticks out of the bound was placed too late: it goes to the front, and
/// all are placed again ("squeaky wheel" optimization, Joslin and Clements).
/// Gives the best of the rounds.
Placement repair(const std::vector<Lifetime> &buffers, std::vector<int> order,
                 Placement placement, int64_t bound, int64_t alignment) {
  Placement best = placement;
  for (int round = 0; round < kRounds; ++round) {
    if (best.peak - bound <= bound / kNearEnough)
      break;
    const auto fits = [&](int i) {
      return placement.offsets[i] + buffers[i].size <= bound;
    };
    std::stable_partition(order.begin(), order.end(),
                          [&](int i) { return !fits(i); });
    placement = place(buffers, order, alignment);
    if (placement.peak < best.peak)
      best = placement;
  }
  return best;
}

} // namespace

int64_t smex::memory::mostAlive(const std::vector<Lifetime> &buffers,
                                int64_t alignment) {
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

std::vector<Lifetime>
smex::memory::lengthened(std::vector<Lifetime> buffers,
                         const std::vector<int64_t> &wanted,
                         int64_t alignment) {
  int64_t first = 0, last = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    first = std::min(first, buffers[i].lower);
    last = std::max({last, buffers[i].upper, wanted[i]});
  }
  std::vector<int64_t> alive(size_t(last - first + 1), 0);
  for (const Lifetime &b : buffers)
    if (b.lower < b.upper) {
      alive[size_t(b.lower - first)] += alignUp(b.size, alignment);
      alive[size_t(b.upper - first)] -= alignUp(b.size, alignment);
    }
  std::partial_sum(alive.begin(), alive.end(), alive.begin());
  const int64_t most = *std::max_element(alive.begin(), alive.end());
  for (size_t i = 0; i < buffers.size(); ++i) {
    Lifetime &b = buffers[i];
    const int64_t size = alignUp(b.size, alignment);
    if (b.lower < b.upper)
      for (;
           b.upper < wanted[i] && alive[size_t(b.upper - first)] + size <= most;
           ++b.upper)
        alive[size_t(b.upper - first)] += size;
  }
  return buffers;
}

Placement smex::memory::pack(const std::vector<Lifetime> &buffers,
                             int64_t alignment) {
  const auto length = [&](int i) {
    return buffers[i].upper - buffers[i].lower;
  };
  std::vector<int> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);

  const auto bySize = [&](int a, int b) {
    return buffers[a].size > buffers[b].size;
  };
  const auto byLength = [&](int a, int b) { return length(a) > length(b); };
  const auto byArea = [&](int a, int b) {
    return double(buffers[a].size) * length(a) >
           double(buffers[b].size) * length(b);
  };
  const auto byStart = [&](int a, int b) {
    return buffers[a].lower != buffers[b].lower
               ? buffers[a].lower < buffers[b].lower
               : buffers[a].size > buffers[b].size;
  };

  Placement best;
  std::vector<int> bestOrder;
  const auto attempt = [&](auto less) {
    std::vector<int> sorted = order;
    std::stable_sort(sorted.begin(), sorted.end(), less);
    Placement placement = place(buffers, sorted, alignment);
    if (bestOrder.empty() || placement.peak < best.peak) {
      best = std::move(placement);
      bestOrder = std::move(sorted);
    }
  };
  attempt(bySize);
  attempt(byLength);
  attempt(byArea);
  attempt(byStart);
  const int64_t bound = mostAlive(buffers, alignment);
  best =
      repair(buffers, std::move(bestOrder), std::move(best), bound, alignment);
  best.lowerBound = bound;
  return best;
}
