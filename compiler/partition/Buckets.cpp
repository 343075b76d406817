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
    constant += tables.costs(factor.table).front();
    return;
  }
  int first = places[factor.scope.front()];
  for (int v : factor.scope)
    first = std::min(first, places[v]);
  buckets[first].push_back(std::move(factor));
}

Cost Buckets::run(int64_t maxTableEntries) {
  for (size_t i = 0; i < order.size(); ++i) {
    if (buckets[i].empty())
      continue;
    for (auto &group :
         split(order[i], buckets[i], graph.sizes, maxTableEntries))
      put(tables.eliminate(order[i], graph.sizes, std::move(group)));
  }
  return constant;
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
