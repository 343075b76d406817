// What greedy algorithms share: one step for all workers, decided class by
// class of Tofu's coarsening.
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

  /// The first value that costs least by itself, with the neighbours decided so
  /// far, and at least with the others.
  int best(int variable) const;
  int options(int variable) const { return problem.domains[variable]; }
  bool isDecided(int variable) const { return values[variable] >= 0; }
  void decide(int variable, int value) { values[variable] = value; }
  const std::vector<Link> &links(int variable) const { return known[variable]; }

  std::vector<int> values; // -1: not decided

private:
  const network::Problem &problem;
  std::vector<std::vector<Link>> known;
  std::vector<std::vector<int64_t>> own; // bytes of a value by itself
};

/// A plan of one step (none for one worker) whose values `choose` finds: the
/// variables of `greedy` are `classes[v]` of the step's variables v, all of
/// their own unless `isCoarsened`.
Result<PartitionPlan> planInOneStep(
    const OperatorGraph &graph, int64_t workers, const Params &params,
    bool isCoarsened,
    const std::function<void(const NextStep &step,
                             const std::vector<int> &classes, Greedy &greedy)>
        &choose);

} // namespace smex::partition

#endif
