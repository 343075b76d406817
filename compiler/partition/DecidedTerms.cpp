#include "compiler/partition/DecidedTerms.h"

#include <algorithm>
#include <limits>

using namespace smex;
using namespace smex::partition;

namespace {

constexpr int64_t kMaxKept = int64_t(1) << 23;

/// What a reader needs of a tensor, by number: its region, or, where these are
/// not known, its row.
int needOf(const TermCosts &costs, int reader, int history) {
  const TermCosts::Reader &kind = costs.readers[reader];
  const int row = kind.rows.of[history];
  if (costs.regions > 0)
    return kind.regions[row];
  int before = 0;
  for (int r = 0; r < reader; ++r)
    before += costs.readers[r].rows.count;
  return before + row;
}

int needsOf(const TermCosts &costs) {
  int rows = 0;
  for (const TermCosts::Reader &reader : costs.readers)
    rows += reader.rows.count;
  return costs.regions > 0 ? costs.regions + 1 : rows;
}

} // namespace

DecidedTerms::DecidedTerms(const TensorTerms &terms, const Charges &charges)
    : charges(charges), state(terms, this->charges, kMaxKept),
      chosen(terms.histories.size(), -1) {
  given = this->charges;
  readersBy.resize(terms.terms.size());
  for (int term = 0; term < int(terms.terms.size()); ++term) {
    leasts.push_back(state.leastOf(term));
    const Term &here = terms.terms[term];
    writers.push_back(-1);
    for (const Term::Member &member : here.members)
      if (member.reader < 0)
        writers.back() = member.op;
    const int needs = needsOf(terms.costs[here.costs]);
    if (needs < int(here.members.size()))
      readersBy[term].assign(size_t(needs), 0);
  }
  for (int op = 0; op < operators(); ++op) {
    int64_t work = 0;
    for (const auto &[term, member] : placesOf(op))
      work += state.work(term, member);
    works.push_back(work);
  }
}

void DecidedTerms::decide(int op) {
  total = charges.rest[op];
  for (const auto &[term, member] : placesOf(op)) {
    state.gather(term, member, gathered);
    for (size_t h = 0; h < total.size(); ++h)
      total[h] += gathered[h];
  }
  fix(op, int(std::min_element(total.begin(), total.end()) - total.begin()));
}

bool DecidedTerms::decideAgain(int op) {
  total.assign(state.all.histories[op], 0);
  for (const auto &[term, member] : placesOf(op)) {
    state.gather(term, member, gathered);
    // What it is charged itself does not count.
    const Values &own = charges.ofTerms[term][member];
    for (size_t h = 0; h < total.size(); ++h)
      total[h] += gathered[h] - own[h];
  }
  // No history moves less than its terms, so few have to be counted.
  const int before = chosen[op];
  double least = movedByAll(op);
  promising.clear();
  for (int h = 0; h < int(total.size()); ++h)
    if (total[h] < least)
      promising.push_back({total[h], h});
  std::sort(promising.begin(), promising.end());
  int best = before;
  for (const auto &[atLeast, history] : promising) {
    if (atLeast >= least)
      break;
    choose(op, history);
    if (const double bytes = movedByAll(op); bytes < least) {
      least = bytes;
      best = history;
    }
  }
  choose(op, before);
  if (best == before)
    return false;
  fix(op, best);
  return true;
}

void DecidedTerms::choose(int op, int history) {
  for (const auto &[term, member] : placesOf(op)) {
    const Term &here = state.all.terms[term];
    const int reader = here.members[member].reader;
    std::vector<int> &readers = readersBy[term];
    if (readers.empty() || reader < 0)
      continue;
    const TermCosts &costs = state.all.costs[here.costs];
    if (chosen[op] >= 0)
      --readers[needOf(costs, reader, chosen[op])];
    if (history >= 0)
      ++readers[needOf(costs, reader, history)];
  }
  chosen[op] = history;
}

