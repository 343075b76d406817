#include "compiler/partition/Buckets.h"
#include "compiler/partition/Order.h"
#include "compiler/partition/Reduction.h"

#include <algorithm>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::network;

namespace {

/// Of a lower bound within limits: mini-buckets, whose tables together keep to
/// the limit for all.
int64_t boundEntries(const FactorGraph &graph, const Params &params) {
  const int64_t share = params.maxTotalEntries /
                        std::max<int64_t>(int64_t(graph.sizes.size()), 1);
  return std::max<int64_t>(std::min(params.maxBoundEntries, share), 1);
}

Cost costOf(const FactorGraph &graph, const Tables &tables,
            const std::vector<int> &values) {
  Cost cost;
  for (const Factor &factor : graph.factors)
    cost += tables.at(factor, graph.sizes, values);
  return cost;
}

/// Fixes so many variables that the rest can be eliminated within the limit,
/// and gives the rest their best values. Never worse: the values it starts with
/// are among those it chooses from.
void improve(const FactorGraph &graph, Tables tables, int64_t maxTableEntries,
             uint64_t seed, std::vector<int> &values) {
  const Order order = minFillWithin(graph, maxTableEntries, seed);
  std::vector<int> fixed(graph.sizes.size(), -1);
  for (int v : order.fixed)
    fixed[v] = values[v];
  FactorGraph rest{graph.sizes, {}};
  for (const Factor &factor : graph.factors)
    rest.factors.push_back(tables.fix(factor, graph.sizes, fixed));
  Buckets buckets(rest, order.variables, tables);
  buckets.run(maxTableEntries);
  buckets.assign(values);
}

/// Where elimination is not possible.
void searchBounded(const FactorGraph &graph, Tables &tables,
                   const Params &params, Cost &lowerBound,
                   std::vector<int> &values) {
  // Each part starts from the reduction's tables alone: what they make would
  // pile up.
  {
    Tables scratch = tables;
    const int64_t entries = boundEntries(graph, params);
    Buckets buckets(graph, minFillForBound(graph, entries).variables, scratch);
    lowerBound = buckets.run(entries);
    buckets.assign(values);
  }
  Cost cost = costOf(graph, tables, values);
  for (int part = 0, idle = 0;
       part < params.parts && idle < params.patience && lowerBound < cost;
       ++part) {
    improve(graph, tables, params.maxPartEntries, part, values);
    const Cost before = cost;
    cost = costOf(graph, tables, values);
    idle = cost < before ? 0 : idle + 1;
  }
}

} // namespace

Solution network::solve(const Problem &problem, const Params &params) {
  Tables tables;
  const Reduction reduction(problem, tables, params.maxTableEntries);
  const FactorGraph &graph = reduction.graph;
  Solution solution;
  std::vector<int> values(graph.sizes.size());
  if (const auto order =
          minFill(graph, params.maxTableEntries, params.maxTotalEntries)) {
    Buckets buckets(graph, order->variables, tables);
    solution.lowerBound = buckets.run(params.maxTableEntries);
    buckets.assign(values);
  } else if (params.bounded) {
    searchBounded(graph, tables, params, solution.lowerBound, values);
  } else {
    return solution;
  }
  solution.values = reduction.expand(values, tables);
  solution.cost = network::evaluate(problem, solution.values);
  solution.optimal = solution.cost == solution.lowerBound;
  return solution;
}

Cost network::lowerBound(const Problem &problem, const Params &params) {
  Tables tables;
  const Reduction reduction(problem, tables, params.maxTableEntries);
  const FactorGraph &graph = reduction.graph;
  if (const auto order =
          minFill(graph, params.maxTableEntries, params.maxTotalEntries))
    return Buckets(graph, order->variables, tables)
        .runForCost(params.maxTableEntries);
  const int64_t entries = boundEntries(graph, params);
  return Buckets(graph, minFillForBound(graph, entries).variables, tables)
      .runForCost(entries);
}
