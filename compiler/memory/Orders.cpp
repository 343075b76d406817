#include "compiler/memory/Orders.h"

#include "compiler/memory/Occupancy.h"

#include <algorithm>
#include <numeric>

using namespace smex::memory;

namespace {

/// Places buffers in the given order, each in the lowest gap that holds it
/// among those placed before whose lifetimes overlap its own.
/// Leaves `occupancy`, which is theirs, as they take it.
Placement place(const std::vector<Allocation> &buffers,
                const std::vector<int> &order, Occupancy &occupancy) {
  Placement result;
  result.offsets.assign(buffers.size(), 0);
  occupancy.clear();
  for (int id : order) {
    const Allocation &b = buffers[id];
    if (b.size == 0)
      continue;
    if (b.lower < b.upper) {
      result.offsets[id] = occupancy.lowestGap(id);
      occupancy.take(id, result.offsets[id]);
    }
    result.peak = std::max(result.peak, result.offsets[id] + b.size);
  }
  return result;
}

/// Rounds of `repair` at most.
constexpr int kRounds = 64;
/// Steps of an occupancy after which no other order is tried, and after which
/// a repair ends: some seconds, and one.
constexpr int64_t kOrderSteps = int64_t(1) << 29;
constexpr int64_t kRepairSteps = int64_t(1) << 27;
/// Of more buffers, an order that comes near the bound ends the search.
constexpr size_t kFew = 4096;

/// Per buffer, the most bytes that are alive at once in its life.
std::vector<int64_t> crowdsOf(const std::vector<Allocation> &buffers) {
  std::vector<int64_t> times;
  for (const Allocation &b : buffers)
    times.insert(times.end(), {b.lower, b.upper});
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const auto at = [&](int64_t time) {
    return std::lower_bound(times.begin(), times.end(), time) - times.begin();
  };
  std::vector<int64_t> changes(times.size() + 1), alive(times.size());
  for (const Allocation &b : buffers)
    if (b.lower < b.upper) {
      changes[size_t(at(b.lower))] += b.size;
      changes[size_t(at(b.upper))] -= b.size;
    }
  std::partial_sum(changes.begin(), changes.end() - 1, alive.begin());
  std::vector<int64_t> crowds;
  for (const Allocation &b : buffers)
    crowds.push_back(b.lower < b.upper
                         ? *std::max_element(alive.begin() + at(b.lower),
                                             alive.begin() + at(b.upper))
                         : 0);
  return crowds;
}

/// What sticks out of the bound was placed too late: it goes to the front, and
/// all are placed again ("squeaky wheel" optimization, Joslin and Clements).
/// Gives the best of the rounds.
Placement repair(const std::vector<Allocation> &buffers, std::vector<int> order,
                 Placement placement, int64_t bound, Occupancy &occupancy) {
  Placement best = placement;
  const int64_t until = occupancy.steps() + kRepairSteps;
  for (int round = 0; round < kRounds; ++round) {
    if (isNearEnough(best.peak, bound) || occupancy.steps() > until)
      break;
    const auto fits = [&](int i) {
      return placement.offsets[i] + buffers[i].size <= bound;
    };
    std::stable_partition(order.begin(), order.end(),
                          [&](int i) { return !fits(i); });
    placement = place(buffers, order, occupancy);
    if (placement.peak < best.peak)
      best = placement;
  }
  return best;
}

/// The best of several orders, with that order.
std::pair<Placement, std::vector<int>>
bestOrder(const std::vector<Allocation> &buffers, int64_t alignment,
          Occupancy &occupancy) {
  const auto length = [&](int i) {
    return buffers[i].upper - buffers[i].lower;
  };
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

  const int64_t bound = mostAlive(buffers, alignment);
  std::pair<Placement, std::vector<int>> best;
  const auto attempt = [&](auto less) {
    if (!best.second.empty() && buffers.size() > kFew &&
        (isNearEnough(best.first.peak, bound) ||
         occupancy.steps() > kOrderSteps))
      return;
    std::vector<int> order(buffers.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), less);
    Placement placement = place(buffers, order, occupancy);
    if (best.second.empty() || placement.peak < best.first.peak)
      best = {std::move(placement), std::move(order)};
  };
  attempt(bySize);
  attempt(byLength);
  attempt(byArea);
  attempt(byStart);
  best.first.lowerBound = bound;
  return best;
}

} // namespace

Placement smex::memory::packGreedily(const std::vector<Allocation> &buffers,
                                     int64_t alignment) {
  Occupancy occupancy(buffers, alignment);
  return bestOrder(buffers, alignment, occupancy).first;
}

Placement smex::memory::packInOrders(const std::vector<Allocation> &buffers,
                                     int64_t alignment) {
  Occupancy occupancy(buffers, alignment);
  auto [best, order] = bestOrder(buffers, alignment, occupancy);
  const int64_t bound = best.lowerBound;
  best = repair(buffers, order, std::move(best), bound, occupancy);
  if (!isNearEnough(best.peak, bound)) {
    // Not good at first, but often the best to repair.
    const std::vector<int64_t> crowds = crowdsOf(buffers);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return crowds[a] != crowds[b] ? crowds[a] > crowds[b]
                                    : buffers[a].size > buffers[b].size;
    });
    Placement other = repair(buffers, order, place(buffers, order, occupancy),
                             bound, occupancy);
    if (other.peak < best.peak)
      best = std::move(other);
  }
  best.lowerBound = bound;
  return best;
}
