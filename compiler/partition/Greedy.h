// What greedy algorithms share: one step for all workers, decided variable by
// variable.
#ifndef SMEX_COMPILER_PARTITION_GREEDY_H
#define SMEX_COMPILER_PARTITION_GREEDY_H

#include "compiler/partition/PlanBuilder.h"

#include <functional>

namespace smex::partition {

class Greedy {
public:
  /// What a variable costs with others: its own value is a row, or a column.
  struct Link {
    int neighbour, table;
    bool isRow;
  };

  explicit Greedy(const network::Problem &problem);

  /// The first value that costs least with the neighbours decided so far, and
  /// at least with the others.
  int best(int variable) const;
  bool isDecided(int variable) const { return values[variable] >= 0; }
  void decide(int variable, int value) { values[variable] = value; }
  const std::vector<Link> &links(int variable) const { return known[variable]; }

  std::vector<int> values; // -1: not decided

private:
  const network::Problem &problem;
  std::vector<std::vector<Link>> known;
};

/// A plan of one step (none for one worker) whose values `choose` finds.
Result<PartitionPlan> planInOneStep(
    const OperatorGraph &graph, int64_t workers, const Params &params,
    const std::function<void(const NextStep &step, Greedy &greedy)> &choose);

} // namespace smex::partition

#endif
