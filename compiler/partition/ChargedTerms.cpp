#include "compiler/partition/ChargedTerms.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace smex;
using namespace smex::partition;

namespace {

/// So many columns are gone through side by side: what is found in one does not
/// wait for the other. Where there are fewer, the last is looked at again,
/// which changes no minimum.
constexpr int kAbreast = 4;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

} // namespace

ChargedTerms::ChargedTerms(const TensorTerms &terms, Charges &charges,
                           int64_t maxKept)
    : all(terms), charges(charges), charged(terms.terms.size()),
      places(terms.histories.size()) {
  const bool begun = !charges.rest.empty();
  charges.ofTerms.resize(charged.size());
  size_t mostMembers = 0, mostPlaces = 0;
  int64_t kept = 0;
  for (size_t t = 0; t < charged.size(); ++t) {
    const auto &members = all.terms[t].members;
    mostMembers = std::max(mostMembers, members.size());
    const TermCosts &costs = costsOf(int(t));
    kept += int64_t(members.size()) *
            (costs.levelStarts.back() + costs.regions + 1);
    for (size_t m = 0; m < members.size(); ++m) {
      places[members[m].op].push_back({int(t), int(m)});
      if (!begun)
        charges.ofTerms[t].emplace_back(all.histories[members[m].op]);
    }
  }
  keep = kept <= maxKept;
  for (size_t op = 0; op < places.size(); ++op) {
    mostPlaces = std::max(mostPlaces, places[op].size());
    if (!begun)
      charges.rest.emplace_back(all.histories[op]);
  }
  limit = std::floor(double(int64_t(1) << 52) / double(mostMembers + 2) /
                     double(mostPlaces + 1));
  for (size_t t = 0; t < charged.size(); ++t) {
    const TermCosts &costs = costsOf(int(t));
    charged[t].writer.assign(costs.columns, 0);
    for (const Fetched &fetched : costs.fetched)
      charged[t].sums.push_back(fetched.bytes);
    const auto &members = all.terms[t].members;
    charged[t].readers.resize(members.size());
    for (size_t m = 0; m < members.size(); ++m)
      if (members[m].reader < 0) {
        charge(int(t), int(m));
      } else {
        Served &served = keep ? charged[t].readers[m] : leastValues;
        leastOfReader(int(t), int(m), served);
        addToSums(int(t), served, 1);
      }
  }
}

int64_t ChargedTerms::work(int term, int member) const {
  const TermCosts &costs = costsOf(term);
  const int reader = all.terms[term].members[member].reader;
  return (int64_t(costs.fetched.size()) + costs.levelStarts.back() +
          int64_t(costs.columns) * costs.rowsOf(reader).count) *
         (keep ? 2 : 3);
}

int64_t ChargedTerms::work() const {
  int64_t sum = 0;
  for (size_t term = 0; term < all.terms.size(); ++term)
    for (size_t member = 0; member < all.terms[term].members.size(); ++member)
      sum += work(int(term), int(member));
  return std::max<int64_t>(sum, keep ? 2 : 3);
}

const Values &ChargedTerms::least(int term, int member) {
  const auto &rows =
      costsOf(term).rowsOf(all.terms[term].members[member].reader);
  const Values &given = charges.ofTerms[term][member];
  leastOfRow.assign(rows.count, kInfinity);
  for (size_t i = 0; i < given.size(); ++i)
    leastOfRow[rows.of[i]] = std::min(leastOfRow[rows.of[i]], given[i]);
  return leastOfRow;
}

void ChargedTerms::leastOfReader(int term, int member, Served &result) {
  const TermCosts &costs = costsOf(term);
  const auto &reader = costs.readers[all.terms[term].members[member].reader];
  const double *charges = least(term, member).data();
  result.regions.assign(size_t(costs.regions) + 1, kInfinity);
  for (int region = 0; region < costs.regions; ++region)
    for (int i = reader.withinStarts[region];
         i < reader.withinStarts[region + 1]; ++i)
      result.regions[region] =
          std::min(result.regions[region], charges[reader.within[i]]);
  result.levels.assign(costs.levelStarts.back(), kInfinity);
  for (int column = 0; column < costs.columns; column += kAbreast) {
    double *of[kAbreast];
    const uint16_t *level[kAbreast];
    for (int i = 0; i < kAbreast; ++i) {
      const int c = std::min(column + i, costs.columns - 1);
      of[i] = result.levels.data() + costs.levelStarts[c];
      level[i] = reader.levels.data() + size_t(c) * reader.rows.count;
    }
    for (int row = 0; row < reader.rows.count; ++row)
      for (int i = 0; i < kAbreast; ++i) {
        double &now = of[i][level[i][row]];
        now = std::min(now, charges[row]);
      }
  }
  for (int column = 0; column < costs.columns; ++column)
    for (int i = costs.levelStarts[column] + 1;
         i < costs.levelStarts[column + 1]; ++i)
      result.levels[i] = std::min(result.levels[i], result.levels[i - 1]);
}

const Served &ChargedTerms::known(int term, int member) {
  if (keep)
    return charged[term].readers[member];
  leastOfReader(term, member, leastValues);
  return leastValues;
}

