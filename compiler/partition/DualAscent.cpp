#include "compiler/partition/DualAscent.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace smex;
using namespace smex::partition;

namespace {

using Values = std::vector<double>;

/// So many columns are gone through side by side: what is found in one does not
/// wait for the other. Where there are fewer, the last is looked at again,
/// which changes no minimum.
constexpr int kAbreast = 4;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Goes on while so many sweeps together raise the bound by one part in so
/// many.
constexpr int kSweeps = 8;
constexpr int64_t kPart = 1000;

/// The least charge of a reader among its histories that a fetch serves.
struct Served {
  Values regions; // per region, and of no region
  Values levels;  // per level, column by column

  double least(const Fetched &fetched, int levelStart) const {
    return std::min(regions[fetched.region],
                    levels[levelStart + fetched.level]);
  }
};

/// What a term costs with what it is charged.
struct Charged {
  Values writer; // per column: least of the writer
  /// Per choice of what is fetched, column by column: what that moves, and the
  /// least of each reader among its histories that are served by it.
  Values sums;
  std::vector<Served> readers; // of each reader, or empty
};

class Ascent {
public:
  Ascent(const TensorTerms &terms, int64_t enough, int64_t maxKept,
         Charges &charges);
  Bound run(int64_t maxWork);

private:
  struct Place { // of an operator
    int term, member;
    double shares[2]; // of all costs, on the way forward and backward
  };

  const TermCosts &costsOf(int term) const {
    return all.costs[all.terms[term].costs];
  }
  void share(int op);
  int64_t workOfSweep() const;

  /// The least charge of each row of a member.
  const Values &least(int term, int member);
  void leastOfReader(int term, int member, Served &result);
  const Served &known(int term, int member);
  void charge(int term, int member);
  void addToSums(int term, const Served &reader, double times);
  void gather(int term, int member, Values &costs);
  bool visit(int op, int direction);
  int64_t bound() const;

