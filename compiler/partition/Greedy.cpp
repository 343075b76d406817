#include "compiler/partition/Greedy.h"

#include "compiler/partition/Coarsen.h"

#include <numeric>

using namespace smex;
using namespace smex::partition;

Greedy::Greedy(const network::Problem &problem)
    : values(problem.domains.size(), -1), problem(problem),
      known(problem.domains.size()), own(problem.domains.size()) {
  for (size_t v = 0; v < own.size(); ++v)
    own[v].resize(size_t(problem.domains[v]));
  for (const auto &unary : problem.unaries)
    for (size_t value = 0; value < unary.costs.size(); ++value)
      own[unary.variable][value] += unary.costs[value].bytes;
  for (const auto &binary : problem.binaries) {
    known[binary.first].push_back({binary.second, binary.table, true});
    known[binary.second].push_back({binary.first, binary.table, false});
  }
}

int Greedy::best(int variable) const {
  int best = 0;
  int64_t least = 0;
  for (int value = 0; value < problem.domains[variable]; ++value) {
    int64_t bytes = own[size_t(variable)][size_t(value)];
    for (const Link &link : known[variable]) {
      const network::Table &table = problem.tables[link.table];
      const auto at = [&](int other) {
        return (link.isRow ? table.at(value, other) : table.at(other, value))
            .bytes;
      };
      if (values[link.neighbour] >= 0) {
        bytes += at(values[link.neighbour]);
        continue;
      }
      int64_t smallest = at(0);
      for (int other = 1; other < problem.domains[link.neighbour]; ++other)
        smallest = std::min(smallest, at(other));
      bytes += smallest;
    }
    if (value == 0 || bytes < least) {
      least = bytes;
      best = value;
    }
  }
  return best;
}

Result<PartitionPlan> partition::planInOneStep(
    const OperatorGraph &graph, int64_t workers, const Params &params,
    bool isCoarsened,
    const std::function<void(const NextStep &step,
                             const std::vector<int> &classes, Greedy &greedy)>
        &choose) {
  if (Status status = validate(graph, workers); !status)
    return status.takeError();
  PairCosts costs(graph);
  PlanBuilder builder(
      graph, workers > 1 ? std::vector{workers} : std::vector<int64_t>(),
      params, costs);
  if (!builder.done()) {
    NextStep step = builder.next();
    std::vector<int> classes(step.options.size());
    std::iota(classes.begin(), classes.end(), 0);
    if (isCoarsened)
      classes = coarsen(builder, step);
    const network::Problem problem =
        network::tie(builder.problem(step, Sharing::None), classes);
    Greedy greedy(problem);
    choose(step, classes, greedy);
    std::vector<int> values;
    for (int c : classes)
      values.push_back(greedy.values[c]);
    builder.decide(std::move(step), values);
  }
  return builder.finish();
}
