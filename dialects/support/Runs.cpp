#include "dialects/support/Runs.h"

#include <algorithm>

using namespace smex;

namespace {

bool isBefore(Interval a, Interval b) { return a.lo < b.lo; }

/// The first run that ends after this row.
Runs::const_iterator firstAfter(const Runs &runs, int64_t row) {
  return std::upper_bound(
      runs.begin(), runs.end(), row,
      [](int64_t value, Interval run) { return value < run.hi; });
}

} // namespace

bool smex::isRuns(const Runs &runs) {
  for (size_t r = 0; r < runs.size(); ++r)
    if (runs[r].empty() || (r > 0 && runs[r].lo <= runs[r - 1].hi))
      return false;
  return true;
}

Runs smex::runsOf(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(), isBefore);
  Runs runs;
  for (Interval each : intervals) {
    if (each.empty())
      continue;
    if (!runs.empty() && each.lo <= runs.back().hi)
      runs.back().hi = std::max(runs.back().hi, each.hi);
    else
      runs.push_back(each);
  }
  return runs;
}

Runs smex::runsOf(std::vector<int64_t> rows) {
  std::sort(rows.begin(), rows.end());
  Runs runs;
  for (int64_t row : rows) {
    if (!runs.empty() && row <= runs.back().hi)
      runs.back().hi = std::max(runs.back().hi, row + 1);
    else
      runs.push_back({row, row + 1});
  }
  return runs;
}

int64_t smex::sizeOf(const Runs &runs) {
  int64_t size = 0;
  for (Interval run : runs)
    size += run.size();
  return size;
}

int64_t smex::sizeWithin(const Runs &runs, Interval interval) {
  int64_t size = 0;
  for (auto run = firstAfter(runs, interval.lo);
       run != runs.end() && run->lo < interval.hi; ++run)
    size += intersect(*run, interval).size();
  return size;
}

bool smex::contains(const Runs &outer, const Runs &inner) {
  auto run = outer.begin();
  for (Interval each : inner) {
    while (run != outer.end() && run->hi <= each.lo)
      ++run;
    if (run == outer.end() || !run->contains(each))
      return false;
  }
  return true;
}

Runs smex::intersect(const Runs &runs, Interval interval) {
  Runs within;
  if (interval.empty())
    return within;
  for (auto run = firstAfter(runs, interval.lo);
       run != runs.end() && run->lo < interval.hi; ++run)
    within.push_back(intersect(*run, interval));
  return within;
}

std::vector<Piece> smex::piecesWithin(const Runs &rows,
                                      const std::vector<Piece> &pieces) {
  std::vector<Piece> parts;
  for (const Piece &piece : pieces) {
    if (isEmpty(piece.box))
      continue;
    for (Interval run : intersect(rows, piece.box[0])) {
      parts.push_back(piece);
      parts.back().box[0] = run;
    }
  }
  return parts;
}
