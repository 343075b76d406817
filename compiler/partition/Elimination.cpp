#include "compiler/partition/Buckets.h"
#include "compiler/partition/Order.h"
#include "compiler/partition/Reduction.h"

#include <algorithm>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::network;

namespace {

bool fits(const Order &order, const Params &params) {
  return order.largestTable <= params.maxTableEntries &&
         order.totalEntries <= params.maxTotalEntries;
}

/// The limit per table for a bound: all variables' tables together keep to
/// theirs too.
int64_t boundEntries(const Order &order, const Params &params) {
  const int64_t share =
      params.maxTotalEntries / std::max<int64_t>(order.variables.size(), 1);
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

} // namespace

Solution network::solve(const Problem &problem, const Params &params) {
  Tables tables;
  const Reduction reduction(problem, tables, params.maxTableEntries);
  const FactorGraph &graph = reduction.graph;
  const Order order = *minFill(graph);

  Solution solution;
  solution.largestTable = order.largestTable;
  std::vector<int> values(graph.sizes.size());
  if (fits(order, params)) {
    Buckets buckets(graph, order.variables, tables);
    solution.lowerBound = buckets.run(params.maxTableEntries);
    buckets.assign(values);
  } else {
    // Each part starts from the reduction's tables alone: what they make would
    // pile up.
    {
      Tables scratch = tables;
      Buckets buckets(graph, order.variables, scratch);
      solution.lowerBound = buckets.run(boundEntries(order, params));
      buckets.assign(values);
    }
    Cost cost = costOf(graph, tables, values);
    for (int part = 0, idle = 0;
         part < params.parts && idle < params.patience &&
         solution.lowerBound < cost;
         ++part) {
      improve(graph, tables, params.maxPartEntries, part, values);
      const Cost before = cost;
      cost = costOf(graph, tables, values);
      idle = cost < before ? 0 : idle + 1;
    }
  }
  solution.values = reduction.expand(values);
  solution.cost = network::evaluate(problem, solution.values);
  solution.optimal = solution.cost == solution.lowerBound;
  return solution;
}

std::optional<Solution> network::solveExactly(const Problem &problem,
                                              int64_t maxTableEntries,
                                              int64_t maxTotalEntries) {
  Tables tables;
  const Reduction reduction(problem, tables, maxTableEntries);
  const auto order =
      minFill(reduction.graph, maxTableEntries, maxTotalEntries);
  if (!order)
    return std::nullopt;
  Solution solution;
  Buckets buckets(reduction.graph, order->variables, tables);
  solution.largestTable = order->largestTable;
  solution.lowerBound = buckets.run(maxTableEntries);
  std::vector<int> values(reduction.graph.sizes.size());
  buckets.assign(values);
  solution.values = reduction.expand(values);
  solution.cost = network::evaluate(problem, solution.values);
  solution.optimal = solution.cost == solution.lowerBound;
  return solution;
}

Cost network::lowerBound(const Problem &problem, const Params &params) {
  Tables tables;
  const Reduction reduction(problem, tables, params.maxTableEntries);
  const Order order = *minFill(reduction.graph);
  return Buckets(reduction.graph, order.variables, tables)
      .run(fits(order, params) ? params.maxTableEntries
                               : boundEntries(order, params));
}