  const TensorTerms &all;
  const int64_t enough;
  std::vector<std::vector<Values>> &ofTerms; // per term and member, per history
  std::vector<Values> &rest;                 // per operator
  double limit = 0;  // of a charge, so that sums are exact
  bool keep = false; // the least costs of each reader, or find them again
  std::vector<Charged> charged;           // per term
  std::vector<std::vector<Place>> places; // per operator
  Values leastOfRow, others, perRegion, perRow, total;
  Served leastValues;
  std::vector<Values> gathered;
};

Ascent::Ascent(const TensorTerms &terms, int64_t enough, int64_t maxKept,
               Charges &charges)
    : all(terms), enough(enough), ofTerms(charges.ofTerms), rest(charges.rest),
      charged(terms.terms.size()), places(terms.histories.size()) {
  const bool begun = !rest.empty();
  size_t mostMembers = 0;
  int64_t kept = 0;
  for (size_t t = 0; t < charged.size(); ++t) {
    const auto &members = all.terms[t].members;
    mostMembers = std::max(mostMembers, members.size());
    const TermCosts &costs = costsOf(int(t));
    kept += int64_t(members.size()) *
            (costs.levelStarts.back() + costs.regions + 1);
    for (size_t m = 0; m < members.size(); ++m)
      places[members[m].op].push_back({int(t), int(m), {}});
  }
  keep = kept <= maxKept;
  size_t mostPlaces = 0;
  for (int op = 0; op < int(places.size()); ++op) {
    mostPlaces = std::max(mostPlaces, places[op].size());
    if (!begun)
      rest.emplace_back(all.histories[op]);
    share(op);
  }
  limit = double(int64_t(1) << 52) / double(mostMembers + 2) /
          double(mostPlaces + 1);
  ofTerms.resize(charged.size());
  for (size_t t = 0; t < charged.size(); ++t) {
    const TermCosts &costs = costsOf(int(t));
    charged[t].writer.assign(costs.columns, 0);
    for (const Fetched &fetched : costs.fetched)
      charged[t].sums.push_back(fetched.bytes);
    const auto &members = all.terms[t].members;
    charged[t].readers.resize(members.size());
    for (const Term::Member &member : members)
      if (!begun)
        ofTerms[t].emplace_back(all.histories[member.op]);
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

void Ascent::share(int op) {
  for (int direction : {0, 1}) {
    int toCome = 0, come = 0; // terms that know such operators
    double weights = 0;
    for (Place &place : places[op]) {
      // Members ascend.
      const int before = place.member;
      const int after =
          int(all.terms[place.term].members.size()) - 1 - place.member;
      const int later = direction == 0 ? after : before;
      const int earlier = direction == 0 ? before : after;
      toCome += later > 0;
      come += earlier > 0;
      place.shares[direction] = later;
      weights += later;
    }
    for (Place &place : places[op])
      place.shares[direction] *=
          weights > 0 ? toCome / weights / std::max(toCome, come) : 0;
  }
}

int64_t Ascent::workOfSweep() const {
  int64_t work = 0;
  for (const Term &term : all.terms) {
    const TermCosts &costs = all.costs[term.costs];
    for (const Term::Member &member : term.members)
      work += int64_t(costs.fetched.size()) + costs.levelStarts.back() +
              int64_t(costs.columns) * costs.rowsOf(member.reader).count;
  }
  return work * (keep ? 2 : 3);
}

const Values &Ascent::least(int term, int member) {
  const auto &rows =
      costsOf(term).rowsOf(all.terms[term].members[member].reader);
  const Values &charges = ofTerms[term][member];
  leastOfRow.assign(rows.count, kInfinity);
  for (size_t i = 0; i < charges.size(); ++i)
    leastOfRow[rows.of[i]] = std::min(leastOfRow[rows.of[i]], charges[i]);
  return leastOfRow;
}

void Ascent::leastOfReader(int term, int member, Served &result) {
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

const Served &Ascent::known(int term, int member) {
  if (keep)
    return charged[term].readers[member];
  leastOfReader(term, member, leastValues);
  return leastValues;
}

/// Makes what the term costs at least true for new charges of a writer. (Of a
/// reader, see `visit`.)
void Ascent::charge(int term, int member) {
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
void Ascent::addToSums(int term, const Served &reader, double times) {
  const TermCosts &costs = costsOf(term);
  for (int column = 0; column < costs.columns; ++column)
    for (int i = costs.starts[column]; i < costs.starts[column + 1]; ++i)
      charged[term].sums[i] +=
          times * reader.least(costs.fetched[i], costs.levelStarts[column]);
}

/// What the term costs at least with each history of a member.
void Ascent::gather(int term, int member, Values &result) {
  const TermCosts &costs = costsOf(term);
  const Charged &now = charged[term];
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
  const Values &charges = ofTerms[term][member];
  result.resize(charges.size());
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = perRow[rowOf.of[i]] + charges[i];
}

/// False, and then nothing more can be done, if numbers get too large.
bool Ascent::visit(int op, int direction) {
  const auto &here = places[op];
  total = rest[op];
  gathered.resize(std::max(gathered.size(), here.size()));
  for (size_t i = 0; i < here.size(); ++i) {
    gather(here[i].term, here[i].member, gathered[i]);
    for (size_t h = 0; h < total.size(); ++h)
      total[h] += gathered[i][h];
  }
  rest[op] = total;
  Served before;
  for (size_t i = 0; i < here.size(); ++i) {
    const auto [term, member, shares] = here[i];
    const bool isReader = all.terms[term].members[member].reader >= 0;
    if (isReader)
      before = known(term, member);
    Values &charges = ofTerms[term][member];
    for (size_t h = 0; h < total.size(); ++h) {
      const double part = std::floor(total[h] * shares[direction]);
      charges[h] += part - gathered[i][h];
      rest[op][h] -= part;
      if (!(std::abs(charges[h]) <= limit))
        return false;
    }
    if (!isReader) {
      charge(term, member);
      continue;
    }
    Served &after = keep ? charged[term].readers[member] : leastValues;
    leastOfReader(term, member, after);
    addToSums(term, before, -1);
    addToSums(term, after, 1);
  }
  for (double cost : rest[op])
    if (!(std::abs(cost) <= limit))
      return false;
  return true;
}

int64_t Ascent::bound() const {
  __int128 sum = 0;
  for (const Values &costs : rest)
    sum += int64_t(*std::min_element(costs.begin(), costs.end()));
  for (size_t t = 0; t < charged.size(); ++t) {
    const auto &starts = costsOf(int(t)).starts;
    double least = kInfinity;
    for (size_t column = 0; column + 1 < starts.size(); ++column)
      least = std::min(
          least,
          charged[t].writer[column] +
              *std::min_element(charged[t].sums.begin() + starts[column],
                                charged[t].sums.begin() + starts[column + 1]));
    sum += int64_t(least);
  }
  return int64_t(std::max<__int128>(sum, 0));
}

Bound Ascent::run(int64_t maxWork) {
  if (all.most > limit)
    return {};
  int64_t best = bound(), before = best;
  const int64_t work = std::max<int64_t>(workOfSweep(), 1);
  for (int64_t sweep = 0; best < enough; ++sweep) {
    if (sweep + 1 > maxWork / work)
      return {best, true};
    const int direction = sweep % 2;
    for (size_t i = 0; i < places.size(); ++i)
      if (!visit(int(direction == 0 ? i : places.size() - 1 - i), direction))
        return {best, false};
    best = std::max(best, bound());
    if (sweep % kSweeps == kSweeps - 1) {
      if (best - before < before / kPart + 1)
        break;
      before = best;
    }
  }
  return {best, false};
}

} // namespace

Bound partition::raiseBound(const TensorTerms &terms, int64_t enough,
                            int64_t maxWork, Charges &charges,
                            int64_t maxKept) {
  return Ascent(terms, enough, maxKept, charges).run(maxWork);
}
