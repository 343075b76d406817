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

/// One dimension of a region against the same dimension of what is owned.
struct Dimension {
  std::vector<int> rowPatterns, columnPatterns; // per candidate
  int columnPatternCount = 0;
  std::vector<std::vector<int64_t>> needed;  // per row pattern, per group
  std::vector<std::vector<int64_t>> owned;   // per column pattern, per group
  std::vector<std::vector<int64_t>> overlap; // per pair of patterns, per group

  const int64_t *overlapOf(int row, int column) const {
    return overlap[rowPatterns[row] * columnPatternCount +
                   columnPatterns[column]]
        .data();
  }
};

/// The intervals that one program reads, given which steps cut the index
/// variables that it mentions.
std::vector<Interval> readIntervals(const IntervalProgram &program,
                                    int64_t extent, const Groups &groups,
                                    const std::vector<int64_t> &extents,
                                    const std::vector<int> &indices,
                                    const std::vector<Steps> &cuts,
                                    Count count) {
  std::vector<const Interval *> parts;
  for (size_t i = 0; i < indices.size(); ++i)
    parts.push_back(groups.parts(extents[indices[i]], cuts[i]).data());
  Box box = wholeBox(extents);
  std::vector<Interval> result;
  for (int64_t g = 0; g < groups.count; ++g) {
    bool asBefore = g > 0;
    for (size_t i = 0; i < indices.size(); ++i) {
      asBefore = asBefore && box[indices[i]] == parts[i][g];
      box[indices[i]] = parts[i][g];
    }
    if (asBefore)
      result.push_back(result.back());
    else if (count == Count::Guaranteed && !isContiguous(program, box))
      result.push_back({0, 0});
    else
      result.push_back(
          intersect(program.evaluate(box, extent), Interval{0, extent}));
  }
  return result;
}

Dimension makeDimension(const IntervalProgram &program, int64_t extent, int d,
                        const std::vector<int64_t> &extents,
                        const Candidates &rows, const Candidates &columns,
                        const Groups &groups, Count count) {
  Dimension dimension;
  const std::vector<int> indices = indicesOf(program);
  Patterns<std::vector<Steps>> rowPatterns;
  for (const History &history : rows.histories) {
    std::vector<Steps> cuts;
    for (int index : indices)
      cuts.push_back(stepsThatCut(history, index));
    dimension.rowPatterns.push_back(rowPatterns.number(cuts));
  }
  Patterns<Steps> columnPatterns;
  for (const History &history : columns.histories)
    dimension.columnPatterns.push_back(
        columnPatterns.number(stepsThatCut(history, d)));
  dimension.columnPatternCount = int(columnPatterns.keys.size());

  std::vector<const std::vector<Interval> *> owned;
  const auto sizes = [](const std::vector<Interval> &intervals) {
    std::vector<int64_t> result;
    for (Interval interval : intervals)
      result.push_back(interval.size());
    return result;
  };
  for (Steps steps : columnPatterns.keys) {
    owned.push_back(&groups.parts(extent, steps));
    dimension.owned.push_back(sizes(*owned.back()));
  }
  for (const std::vector<Steps> &cuts : rowPatterns.keys) {
    const auto needed =
        readIntervals(program, extent, groups, extents, indices, cuts, count);
    dimension.needed.push_back(sizes(needed));
    for (const auto *part : owned) {
      std::vector<Interval> both(needed.size());
      for (size_t g = 0; g < both.size(); ++g)
        both[g] = intersect(needed[g], (*part)[g]);
      dimension.overlap.push_back(sizes(both));
    }
  }
  return dimension;
}

void multiply(std::vector<int64_t> &product, const int64_t *factors) {
  for (size_t g = 0; g < product.size(); ++g)
    product[g] *= factors[g];
}

int64_t sum(const std::vector<int64_t> &values) {
  return std::accumulate(values.begin(), values.end(), int64_t(0));
}

/// Per candidate of an operator: 1 for groups whose share is not empty, else 0.
std::vector<std::vector<int64_t>>
findActive(const std::vector<int64_t> &extents, const Candidates &rows,
           const Groups &groups) {
  std::vector<std::vector<int64_t>> active(
      rows.histories.size(), std::vector<int64_t>(groups.count, 1));
  for (size_t row = 0; row < active.size(); ++row)
    for (size_t v = 0; v < extents.size(); ++v) {
      const auto &parts =
          groups.parts(extents[v], stepsThatCut(rows.histories[row], int(v)));
      for (int64_t g = 0; g < groups.count; ++g)
        active[row][g] &= !parts[g].empty();
    }
  return active;
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
                                 const Groups &groups, Count count) {
  std::vector<Dimension> dimensions;
  for (size_t d = 0; d < shape.size(); ++d)
    dimensions.push_back(makeDimension(programs[d], shape[d], int(d), extents,
                                       rows, columns, groups, count));
  Overlaps overlaps;
  std::vector<int64_t> product;
  for (size_t column = 0; column < columns.histories.size(); ++column) {
    product.assign(groups.count, 1);
    for (const Dimension &dim : dimensions)
      multiply(product, dim.owned[dim.columnPatterns[column]].data());
    overlaps.owned.push_back(sum(product));
  }
  const auto active = findActive(extents, rows, groups);
  for (size_t row = 0; row < rows.histories.size(); ++row) {
    product = active[row];
    for (const Dimension &dim : dimensions)
      multiply(product, dim.needed[dim.rowPatterns[row]].data());
    overlaps.needed.push_back(sum(product));
    for (size_t column = 0; column < columns.histories.size(); ++column) {
      product = active[row];
      for (const Dimension &dim : dimensions)
        multiply(product, dim.overlapOf(int(row), int(column)));
      overlaps.both.push_back(sum(product));
    }
  }
  return overlaps;
}