/// Makes what the term costs at least true for new charges of a writer. (Of a
/// reader, see `recharge`.)
void ChargedTerms::charge(int term, int member) {
  const TermCosts &costs = costsOf(term);
  const double *charges = least(term, member).data();
  for (int column = 0; column < costs.columns; column += kAbreast) {
    const double *written[kAbreast];
    double least[kAbreast];
    for (int i = 0; i < kAbreast; ++i) {
      written[i] =
          costs.written.data() +
          size_t(std::min(column + i, costs.columns - 1)) * costs.writer.count;
      least[i] = kInfinity;
    }
    for (int row = 0; row < costs.writer.count; ++row)
      for (int i = 0; i < kAbreast; ++i)
        least[i] = std::min(least[i], written[i][row] + charges[row]);
    for (int i = 0; i < kAbreast && column + i < costs.columns; ++i)
      charged[term].writer[column + i] = least[i];
  }
}

/// Adds what a reader costs at least to what each fetch costs with all.
void ChargedTerms::addToSums(int term, const Served &reader, double times) {
  const TermCosts &costs = costsOf(term);
  for (int column = 0; column < costs.columns; ++column)
    for (int i = costs.starts[column]; i < costs.starts[column + 1]; ++i)
      charged[term].sums[i] +=
          times * reader.least(costs.fetched[i], costs.levelStarts[column]);
}

void ChargedTerms::recharge(int term, int member, Values &values) {
  const bool isReader = all.terms[term].members[member].reader >= 0;
  if (isReader)
    before = known(term, member);
  charges.ofTerms[term][member].swap(values);
  if (!isReader) {
    charge(term, member);
    return;
  }
  Served &after = keep ? charged[term].readers[member] : leastValues;
  leastOfReader(term, member, after);
  addToSums(term, before, -1);
  addToSums(term, after, 1);
}

/// What the term costs at least with each history of a member.
void ChargedTerms::gather(int term, int member, Values &result) {
  const TermCosts &costs = costsOf(term);
  const OfTerm &now = charged[term];
  const int kind = all.terms[term].members[member].reader;
  const TermCosts::Rows &rowOf = costs.rowsOf(kind);
  const int rows = rowOf.count;
  perRow.assign(rows, kInfinity);
  // What all others cost at least, per level, column by column, where what is
  // fetched serves it; and where it serves a region, in whichever column.
  others.assign(costs.levelStarts.back(), kInfinity);
  perRegion.assign(size_t(costs.regions) + 1, kInfinity);
  const Served *own = kind < 0 ? nullptr : &known(term, member);
  for (int column = 0; column < costs.columns; ++column) {
    const int levelStart = costs.levelStarts[column];
    for (int i = costs.starts[column]; i < costs.starts[column + 1]; ++i) {
      const Fetched &fetched = costs.fetched[i];
      double cost = now.sums[i];
      if (own)
        cost += now.writer[column] - own->least(fetched, levelStart);
      double &ofLevel = others[levelStart + fetched.level];
      ofLevel = std::min(ofLevel, cost);
      double &ofRegion = perRegion[fetched.region];
      ofRegion = std::min(ofRegion, cost);
    }
    for (int i = costs.levelStarts[column + 1] - 1; i-- > levelStart;)
      others[i] = std::min(others[i], others[i + 1]);
  }
  for (int column = 0; column < costs.columns; column += kAbreast) {
    const double *of[kAbreast], *written[kAbreast];
    const uint16_t *level[kAbreast];
    for (int i = 0; i < kAbreast; ++i) {
      const int c = std::min(column + i, costs.columns - 1);
      of[i] = others.data() + costs.levelStarts[c];
      if (own)
        level[i] = costs.readers[kind].levels.data() + size_t(c) * rows;
      else
        written[i] = costs.written.data() + size_t(c) * rows;
    }
    if (own)
      for (int row = 0; row < rows; ++row) {
        double least = perRow[row];
        for (int i = 0; i < kAbreast; ++i)
          least = std::min(least, of[i][level[i][row]]);
        perRow[row] = least;
      }
    else
      for (int row = 0; row < rows; ++row) {
        double least = perRow[row];
        for (int i = 0; i < kAbreast; ++i)
          least = std::min(least, written[i][row] + *of[i]);
        perRow[row] = least;
      }
  }
  if (own)
    for (int region = 0; region < costs.regions; ++region)
      for (int i = costs.readers[kind].withinStarts[region];
           i < costs.readers[kind].withinStarts[region + 1]; ++i) {
        double &cost = perRow[costs.readers[kind].within[i]];
        cost = std::min(cost, perRegion[region]);
      }
  const Values &given = charges.ofTerms[term][member];
  result.resize(given.size());
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = perRow[rowOf.of[i]] + given[i];
}

double ChargedTerms::leastOfColumn(int term, int column) const {
  const auto &starts = costsOf(term).starts;
  const Values &sums = charged[term].sums;
  return charged[term].writer[column] +
         *std::min_element(sums.begin() + starts[column],
                           sums.begin() + starts[column + 1]);
}

int ChargedTerms::leastColumn(int term) const {
  int best = 0;
  for (int column = 1; column < costsOf(term).columns; ++column)
    if (leastOfColumn(term, column) < leastOfColumn(term, best))
      best = column;
  return best;
}

int64_t ChargedTerms::bound() const {
  __int128 sum = 0;
  for (const Values &costs : charges.rest)
    sum += int64_t(*std::min_element(costs.begin(), costs.end()));
  for (size_t t = 0; t < charged.size(); ++t) {
    double least = kInfinity;
    for (int column = 0; column < costsOf(int(t)).columns; ++column)
      least = std::min(least, leastOfColumn(int(t), column));
    sum += int64_t(least);
  }
  return int64_t(std::max<__int128>(sum, 0));
}
