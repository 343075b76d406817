#include "compiler/partition/Greedy.h"

using namespace smex;
using namespace smex::partition;

Greedy::Greedy(const network::Problem &problem)
    : values(problem.domains.size(), -1), problem(problem),
      known(problem.domains.size()) {
  for (const auto &binary : problem.binaries) {
    known[binary.first].push_back({binary.second, binary.table, true});
    known[binary.second].push_back({binary.first, binary.table, false});
  }
}

int Greedy::best(int variable) const {
  int best = 0;
  int64_t least = 0;
  for (int value = 0; value < problem.domains[variable]; ++value) {
    int64_t bytes = 0;
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
    const std::function<void(const NextStep &step, Greedy &greedy)> &choose) {
  if (Status status = validate(graph, workers); !status)
    return status.takeError();
  PairCosts costs(graph);
  PlanBuilder builder(
      graph, workers > 1 ? std::vector{workers} : std::vector<int64_t>(),
      params, costs);
  if (!builder.done()) {
    NextStep step = builder.next();
    const network::Problem problem = builder.problem(step, Sharing::None);
    Greedy greedy(problem);
    choose(step, greedy);
    builder.decide(std::move(step), greedy.values);
  }
  return builder.finish();
}
