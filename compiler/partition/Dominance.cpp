#include "compiler/partition/Dominance.h"

#include <algorithm>
#include <numeric>

using namespace smex::partition;
using namespace smex::partition::network;

namespace {

/// What sees more different things than that follows none of them.
constexpr size_t kMostGroups = 12;

/// What sees more than that is a hub: seldom the same as another one.
constexpr size_t kHubGroups = 64;

constexpr size_t kFewGroups = 16;

Cost times(Cost cost, int64_t count) {
  return {cost.bytes * count, cost.tie * count};
}

template <typename Number> Number numberOf(Cost cost);
template <> Cost numberOf(Cost cost) { return cost; }
template <> int64_t numberOf(Cost cost) { return cost.bytes; }
Cost costOf(Cost number) { return number; }
Cost costOf(int64_t number) { return {number, 0}; }

/// See Dominance::worstDifference. Numbers are bytes where there are no ties.
template <typename Number>
std::vector<Cost> worst(int size, bool isRow, const std::vector<Cost> &costs) {
  const int64_t others = int64_t(costs.size()) / size;
  const int64_t own = isRow ? others : 1, other = isRow ? 1 : size;
  std::vector<Number> rows; // a row per value
  rows.reserve(costs.size());
  for (int value = 0; value < size; ++value)
    for (int64_t z = 0; z < others; ++z)
      rows.push_back(numberOf<Number>(costs[value * own + z * other]));
  std::vector<Cost> result(size_t(size) * size);
  for (int p = 0; p < size; ++p)
    for (int b = 0; b < p; ++b) {
      const Number *ofP = &rows[p * others], *ofB = &rows[b * others];
      Number most = ofP[0] - ofB[0], least = most;
      for (int64_t z = 1; z < others; ++z) {
        const Number more = ofP[z] - ofB[z];
        most = std::max(most, more);
        least = std::min(least, more);
      }
      result[size_t(p) * size + b] = costOf(most);
      result[size_t(b) * size + p] = Cost() - costOf(least);
    }
  return result;
}

uint32_t codeOf(Seen seen) { return 2 * uint32_t(seen.table) + seen.isRow; }

/// The values that are left.
std::vector<int> undominated(int size, const std::vector<Cost> &worst) {
  std::vector<int> values(size);
  std::iota(values.begin(), values.end(), 0);
  for (int b = size; b-- > 0;)
    for (int p : values) {
      const Cost more = worst[size_t(p) * size + b];
      if (p != b && (more < Cost() || (more == Cost() && p < b))) {
        values.erase(std::lower_bound(values.begin(), values.end(), b));
        break;
      }
    }
  return values;
}

} // namespace

void View::add(Seen seen, int32_t count) {
  const uint32_t code = codeOf(seen);
  if (hub) {
    hub->changes.push_back({code, count});
    if (hub->changes.size() > all.size()) // to start again is less work
      hub.reset();
  }
  // Few groups are counted, since no processor foresees where a search ends.
  size_t place = 0;
  if (all.size() <= kFewGroups)
    for (const Group &group : all)
      place += group.code < code;
  else
    place = std::partition_point(
                all.begin(), all.end(),
                [&](const Group &group) { return group.code < code; }) -
            all.begin();
  const auto it = all.begin() + place;
  if (it == all.end() || it->code != code) {
    all.insert(it, {code, count});
    return;
  }
  it->count += count;
  if (it->count == 0)
    all.erase(it);
}

const Dominance::Verdict &Dominance::judge(int size, View &view, int own) {
  if (view.groups().size() > kHubGroups)
    return judgeHub(size, view);
  key.clear();
  key.push_back(int64_t(size) << 32 | uint32_t(own));
  for (const View::Group &group : view.groups())
    key.push_back(int64_t(uint64_t(group.code) << 32 | uint32_t(group.count)));
  const int number = views.number(key);
  if (number == int(verdicts.size()))
    verdicts.push_back(decide(size, view, own));
  return verdicts[number];
}

const Dominance::Verdict &Dominance::judgeHub(int size, View &view) {
  const size_t entries = size_t(size) * size;
  if (view.hub && view.hub->worst.size() == entries) {
    addWorst(size, view.hub->changes, view.hub->worst);
    view.hub->changes.clear();
  } else {
    view.hub.reset(new View::Hub{Costs(entries), {}});
    addWorst(size, view.all, view.hub->worst);
  }
  hubVerdict.left = undominated(size, view.hub->worst);
  return hubVerdict;
}

void Dominance::addWorst(int size, const std::vector<View::Group> &groups,
                         Costs &worst) {
  for (const View::Group &group : groups) {
    const Costs &each = worstDifference(size, group.seen());
    for (size_t i = 0; i < worst.size(); ++i)
      worst[i] += times(each[i], group.count);
  }
}

const Dominance::Costs &Dominance::worstDifference(int size, Seen seen) {
  const int number = seens.number({size, codeOf(seen)});
  if (number == int(differences.size())) {
    const Costs &costs = tables.costs(seen.table);
    differences.push_back(tables.hasTies(seen.table)
                              ? worst<Cost>(size, seen.isRow, costs)
                              : worst<int64_t>(size, seen.isRow, costs));
  }
  return differences[number];
}

Dominance::Verdict Dominance::decide(int size, const View &view, int own) {
  Costs worst(size_t(size) * size);
  addWorst(size, view.groups(), worst);
  Verdict verdict;
  verdict.left = undominated(size, worst);
  if (int(verdict.left.size()) < size || size == 1 ||
      view.groups().size() > kMostGroups)
    return verdict;
  for (size_t g = 0; g < view.groups().size() && verdict.best.empty(); ++g) {
    const Seen seen = view.groups()[g].seen();
    if (seen.table == own)
      continue;
    verdict.best = bestGiven(size, seen, worst);
    if (!verdict.best.empty())
      verdict.follows = int(g);
  }
  return verdict;
}

std::vector<int> Dominance::bestGiven(int size, Seen seen, const Costs &worst) {
  // How much more p may cost than b where all but this neighbour is concerned.
  Costs others = worst;
  const Costs &own = worstDifference(size, seen);
  for (size_t i = 0; i < others.size(); ++i)
    others[i] = others[i] - own[i];

  const Costs &costs = tables.costs(seen.table);
  const int64_t neighbours = int64_t(costs.size()) / size;
  const auto at = [&](int64_t a, int value) {
    return costs[seen.isRow ? value * neighbours + a : a * size + value];
  };
  std::vector<int> best;
  for (int64_t a = 0; a < neighbours; ++a) {
    int p = 0;
    const auto isBest = [&] {
      for (int b = 0; b < size; ++b)
        if (at(a, b) - at(a, p) < others[size_t(p) * size + b])
          return false;
      return true;
    };
    while (p < size && !isBest())
      ++p;
    if (p == size)
      return {};
    best.push_back(p);
  }
  return best;
}
