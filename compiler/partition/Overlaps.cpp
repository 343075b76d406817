#include "compiler/partition/Overlaps.h"

#include "compiler/partition/Contiguous.h"

#include <numeric>

using namespace smex;
using namespace smex::partition;
using analysis::IntervalProgram;

namespace {

/// One dimension of a region against the same dimension of what is owned. Sizes
/// are of intervals, a run of one per group.
struct Dimension {
  std::vector<int> rowPatterns, columnPatterns; // per candidate
  int columnPatternCount = 0;
  std::vector<int64_t> needed;  // per row pattern
  std::vector<int64_t> owned;   // per column pattern
  std::vector<int64_t> overlap; // per pair of patterns
};

/// Numbers lists of cuts in order of appearance. There are few of them.
class CutPatterns {
public:
  /// Lists of this length.
  explicit CutPatterns(size_t length) : length(length) {}

  int number(const Cuts *cuts) {
    for (int i = 0; i < count; ++i)
      if (std::equal(cuts, cuts + length, (*this)[i]))
        return i;
    all.insert(all.end(), cuts, cuts + length);
    return count++;
  }
  int size() const { return count; }
  const Cuts *operator[](int pattern) const {
    return all.data() + pattern * length;
  }

private:
  const size_t length;
  int count = 0;
  std::vector<Cuts> all;
};

/// Per group, the interval that a program reads, given how each of the index
/// variables that it mentions is cut. `box` is scratch.
void readIntervals(const IntervalProgram &program, int64_t extent,
                   const Groups &groups, const std::vector<int64_t> &extents,
                   const std::vector<int> &indices, const Cuts *cuts,
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

/// The same of the rows that lists say, from whichever point of the index space
/// they are read: `box` is scratch.
void readRows(const analysis::RowReads &reads, const Groups &groups,
              const std::vector<int64_t> &extents, const Cuts *cuts, Box &box,
              std::vector<const Runs *> &result) {
  const std::vector<int> &indices = reads.variables();
  std::vector<const Interval *> parts;
  for (size_t i = 0; i < indices.size(); ++i)
    parts.push_back(groups.parts(extents[indices[i]], cuts[i]).data());
  for (int64_t g = 0; g < groups.count; ++g) {
    for (size_t i = 0; i < indices.size(); ++i)
      box[indices[i]] = parts[i][g];
    result[g] = &reads.of(box);
  }
}

Dimension makeDimension(const IntervalProgram &program,
                        const analysis::RowReads *listed, int64_t extent, int d,
                        const std::vector<int64_t> &extents,
                        const Candidates &rows, const Candidates &columns,
                        const Groups &groups, Count count) {
  Dimension dimension;
  const std::vector<int> indices =
      listed ? listed->variables() : indicesOf(program);
  std::vector<Cuts> cuts(indices.size());
  CutPatterns rowPatterns(indices.size()), columnPatterns(1);
  dimension.rowPatterns.reserve(rows.histories.size());
  dimension.columnPatterns.reserve(columns.histories.size());
  for (const History &history : rows.histories) {
    for (size_t i = 0; i < indices.size(); ++i)
      cuts[i] = groups.cutsAlong(history, indices[i]);
    dimension.rowPatterns.push_back(rowPatterns.number(cuts.data()));
  }
  for (const History &history : columns.histories) {
    const Cuts cut = groups.cutsAlong(history, d);
    dimension.columnPatterns.push_back(columnPatterns.number(&cut));
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
  std::vector<const Runs *> rowsNeeded(listed ? groups.count : 0);
  for (int pattern = 0; pattern < rowPatterns.size(); ++pattern) {
    if (listed) {
      // Workers of a group need together what it needs as one.
      readRows(*listed, groups, extents, rowPatterns[pattern], box, rowsNeeded);
      for (int64_t g = 0; g < groups.count; ++g)
        dimension.needed.push_back(sizeOf(*rowsNeeded[g]));
      for (const Interval *part : owned)
        for (int64_t g = 0; g < groups.count; ++g)
          dimension.overlap.push_back(sizeWithin(*rowsNeeded[g], part[g]));
      continue;
    }
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
  std::vector<std::vector<int64_t>> active;
  for (size_t row = 0; row < rows.histories.size(); ++row) {
    active.push_back(groups.present(rows.histories[row]));
    for (size_t v = 0; v < extents.size(); ++v) {
      const auto &parts = groups.parts(
          extents[v], groups.cutsAlong(rows.histories[row], int(v)));
      for (int64_t g = 0; g < groups.count; ++g)
        active[row][g] &= !parts[g].empty();
    }
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

Cuts Groups::cutsAlong(const History &history, int dimension) const {
  key.assign(1, 0); // the steps that cut; what follows says how, if not evenly
  for (size_t s = 0; s < history.size(); ++s)
    if (history[s].cuts(dimension)) {
      key[0] |= int64_t(1) << s;
      if (!history[s].isEven())
        history[s].appendTo(key);
    }
  const int number = numbers.number(key);
  if (number == int(cuts.size())) {
    cuts.push_back(history);
    for (Division &division : cuts.back())
      if (!division.cuts(dimension))
        division = Division::whole();
  }
  return number;
}

const std::vector<Interval> &Groups::parts(int64_t extent, Cuts howCut) const {
  const auto [it, isNew] = known.try_emplace({extent, howCut});
  if (!isNew)
    return it->second;
  it->second.assign(count, Interval{0, extent});
  int64_t after = count; // so many groups does each group of the step become
  for (size_t s = 0; s < ways.size(); ++s) {
    if (const Division &division = cuts[howCut][s]; division.isPart())
      for (int64_t g = 0; g < count; ++g)
        it->second[g] =
            division.partOf(it->second[g], ways[s], digits[s][g], g / after);
    after /= ways[s];
  }
  return it->second;
}

std::vector<int64_t> Groups::present(const History &history) const {
  std::vector<int64_t> result(count, 1);
  for (size_t s = 0; s < history.size(); ++s)
    if (history[s].isPlaced())
      for (int64_t g = 0; g < count; ++g)
        result[g] &= digits[s][g] == history[s].group();
  return result;
}

int64_t partition::countPartials(const std::vector<int64_t> &extents,
                                 size_t rank, const History &history,
                                 const Groups &groups) {
  int64_t partials = 1;
  for (size_t v = rank; v < extents.size(); ++v) {
    const std::vector<Interval> &parts =
        groups.parts(extents[v], groups.cutsAlong(history, int(v)));
    int64_t count = 0;
    for (int64_t g = 0; g < groups.count; ++g) {
      bool first = !parts[g].empty();
      for (size_t s = 0; s < history.size(); ++s)
        first = first && (history[s].cuts(int(v)) || groups.digits[s][g] == 0);
      count += first;
    }
    partials *= count;
  }
  return partials;
}

Overlaps partition::findOverlaps(const std::vector<IntervalProgram> &programs,
                                 const analysis::RowReads *listed,
                                 const std::vector<int64_t> &shape,
                                 const std::vector<int64_t> &extents,
                                 const Candidates &rows,
                                 const Candidates &columns,
                                 const Groups &groups, Count counted) {
  std::vector<Dimension> dimensions;
  dimensions.reserve(shape.size());
  for (size_t d = 0; d < shape.size(); ++d)
    dimensions.push_back(makeDimension(programs[d], d == 0 ? listed : nullptr,
                                       shape[d], int(d), extents, rows, columns,
                                       groups, counted));
  const int64_t count = groups.count;
  Overlaps overlaps;
  overlaps.owned.reserve(columns.histories.size());
  overlaps.needed.reserve(rows.histories.size());
  overlaps.both.reserve(rows.histories.size() * columns.histories.size());
  std::vector<std::vector<int64_t>> present; // per column
  for (const History &history : columns.histories)
    present.push_back(groups.present(history));
  std::vector<const int64_t *> runs(dimensions.size() + 1);
  for (size_t column = 0; column < columns.histories.size(); ++column) {
    runs.back() = present[column].data();
    for (size_t d = 0; d < dimensions.size(); ++d)
      runs[d] =
          &dimensions[d].owned[dimensions[d].columnPatterns[column] * count];
    overlaps.owned.push_back(sumOfProducts(runs, count));
  }
  const auto active = findActive(extents, rows, groups);
  for (size_t row = 0; row < rows.histories.size(); ++row) {
    runs.resize(dimensions.size() + 1);
    runs.back() = active[row].data();
    for (size_t d = 0; d < dimensions.size(); ++d)
      runs[d] = &dimensions[d].needed[dimensions[d].rowPatterns[row] * count];
    overlaps.needed.push_back(sumOfProducts(runs, count));
    runs.push_back(nullptr); // where the column's share is
    for (size_t column = 0; column < columns.histories.size(); ++column) {
      runs.back() = present[column].data();
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
