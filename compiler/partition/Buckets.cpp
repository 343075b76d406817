#include "compiler/partition/Buckets.h"

#include <algorithm>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::network;

namespace {

/// Groups of factors, each small enough to eliminate `variable` from. Large
/// factors first, each into the first group that it fits.
std::vector<std::vector<Factor>> split(int variable,
                                       std::vector<Factor> factors,
                                       const std::vector<int> &sizes,
                                       int64_t maxTableEntries) {
  const auto fits = [&](const std::vector<Factor> &group) {
    return tableSize(sizes, otherVariables(variable, group)) <= maxTableEntries;
  };
  if (fits(factors))
    return {std::move(factors)};
  std::stable_sort(factors.begin(), factors.end(),
                   [](const Factor &a, const Factor &b) {
                     return a.scope.size() > b.scope.size();
                   });
  std::vector<std::vector<Factor>> groups;
  for (Factor &factor : factors) {
    bool placed = false;
    for (auto &group : groups) {
      group.push_back(factor);
      placed = fits(group);
      if (placed)
        break;
      group.pop_back();
    }
    if (!placed)
      groups.push_back({std::move(factor)});
  }
  return groups;
}

} // namespace

Buckets::Buckets(const FactorGraph &graph, std::vector<int> givenOrder,
                 Tables &tables)
    : graph(graph), order(std::move(givenOrder)), places(graph.sizes.size()),
      tables(tables), buckets(order.size()) {
  for (size_t i = 0; i < order.size(); ++i)
    places[order[i]] = int(i);
  for (const Factor &factor : graph.factors)
    put(factor);
}

void Buckets::put(Factor factor) {
  if (factor.scope.empty()) {
    constants.push_back(factor.table);
    return;
  }
  int first = places[factor.scope.front()];
  for (int v : factor.scope)
    first = std::min(first, places[v]);
  buckets[first].push_back(std::move(factor));
}

Cost Buckets::run(int64_t maxTableEntries, bool keepTables) {
  // Which tables are made from which depends on sizes alone. So that comes
  // first, and tells for how long each is needed.
  const int given = tables.count();
  std::vector<Tables::Elimination> eliminations;
  for (size_t i = 0; i < order.size(); ++i) {
    if (buckets[i].empty())
      continue;
    std::vector<Factor> bucket =
        keepTables ? buckets[i] : std::move(buckets[i]);
    for (auto &group :
         split(order[i], std::move(bucket), graph.sizes, maxTableEntries))
      put(tables.schedule(order[i], graph.sizes, std::move(group),
                          eliminations));
  }
  std::vector<size_t> lastUse(tables.count() - given, eliminations.size());
  for (size_t e = 0; e < eliminations.size(); ++e)
    for (const Factor &factor : eliminations[e].factors)
      if (factor.table >= given)
        lastUse[factor.table - given] = e;
  for (int table : constants)
    if (table >= given)
      lastUse[table - given] = eliminations.size();
  for (size_t e = 0; e < eliminations.size(); ++e) {
    tables.compute(eliminations[e], graph.sizes);
    if (keepTables)
      continue;
    for (const Factor &factor : eliminations[e].factors)
      if (factor.table >= given && lastUse[factor.table - given] == e)
        tables.drop(factor.table);
  }
  Cost cost;
  for (int table : constants)
    cost += tables.at({{}, table}, graph.sizes, {});
  return cost;
}

void Buckets::assign(std::vector<int> &values) const {
  for (size_t i = order.size(); i-- > 0;) {
    const int v = order[i];
    Cost least;
    int best = 0;
    for (values[v] = 0; values[v] < graph.sizes[v]; ++values[v]) {
      Cost cost;
      for (const Factor &factor : buckets[i])
        cost += tables.at(factor, graph.sizes, values);
      if (values[v] == 0 || cost < least) {
        least = cost;
        best = values[v];
      }
    }
    values[v] = best;
  }
}
