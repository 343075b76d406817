#include "runtime/graphpartition/Ranges.h"

#include <algorithm>
#include <limits>

using namespace smex;
using namespace smex::graphpartition;

namespace {

/// The first vertex of [first, last) that is not `isLow`, or `last`; the low
/// ones come first.
template <typename IsLow>
int64_t search(int64_t first, int64_t last, IsLow isLow) {
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (isLow(middle))
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

/// Inner bounds of [first, last) into so many ranges, added to `bounds`.
void cutRange(const CostBefore &cost, int64_t first, int64_t last,
              int64_t parts, Bounds &bounds) {
  const double begin = cost.before(first), all = cost.before(last) - begin;
  for (int64_t part = 1; part < parts; ++part) {
    const double wanted = begin + all * double(part) / double(parts);
    const int64_t least = std::max(first, bounds.back());
    int64_t at = search(least, last, [&](int64_t vertex) {
      return cost.before(vertex) < wanted;
    });
    if (at > least && wanted - cost.before(at - 1) < cost.before(at) - wanted)
      --at;
    bounds.push_back(at);
  }
}

/// The end of the longest range from `first` that costs at most `most`.
int64_t endWithin(const CostBefore &cost, int64_t first, double most) {
  return search(first + 1, cost.vertices() + 1,
                [&](int64_t end) { return cost.of(first, end) <= most; }) -
         1;
}

/// Can the vertices from `first` on be so many ranges of at most this?
bool fits(const CostBefore &cost, int64_t first, int64_t parts, double most) {
  const int64_t end = cost.vertices();
  for (; parts > 0 && first < end; --parts)
    first = endWithin(cost, first, most);
  return first == end;
}

} // namespace

Bounds graphpartition::cutAtCrossings(const CostBefore &cost, int64_t parts) {
  return cutInSteps(cost, {parts});
}

namespace {

/// Divides all vertices into ways[0] ranges, each of these into ways[1], and so
/// on. `divide`: adds the inner bounds of [first, last) to those before.
template <typename Divide>
Bounds divideInSteps(int64_t vertices, const std::vector<int64_t> &ways,
                     Divide divide) {
  Bounds bounds = {0, vertices};
  for (int64_t parts : ways) {
    Bounds finer = {0};
    for (size_t i = 0; i + 1 < bounds.size(); ++i) {
      divide(bounds[i], bounds[i + 1], parts, finer);
      finer.push_back(bounds[i + 1]);
    }
    bounds = std::move(finer);
  }
  return bounds;
}

} // namespace

Bounds graphpartition::cutInSteps(const CostBefore &cost,
                                  const std::vector<int64_t> &ways) {
  return divideInSteps(
      cost.vertices(), ways,
      [&](int64_t first, int64_t last, int64_t parts, Bounds &bounds) {
        cutRange(cost, first, last, parts, bounds);
      });
}

Bounds graphpartition::capInSteps(const InNeighbours &graph,
                                  const std::vector<int64_t> &ways) {
  const Numbers &offsets = graph.offsets;
  return divideInSteps(
      graph.vertices(), ways,
      [&](int64_t first, int64_t last, int64_t parts, Bounds &bounds) {
        const int64_t cap =
            (offsets[size_t(last)] - offsets[size_t(first)]) / parts;
        for (int64_t part = 1; part < parts; ++part) {
          // The first vertex with which there are more.
          const int64_t end =
              std::upper_bound(offsets.begin() + bounds.back(),
                               offsets.begin() + last,
                               offsets[size_t(bounds.back())] + cap) -
              offsets.begin();
          bounds.push_back(end);
        }
      });
}

Bounds graphpartition::leastMaximum(const CostBefore &cost, int64_t parts) {
  const int64_t vertices = cost.vertices();
  // The costliest range of the best division is the first, the second, ..: the
  // least cost that the ranges up to then have been seen to be able to keep.
  double best = std::numeric_limits<double>::infinity();
  int64_t first = 0;
  for (int64_t part = 0; part + 1 < parts; ++part) {
    // The shortest range here whose own cost the rest can keep.
    const int64_t end = search(first, vertices, [&](int64_t last) {
      return !fits(cost, last, parts - part - 1, cost.of(first, last));
    });
    best = std::min(best, cost.of(first, end));
    // If this range is not the costliest one, it is shorter than that.
    first = end > first ? end - 1 : first;
  }
  best = std::min(best, cost.of(first, vertices));

  Bounds bounds = {0};
  for (int64_t part = 0; part + 1 < parts; ++part) {
    const int64_t begin = bounds.back();
    bounds.push_back(begin < vertices ? endWithin(cost, begin, best) : begin);
  }
  bounds.push_back(vertices);
  return bounds;
}

double graphpartition::imbalance(const std::vector<double> &costs) {
  double sum = 0, most = 0;
  for (double cost : costs) {
    sum += cost;
    most = std::max(most, cost);
  }
  return sum > 0 ? most * double(costs.size()) / sum : 1;
}

std::vector<double> graphpartition::costsOf(const CostBefore &cost,
                                            const Bounds &bounds) {
  std::vector<double> costs;
  for (size_t i = 0; i + 1 < bounds.size(); ++i)
    costs.push_back(cost.of(bounds[i], bounds[i + 1]));
  return costs;
}
