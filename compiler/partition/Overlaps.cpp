#include "compiler/partition/Overlaps.h"

#include "compiler/partition/Contiguous.h"

#include <numeric>

using namespace smex;
using namespace smex::partition;
using analysis::IntervalProgram;

namespace {

Steps stepsThatCut(const History &history, int along) {
  Steps steps = 0;
  for (size_t s = 0; s < history.size(); ++s)
    steps |= Steps(history[s] == along) << s;
  return steps;
}

/// One dimension of a region against the same dimension of what is owned. Sizes
/// are of intervals, a run of one per group.
struct Dimension {
  std::vector<int> rowPatterns, columnPatterns; // per candidate
  int columnPatternCount = 0;
  std::vector<int64_t> needed;  // per row pattern
  std::vector<int64_t> owned;   // per column pattern
  std::vector<int64_t> overlap; // per pair of patterns
};

/// Numbers lists of steps in order of appearance. There are few of them.
class CutPatterns {
public:
  /// Lists of this length.
  explicit CutPatterns(size_t length) : length(length) {}

  int number(const Steps *cuts) {
    for (int i = 0; i < count; ++i)
      if (std::equal(cuts, cuts + length, (*this)[i]))
        return i;
    all.insert(all.end(), cuts, cuts + length);
    return count++;
  }
  int size() const { return count; }
  const Steps *operator[](int pattern) const {
    return all.data() + pattern * length;
  }

private:
  const size_t length;
  int count = 0;
  std::vector<Steps> all;
};

/// Per group, the interval that a program reads, given which steps cut each of
/// the index variables that it mentions. `box` is scratch.
void readIntervals(const IntervalProgram &program, int64_t extent,
                   const Groups &groups, const std::vector<int64_t> &extents,
                   const std::vector<int> &indices, const Steps *cuts,
                   Count count, Box &box, std::vector<Interval> &result) {
  std::vector<const Interval *> parts;
  for (size_t i = 0; i < indices.size(); ++i)
    parts.push_back(groups.parts(extents[indices[i]], cuts[i]).data());
  for (int64_t g = 0; g < groups.count; ++g) {
    bool asBefore = g > 0;
    for (size_t i = 0; i < indices.size(); ++i) {
      asBefore = asBefore && box[indices[i]] == parts[i][g];
      box[indices[i]] = parts[i][g];
    }
    if (asBefore)
      result[g] = result[g - 1];
    else if (count == Count::Guaranteed && !isContiguous(program, box))
      result[g] = {0, 0};
    else
      result[g] = intersect(program.evaluate(box, extent), Interval{0, extent});
  }
}

Dimension makeDimension(const IntervalProgram &program, int64_t extent, int d,
                        const std::vector<int64_t> &extents,
                        const Candidates &rows, const Candidates &columns,
                        const Groups &groups, Count count) {
  Dimension dimension;
  const std::vector<int> indices = indicesOf(program);
  std::vector<Steps> cuts(indices.size());
  CutPatterns rowPatterns(indices.size()), columnPatterns(1);
  dimension.rowPatterns.reserve(rows.histories.size());
  dimension.columnPatterns.reserve(columns.histories.size());
  for (const History &history : rows.histories) {
    for (size_t i = 0; i < indices.size(); ++i)
      cuts[i] = stepsThatCut(history, indices[i]);
    dimension.rowPatterns.push_back(rowPatterns.number(cuts.data()));
  }
  for (const History &history : columns.histories) {
    const Steps steps = stepsThatCut(history, d);
    dimension.columnPatterns.push_back(columnPatterns.number(&steps));
  }
  dimension.columnPatternCount = columnPatterns.size();

  const auto append = [&](std::vector<int64_t> &sizes, auto intervalOf) {
    for (int64_t g = 0; g < groups.count; ++g)
      sizes.push_back(intervalOf(g).size());
  };
  std::vector<const Interval *> owned;
  dimension.owned.reserve(columnPatterns.size() * groups.count);
  for (int pattern = 0; pattern < columnPatterns.size(); ++pattern) {
    owned.push_back(groups.parts(extent, *columnPatterns[pattern]).data());
    append(dimension.owned, [&](int64_t g) { return owned.back()[g]; });
  }
  Box box = wholeBox(extents);
  dimension.needed.reserve(rowPatterns.size() * groups.count);
  std::vector<Interval> needed(groups.count);
  dimension.overlap.reserve(size_t(rowPatterns.size()) * columnPatterns.size() *
                            groups.count);
  for (int pattern = 0; pattern < rowPatterns.size(); ++pattern) {
    readIntervals(program, extent, groups, extents, indices,
                  rowPatterns[pattern], count, box, needed);
    append(dimension.needed, [&](int64_t g) { return needed[g]; });
    for (const Interval *part : owned)
      append(dimension.overlap,
             [&](int64_t g) { return intersect(needed[g], part[g]); });
  }
  return dimension;
}

/// Per candidate of an operator: 1 for groups whose share is not empty, else 0.
std::vector<std::vector<int64_t>>
findActive(const std::vector<int64_t> &extents, const Candidates &rows,
           const Groups &groups) {
  std::vector<std::vector<int64_t>> active(
      rows.histories.size(), std::vector<int64_t>(groups.count, 1));
  for (size_t row = 0; row < active.size(); ++row)
    for (size_t v = 0; v < extents.size(); ++v) {
      const Steps steps = stepsThatCut(rows.histories[row], int(v));
      if (steps == 0 && extents[v] > 0)
        continue;
      const auto &parts = groups.parts(extents[v], steps);
      for (int64_t g = 0; g < groups.count; ++g)
        active[row][g] &= !parts[g].empty();
    }
  return active;
}

/// The sum over groups of the product of these runs.
int64_t sumOfProducts(const std::vector<const int64_t *> &runs, int64_t count) {
  int64_t sum = 0;
  for (int64_t g = 0; g < count; ++g) {
    int64_t product = 1;
    for (const int64_t *run : runs)
      product *= run[g];
    sum += product;
  }
  return sum;
}

} // namespace

