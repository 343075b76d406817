#include "compiler/partition/Dominance.h"

#include <algorithm>
#include <numeric>

using namespace smex::partition::network;

namespace {

Cost times(Cost cost, int64_t count) {
  return {cost.bytes * count, cost.tie * count};
}

Key keyOf(int size, const View &view, size_t group) {
  Key key{size, int64_t(group)};
  for (const View::Group &each : view.groups()) {
    key.push_back(2 * int64_t(each.seen.table) + each.seen.isRow);
    key.push_back(each.count);
  }
  return key;
}

} // namespace

void View::add(Seen seen, int64_t count) {
  const auto less = [](const Group &group, Seen other) {
    return std::tie(group.seen.table, group.seen.isRow) <
           std::tie(other.table, other.isRow);
  };
  const auto it = std::lower_bound(all.begin(), all.end(), seen, less);
  if (it == all.end() || !(it->seen == seen)) {
    all.insert(it, {seen, count});
    return;
  }
  it->count += count;
  if (it->count == 0)
    all.erase(it);
}

const std::vector<Cost> &Dominance::worstDifference(int size, Seen seen) {
  const auto [it, isNew] =
      differences.try_emplace({size, 2 * int64_t(seen.table) + seen.isRow});
  if (!isNew)
    return it->second;
  const std::vector<Cost> &costs = tables.costs(seen.table);
  const int64_t others = int64_t(costs.size()) / size;
  const int64_t own = seen.isRow ? others : 1, other = seen.isRow ? 1 : size;
  std::vector<Cost> &worst = it->second;
  worst.resize(size_t(size) * size);
  for (int p = 0; p < size; ++p)
    for (int b = 0; b < size; ++b) {
      Cost most = costs[p * own] - costs[b * own];
      for (int64_t z = 1; z < others; ++z)
        most = std::max(most, costs[p * own + z * other] -
                                  costs[b * own + z * other]);
      worst[size_t(p) * size + b] = most;
    }
  return worst;
}

const std::vector<Cost> &Dominance::worstDifference(int size,
                                                    const View &view) {
  const auto [it, isNew] = sums.try_emplace(keyOf(size, view, 0));
  if (!isNew)
    return it->second;
  std::vector<Cost> sum(size_t(size) * size);
  for (const View::Group &group : view.groups()) {
    const std::vector<Cost> &each = worstDifference(size, group.seen);
    for (size_t i = 0; i < sum.size(); ++i)
      sum[i] += times(each[i], group.count);
  }
  return it->second = std::move(sum);
}

const std::vector<int> &Dominance::undominated(int size, const View &view) {
  const auto [it, isNew] = undominatedOf.try_emplace(keyOf(size, view, 0));
  if (!isNew)
    return it->second;
  std::vector<int> &values = it->second;
  values.resize(size);
  std::iota(values.begin(), values.end(), 0);
  const std::vector<Cost> &worst = worstDifference(size, view);
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

const std::vector<int> &Dominance::bestGiven(int size, const View &view,
                                             size_t group) {
  const auto [it, isNew] = bestOf.try_emplace(keyOf(size, view, group));
  if (!isNew)
    return it->second;
  const Seen seen = view.groups()[group].seen;
  std::vector<Cost> others = worstDifference(size, view);
  const std::vector<Cost> &own = worstDifference(size, seen);
  for (size_t i = 0; i < others.size(); ++i)
    others[i] = others[i] - own[i];

  const std::vector<Cost> &costs = tables.costs(seen.table);
  const int64_t neighbours = int64_t(costs.size()) / size;
  const auto at = [&](int64_t a, int value) {
    return costs[seen.isRow ? value * neighbours + a : a * size + value];
  };
  std::vector<int> &best = it->second;
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
    if (p == size) {
      best.clear();
      break;
    }
    best.push_back(p);
  }
  return best;
}
