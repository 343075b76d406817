#include "compiler/partition/TermMaker.h"

#include <algorithm>
#include <limits>

using namespace smex;
using namespace smex::partition;

namespace {

/// So many entries a list of what may be fetched usually has per region: where
/// it is going to be too long, nothing is spent on it.
constexpr int64_t kUsual = 8;

/// So many boxes and runs of rows are looked at to find what regions share;
/// where there are more, regions are not told apart.
constexpr int64_t kMostLooks = int64_t(1) << 26;

/// Numbers rows of a table of this width, those with equal bytes and regions
/// alike, and appends the bytes of each.
TermCosts::Rows distinct(const std::vector<int64_t> &bytes, int width,
                         const std::vector<int> &regions,
                         std::vector<int64_t> &entries) {
  TermCosts::Rows rows;
  Numbering numbers;
  Numbering::Key key;
  for (auto row = bytes.begin(); row != bytes.end(); row += width) {
    key.assign(row, row + width);
    if (!regions.empty())
      key.push_back(regions[rows.of.size()]);
    rows.of.push_back(numbers.number(key));
    if (rows.of.back() == rows.count) {
      ++rows.count;
      entries.insert(entries.end(), row, row + width);
    }
  }
  return rows;
}

} // namespace

TermMaker::TermMaker(const PairCosts &costs, const Tensor &tensor, int list)
    : costs(costs), tensor(tensor), histories(costs.candidates(list)) {
  made.columns = int(histories.histories.size());
  made.starts = made.levelStarts = {0};
}

void TermMaker::addWriter(int table) {
  std::vector<int64_t> entries;
  made.writer = distinct(costs.bytes(table), made.columns, {}, entries);
  for (int column = 0; column < made.columns; ++column)
    for (int row = 0; row < made.writer.count; ++row)
      made.written.push_back(
          double(entries[size_t(row) * made.columns + column]));
}

void TermMaker::addReader(const Reading &reading) {
  std::vector<int64_t> most = costs.bytes(reading.uses[0].table);
  for (const Reading::Use &use : reading.uses) {
    const auto &bytes = costs.bytes(use.table);
    for (size_t e = 0; e < most.size(); ++e)
      most[e] = std::max(most[e], bytes[e]);
  }
  needed.emplace_back();
  made.readers.emplace_back();
  made.readers.back().rows = distinct(most, made.columns, {}, needed.back());
}

void TermMaker::addReader(const Reading &reading, int list,
                          RegionFinder &finder) {
  std::vector<const RegionsOfOperand *> found;
  for (const Reading::Use &use : reading.uses)
    found.push_back(&finder.find(reading.op, use.operand, list));
  std::vector<int64_t> bytes;
  std::vector<int> chosen; // regions
  for (size_t row = 0; row < found[0]->of.size(); ++row) {
    const auto regionOf = [&](size_t i) -> const Region & {
      return found[i]->distinct[found[i]->of[row]];
    };
    size_t counts = 0;
    for (size_t i = 1; i < found.size(); ++i)
      if (containsAll(regionOf(i), regionOf(counts)))
        counts = i;
    for (size_t i = 0; i < found.size(); ++i)
      fails |= !containsAll(regionOf(counts), regionOf(i));
    chosen.push_back(regions.number(regionOf(counts)));
    const auto begin = costs.bytes(reading.uses[counts].table).begin() +
                       int64_t(row) * made.columns;
    bytes.insert(bytes.end(), begin, begin + made.columns);
  }
  needed.emplace_back();
  TermCosts::Reader reader;
  reader.rows = distinct(bytes, made.columns, chosen, needed.back());
  std::vector<int> &ofRows = regionsOfRows.emplace_back(reader.rows.count);
  for (size_t row = 0; row < chosen.size(); ++row)
    ofRows[reader.rows.of[row]] = chosen[row];
  reader.regions = ofRows;
  made.readers.push_back(std::move(reader));
}

std::optional<TermCosts> TermMaker::finish(int64_t maxFetched) {
  if (fails)
    return std::nullopt;
  if (regions.size() == 0)
    listByBytes();
  else if (!listByRegions(maxFetched))
    return std::nullopt;
  if (fails)
    return std::nullopt;
  return std::move(made);
}

void TermMaker::listByBytes() {
  for (int column = 0; column < made.columns; ++column) {
    addLevels(column, leastForAll(column));
    for (size_t level = 0; level < levels.size(); ++level)
      made.fetched.push_back(
          {made.noRegion(), int(level), double(levels[level])});
    made.starts.push_back(int(made.fetched.size()));
  }
}

/// Whatever the readers need, the outermost of their regions move no less than
/// one of the list does that serves them all: of the outermost ones the one
/// that moves most, and the next, if there is one that moves anything. Where
/// the two may be fetched as one, what they share counts once.
bool TermMaker::listByRegions(int64_t maxFetched) {
  if (int64_t(regions.size()) * made.columns * kUsual > maxFetched)
    return false;
  made.contained = regions.contained();
  const std::vector<std::vector<bool>> &contained = made.contained;
  made.regions = regions.size();
  findWithin(contained);
  if (!findOverlaps(contained, maxFetched))
    return false;
  // Whoever fetches a region that contains all others serves everybody.
  int whole = -1;
  for (int r = 0; r < made.regions; ++r)
    if (std::all_of(contained[r].begin(), contained[r].end(),
                    [](bool is) { return is; }))
      whole = r;
  std::vector<int64_t> bytes(made.regions);
  made.ofRegions.resize(size_t(made.regions) * made.columns);
  for (int column = 0; column < made.columns; ++column) {
    for (size_t i = 0; i < needed.size(); ++i)
      for (int row = 0; row < made.readers[i].rows.count; ++row)
        bytes[regionsOfRows[i][row]] =
            needed[i][size_t(row) * made.columns + column];
    for (int r = 0; r < made.regions; ++r)
      made.ofRegions[size_t(r) * made.columns + column] = double(bytes[r]);
    addLevels(column, 0);
    for (int r = 0; r < made.regions; ++r)
      for (size_t level = 0; level < levels.size() && levels[level] <= bytes[r];
           ++level) {
        const int64_t sum = bytesOf(column, bytes, r, levels[level]);
        const Fetched fetched{r, int(level), double(sum)};
        if (level > 0 && whole >= 0 && sum >= bytes[whole])
          continue;
        if (servesAll(column, fetched))
          made.fetched.push_back(fetched);
      }
    made.starts.push_back(int(made.fetched.size()));
    if (int64_t(made.fetched.size()) > maxFetched)
      return false;
  }
  return true;
}

