#include "runtime/plan/Tiling.h"

#include <numeric>

using namespace smex;
using namespace smex::plan;

namespace {

/// Elements: products of output and reduction parts do not fit in 64 bits.
unsigned __int128 wideVolume(const Box &box) {
  unsigned __int128 product = 1;
  for (Interval side : box)
    product *= uint64_t(side.size());
  return product;
}

bool meet(const Box &a, const Box &b) {
  for (size_t d = 0; d < a.size(); ++d)
    if (std::max(a[d].lo, b[d].lo) >= std::min(a[d].hi, b[d].hi))
      return false;
  return true;
}

/// The dimension whose lower bounds differ most: a sweep along it has the
/// fewest pieces side by side.
size_t sweepDimension(const std::vector<const Box *> &pieces, size_t rank) {
  size_t best = 0, most = 0;
  std::vector<int64_t> bounds(pieces.size());
  for (size_t d = 0; d < rank; ++d) {
    std::transform(pieces.begin(), pieces.end(), bounds.begin(),
                   [d](const Box *box) { return (*box)[d].lo; });
    std::sort(bounds.begin(), bounds.end());
    const size_t distinct =
        size_t(std::unique(bounds.begin(), bounds.end()) - bounds.begin());
    if (distinct > most) {
      most = distinct;
      best = d;
    }
  }
  return best;
}

/// What of `part` none of the boxes from `from` on has.
std::optional<Box> missingFrom(const Box &part,
                               const std::vector<const Box *> &boxes,
                               size_t from) {
  while (from < boxes.size() && !meet(part, *boxes[from]))
    ++from;
  if (from == boxes.size())
    return part;
  for (const Box &rest : subtract(part, *boxes[from]))
    if (auto missing = missingFrom(rest, boxes, from + 1))
      return missing;
  return std::nullopt;
}

} // namespace

std::optional<std::pair<int, int>>
plan::findOverlap(const std::vector<const Box *> &pieces) {
  if (pieces.size() < 2)
    return std::nullopt;
  if (pieces[0]->size() == 0) // rank 0: one point
    return std::make_pair(0, 1);
  const size_t d = sweepDimension(pieces, pieces[0]->size());
  std::vector<int> order(pieces.size()), active;
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return (*pieces[a])[d].lo < (*pieces[b])[d].lo;
  });
  for (int next : order) {
    const int64_t lo = (*pieces[next])[d].lo;
    size_t kept = 0;
    for (int other : active) {
      if ((*pieces[other])[d].hi <= lo)
        continue;
      active[kept++] = other;
      if (meet(*pieces[other], *pieces[next]))
        return std::make_pair(std::min(other, next), std::max(other, next));
    }
    active.resize(kept);
    active.push_back(next);
  }
  return std::nullopt;
}

std::optional<TilingProblem>
plan::tilingProblem(const Box &whole, const std::vector<const Box *> &pieces) {
  if (pieces.size() == 1 && *pieces[0] == whole)
    return std::nullopt;
  TilingProblem problem;
  problem.overlap = findOverlap(pieces);
  unsigned __int128 sum = 0;
  for (const Box *piece : pieces)
    sum += wideVolume(*piece);
  // Disjoint pieces inside the box cover it if the volumes are equal.
  if (!problem.overlap && sum == wideVolume(whole))
    return std::nullopt;
  problem.missing = missingPart(whole, pieces);
  if (!problem.overlap && !problem.missing)
    return std::nullopt;
  return problem;
}

std::optional<Box> plan::missingPart(const Box &whole,
                                     const std::vector<const Box *> &boxes) {
  if (isEmpty(whole))
    return std::nullopt;
  // Shares of a replicated tensor are all alike: try each for the whole first.
  for (const Box *box : boxes)
    if (contains(*box, whole))
      return std::nullopt;
  std::vector<const Box *> sorted(boxes);
  const auto before = [](const Box *a, const Box *b) {
    return std::lexicographical_compare(
        a->begin(), a->end(), b->begin(), b->end(), [](Interval x, Interval y) {
          return x.lo != y.lo ? x.lo < y.lo : x.hi < y.hi;
        });
  };
  // In order of coordinates, what is left stays a staircase of few parts.
  std::sort(sorted.begin(), sorted.end(), before);
  sorted.erase(std::unique(sorted.begin(), sorted.end(),
                           [](const Box *a, const Box *b) { return *a == *b; }),
               sorted.end());
  return missingFrom(whole, sorted, 0);
}