Groups::Groups(const std::vector<int64_t> &ways)
    : ways(ways), count(std::accumulate(ways.begin(), ways.end(), int64_t(1),
                                        std::multiplies<>())),
      digits(ways.size()) {
  int64_t weight = 1;
  for (size_t s = ways.size(); s-- > 0; weight *= ways[s])
    for (int64_t g = 0; g < count; ++g)
      digits[s].push_back(g / weight % ways[s]);
}

const std::vector<Interval> &Groups::parts(int64_t extent, Steps steps) const {
  const auto [it, isNew] = known.try_emplace({extent, steps});
  if (!isNew)
    return it->second;
  it->second.assign(count, Interval{0, extent});
  for (size_t s = 0; s < ways.size(); ++s)
    if (steps >> s & 1)
      for (int64_t g = 0; g < count; ++g)
        it->second[g] = cut(it->second[g], ways[s], digits[s][g]);
  return it->second;
}

int64_t partition::countPartials(const std::vector<int64_t> &extents,
                                 size_t rank, const History &history,
                                 const Groups &groups) {
  int64_t partials = 1;
  for (size_t v = rank; v < extents.size(); ++v) {
    const Steps steps = stepsThatCut(history, int(v));
    const std::vector<Interval> &parts = groups.parts(extents[v], steps);
    int64_t count = 0;
    for (int64_t g = 0; g < groups.count; ++g) {
      bool first = !parts[g].empty();
      for (size_t s = 0; s < history.size(); ++s)
        first = first && (steps >> s & 1 || groups.digits[s][g] == 0);
      count += first;
    }
    partials *= count;
  }
  return partials;
}

Overlaps partition::findOverlaps(const std::vector<IntervalProgram> &programs,
                                 const std::vector<int64_t> &shape,
                                 const std::vector<int64_t> &extents,
                                 const Candidates &rows,
                                 const Candidates &columns,
                                 const Groups &groups, Count counted) {
  std::vector<Dimension> dimensions;
  dimensions.reserve(shape.size());
  for (size_t d = 0; d < shape.size(); ++d)
    dimensions.push_back(makeDimension(programs[d], shape[d], int(d), extents,
                                       rows, columns, groups, counted));
  const int64_t count = groups.count;
  Overlaps overlaps;
  overlaps.owned.reserve(columns.histories.size());
  overlaps.needed.reserve(rows.histories.size());
  overlaps.both.reserve(rows.histories.size() * columns.histories.size());
  std::vector<const int64_t *> runs(dimensions.size());
  for (size_t column = 0; column < columns.histories.size(); ++column) {
    for (size_t d = 0; d < dimensions.size(); ++d)
      runs[d] =
          &dimensions[d].owned[dimensions[d].columnPatterns[column] * count];
    overlaps.owned.push_back(sumOfProducts(runs, count));
  }
  const auto active = findActive(extents, rows, groups);
  runs.push_back(nullptr); // the active ones
  for (size_t row = 0; row < rows.histories.size(); ++row) {
    runs.back() = active[row].data();
    for (size_t d = 0; d < dimensions.size(); ++d)
      runs[d] = &dimensions[d].needed[dimensions[d].rowPatterns[row] * count];
    overlaps.needed.push_back(sumOfProducts(runs, count));
    for (size_t column = 0; column < columns.histories.size(); ++column) {
      for (size_t d = 0; d < dimensions.size(); ++d) {
        const Dimension &dim = dimensions[d];
        const int pair = dim.rowPatterns[row] * dim.columnPatternCount +
                         dim.columnPatterns[column];
        runs[d] = &dim.overlap[pair * count];
      }
      overlaps.both.push_back(sumOfProducts(runs, count));
    }
  }
  return overlaps;
}
