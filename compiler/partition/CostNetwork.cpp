#include "compiler/partition/CostNetwork.h"

#include <algorithm>
#include <map>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::network;

Cost network::evaluate(const Problem &problem, const std::vector<int> &values) {
  Cost cost;
  for (const Problem::Unary &unary : problem.unaries)
    cost += unary.costs[values[unary.variable]];
  for (const Problem::Binary &binary : problem.binaries)
    cost += problem.tables[binary.table].at(values[binary.first],
                                            values[binary.second]);
  return cost;
}

static std::vector<Cost> diagonal(const Table &table) {
  std::vector<Cost> costs;
  for (int i = 0; i < table.rows; ++i)
    costs.push_back(table.at(i, i));
  return costs;
}

Problem network::tie(const Problem &problem, const std::vector<int> &classes) {
  Problem tied;
  int last = -1; // of no variables, there are no classes
  for (int number : classes)
    last = std::max(last, number);
  tied.domains.resize(size_t(last + 1));
  for (size_t v = 0; v < classes.size(); ++v)
    tied.domains[classes[v]] = problem.domains[v];
  for (const Problem::Unary &unary : problem.unaries)
    tied.unaries.push_back({classes[unary.variable], unary.costs});

  // Equal costs between two classes become one, as often as it occurs.
  std::map<std::tuple<int, int, int>, int64_t> counts;
  for (const Problem::Binary &binary : problem.binaries)
    if (classes[binary.first] == classes[binary.second])
      tied.unaries.push_back(
          {classes[binary.first], diagonal(problem.tables[binary.table])});
    else
      ++counts[{classes[binary.first], classes[binary.second], binary.table}];
  std::map<std::pair<int, int64_t>, int> numbers;
  for (const auto &[edge, count] : counts) {
    const auto &[first, second, table] = edge;
    const auto [it, isNew] =
        numbers.try_emplace({table, count}, int(tied.tables.size()));
    if (isNew) {
      tied.tables.push_back(problem.tables[table]);
      for (Cost &cost : tied.tables.back().costs)
        cost = {cost.bytes * count, cost.tie * count};
    }
    tied.binaries.push_back({first, second, it->second});
  }
  return tied;
}

Status network::validate(const Problem &problem) {
  const size_t variables = problem.domains.size();
  for (size_t v = 0; v < variables; ++v)
    if (problem.domains[v] < 1 || problem.domains[v] > 65536)
      return fail("variable ", v, " has ", problem.domains[v], " values");
  const auto isVariable = [&](int v) {
    return v >= 0 && size_t(v) < variables;
  };
  for (const Problem::Unary &unary : problem.unaries)
    if (!isVariable(unary.variable) ||
        unary.costs.size() != size_t(problem.domains[unary.variable]))
      return fail("a unary cost that does not fit variable ", unary.variable);
  for (const Problem::Binary &binary : problem.binaries) {
    if (!isVariable(binary.first) || !isVariable(binary.second) ||
        binary.first == binary.second || binary.table < 0 ||
        size_t(binary.table) >= problem.tables.size())
      return fail("a binary cost on variables ", binary.first, " and ",
                  binary.second, " that do not exist, or no table ",
                  binary.table);
    const Table &table = problem.tables[binary.table];
    if (table.rows != problem.domains[binary.first] ||
        table.columns != problem.domains[binary.second] ||
        table.costs.size() != size_t(table.rows) * table.columns)
      return fail("table ", binary.table, " does not fit variables ",
                  binary.first, " and ", binary.second);
  }
  return {};
}

Status network::validate(const Problem &problem, const Solution &solution) {
  if (solution.values.size() != problem.domains.size())
    return fail(solution.values.size(), " values for ", problem.domains.size(),
                " variables");
  for (size_t v = 0; v < problem.domains.size(); ++v)
    if (solution.values[v] < 0 || solution.values[v] >= problem.domains[v])
      return fail("variable ", v, " has no value ", solution.values[v]);
  if (!(evaluate(problem, solution.values) == solution.cost))
    return fail("the values cost ", evaluate(problem, solution.values).bytes,
                ", not ", solution.cost.bytes);
  if (solution.cost < solution.lowerBound ||
      (solution.optimal && !(solution.cost == solution.lowerBound)))
    return fail("the lower bound does not bound");
  return {};
}