/// False if that takes too long. Plain boxes are fetched together where any two
/// of them are one box. Where some are lists of rows, any two regions may be:
/// of those whose boxes differ in more than rows, one may lie within a union
/// that has the other's rows. `maxOnce`: numbers that are kept of the pairs
/// that are fetched together in any case.
bool TermMaker::findOverlaps(const std::vector<std::vector<bool>> &contained,
                             int64_t maxOnce) {
  overlaps.resize(size_t(made.regions));
  const bool haveRows = regions.haveRows();
  std::vector<std::vector<Box>> owned; // per column
  for (const History &history : histories.histories)
    owned.push_back(sharesOf(tensor.shape, history, histories.ways));
  int64_t looks = 0;
  for (int r = 0; r < made.regions; ++r)
    for (int other = r + 1; other < made.regions; ++other) {
      if (contained[r][other] || contained[other][r])
        continue;
      if (!haveRows && !regions.areOneBox(r, other))
        continue;
      const Shared shared = regions.shared(r, other);
      looks += int64_t(shared.region.size()) * made.columns;
      for (const auto &rows : shared.storage)
        looks += int64_t(rows->size()) * made.columns;
      if (looks > kMostLooks)
        return false;
      Overlap overlap{other, {}};
      for (const std::vector<Box> &boxes : owned)
        overlap.bytes.push_back(missing(shared.region, boxes) *
                                tensor.elementBytes);
      if (std::all_of(overlap.bytes.begin(), overlap.bytes.end(),
                      [](int64_t bytes) { return bytes == 0; }))
        continue;
      if (int64_t(made.once.size()) + made.columns <= maxOnce &&
          regions.areFetchedTogether(r, other)) {
        made.pairs.push_back({r, other});
        made.once.insert(made.once.end(), overlap.bytes.begin(),
                         overlap.bytes.end());
      }
      overlaps[other].push_back({r, overlap.bytes});
      overlaps[r].push_back(std::move(overlap));
    }
  return true;
}

/// What is moved at least where this region is the largest of the outermost
/// ones, and the next, which does not lie within it, moves so much alone.
/// `bytes`: what each region moves.
int64_t TermMaker::bytesOf(int column, const std::vector<int64_t> &bytes,
                           int region, int64_t level) const {
  int64_t twice = 0;
  for (const Overlap &overlap : overlaps[region])
    if (bytes[overlap.other] == level)
      twice = std::max(twice, overlap.bytes[column]);
  return bytes[region] + level - twice;
}

void TermMaker::findWithin(const std::vector<std::vector<bool>> &contained) {
  for (size_t i = 0; i < made.readers.size(); ++i) {
    TermCosts::Reader &reader = made.readers[i];
    reader.withinStarts = {0};
    for (const std::vector<bool> &contains : contained) {
      for (int row = 0; row < reader.rows.count; ++row)
        if (contains[regionsOfRows[i][row]])
          reader.within.push_back(row);
      reader.withinStarts.push_back(int(reader.within.size()));
    }
  }
}

/// The numbers of bytes that readers may need of a column, from `least` on, and
/// each row's place among them.
void TermMaker::addLevels(int column, int64_t least) {
  const size_t width = made.columns;
  levels = {least};
  for (const std::vector<int64_t> &entries : needed)
    for (size_t e = column; e < entries.size(); e += width)
      levels.push_back(std::max(entries[e], least));
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  fails |= levels.size() > std::numeric_limits<uint16_t>::max();
  for (size_t i = 0; i < needed.size(); ++i)
    for (size_t e = column; e < needed[i].size(); e += width)
      made.readers[i].levels.push_back(
          uint16_t(std::lower_bound(levels.begin(), levels.end(),
                                    std::max(needed[i][e], least)) -
                   levels.begin()));
  made.levelStarts.push_back(made.levelStarts.back() + int(levels.size()));
}

/// What some reader needs in any case.
int64_t TermMaker::leastForAll(int column) const {
  int64_t least = 0;
  for (const std::vector<int64_t> &entries : needed) {
    int64_t ofReader = std::numeric_limits<int64_t>::max();
    for (size_t e = column; e < entries.size(); e += made.columns)
      ofReader = std::min(ofReader, entries[e]);
    least = std::max(least, ofReader);
  }
  return least;
}

/// Whether it serves each kind of reader, in some row.
bool TermMaker::servesAll(int column, const Fetched &fetched) const {
  return std::all_of(made.readers.begin(), made.readers.end(),
                     [&](const TermCosts::Reader &reader) {
                       const auto row = reader.levels.begin() +
                                        int64_t(column) * reader.rows.count;
                       return reader.withinStarts[fetched.region] <
                                  reader.withinStarts[fetched.region + 1] ||
                              *std::min_element(row, row + reader.rows.count) <=
                                  fetched.level;
                     });
}