/// What readers need, each once, of all that are decided.
void DecidedTerms::findNeeded(int term) {
  const Term &here = state.all.terms[term];
  const TermCosts &costs = state.all.costs[here.costs];
  const std::vector<int> &readers = readersBy[term];
  needed.clear();
  for (int need = 0; need < int(readers.size()); ++need)
    if (readers[need] > 0)
      needed.push_back(need);
  if (!readers.empty())
    return;
  isNeeded.assign(size_t(needsOf(costs)), false);
  for (const Term::Member &member : here.members)
    if (member.reader >= 0) {
      const int need = needOf(costs, member.reader, chosen[member.op]);
      if (!isNeeded[need])
        needed.push_back(need);
      isNeeded[need] = true;
    }
}

/// Others are charged so much that none of them is chosen.
void DecidedTerms::fix(int op, int history) {
  choose(op, history);
  for (const auto &[term, member] : placesOf(op)) {
    gathered.assign(state.all.histories[op], state.limit);
    gathered[history] = 0;
    state.recharge(term, member, gathered);
  }
}

void DecidedTerms::free(int op) {
  choose(op, -1);
  for (const auto &[term, member] : placesOf(op)) {
    gathered = given.ofTerms[term][member];
    state.recharge(term, member, gathered);
  }
}

double DecidedTerms::excess(int term) {
  double cost = moved(term).bytes - leasts[term];
  const auto &members = state.all.terms[term].members;
  for (size_t m = 0; m < members.size(); ++m)
    cost += given.ofTerms[term][m][chosen[members[m].op]];
  return cost;
}

/// Of all tensors that the operator knows.
double DecidedTerms::movedByAll(int op) {
  double bytes = 0;
  for (const auto &[term, member] : placesOf(op))
    bytes += moved(term).bytes;
  return bytes;
}

DecidedTerms::Moved DecidedTerms::moved(int term) {
  const TermCosts &costs = state.all.costs[state.all.terms[term].costs];
  const bool byRegions = costs.regions > 0;
  findNeeded(term);
  if (byRegions)
    findOutermost(costs);
  const int writer = writers[term];
  const int written = writer < 0 ? -1 : costs.writer.of[chosen[writer]];
  Moved least{std::numeric_limits<double>::infinity(), 0};
  for (int column = 0; column < costs.columns; ++column) {
    double bytes =
        byRegions ? outermostBytes(costs, column) : readersMost(costs, column);
    if (written >= 0)
      bytes += costs.written[size_t(column) * costs.writer.count + written];
    if (bytes < least.bytes)
      least = {bytes, column};
  }
  return least;
}

/// Where regions are not known: the most that one of the readers fetches.
double DecidedTerms::readersMost(const TermCosts &costs, int column) const {
  int most = 0, first = 0;
  for (const TermCosts::Reader &reader : costs.readers) {
    const int rows = reader.rows.count;
    for (int need : needed)
      if (need >= first && need < first + rows)
        most = std::max<int>(
            most, reader.levels[size_t(column) * rows + need - first]);
    first += rows;
  }
  return costs.fetched[costs.starts[column] + most].bytes;
}

void DecidedTerms::findOutermost(const TermCosts &costs) {
  outer.clear();
  for (int region : needed)
    if (std::none_of(needed.begin(), needed.end(), [&](int other) {
          return other != region && costs.contained[other][region];
        }))
      outer.push_back(region);
  together.clear();
  for (size_t i = 0; i < outer.size() && !costs.pairs.empty(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const std::pair pair = std::minmax(outer[i], outer[j]);
      const auto it = std::lower_bound(costs.pairs.begin(), costs.pairs.end(),
                                       std::pair<int, int>(pair));
      if (it != costs.pairs.end() && *it == std::pair<int, int>(pair))
        together.push_back({i, costs.once.data() +
                                   (it - costs.pairs.begin()) * costs.columns});
    }
}

/// Each is fetched with the one before it that it shares most with.
double DecidedTerms::outermostBytes(const TermCosts &costs, int column) const {
  double bytes = 0;
  for (int region : outer)
    bytes += costs.ofRegions[size_t(region) * costs.columns + column];
  double once = 0;
  for (size_t i = 0; i < together.size(); ++i) {
    once = std::max(once, together[i].once[column]);
    if (i + 1 == together.size() ||
        together[i + 1].later != together[i].later) {
      bytes -= once;
      once = 0;
    }
  }
  return bytes;
}
