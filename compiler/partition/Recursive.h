// The recursive search (thesis section 3.5.2), with what really moves for its
// cost: step i divides every group into k_i and chooses, exactly, a dimension
// per tensor and an index variable per operator so that B_i is least, the bytes
// that would cross if the recursion stopped there, given the steps before.
//
// Where the thesis adds up costs of steps (A.2), this does not: a sum of steps
// misses what finally moves in both directions (README.md has examples). Nor do
// steps commute on real bytes, so a plan of best steps need not be the best
// plan; its lower bound says how much could be left.
//
// B counts every reader's fetch, and the program shares some. Where many alike
// operators read one tensor, twenty timesteps one weight, B is far off; a
// second search counts what they fetch once (Sharing::AlikeReaders), and the
// plan of fewer shared bytes is kept. Its steps need not have the least B_i.
#ifndef SMEX_COMPILER_PARTITION_RECURSIVE_H
#define SMEX_COMPILER_PARTITION_RECURSIVE_H

#include "compiler/partition/PlanBuilder.h"

namespace smex::partition {

Result<PartitionPlan> partitionRecursively(const OperatorGraph &graph,
                                           int64_t workers,
                                           const Params &params = {});

/// The same, or what the search for its bound comes upon (Rounding.h), if that
/// moves less.
Result<PartitionPlan> partitionRounded(const OperatorGraph &graph,
                                       int64_t workers, const Params &params);

/// The same for steps of these ways, in this order, on a valid graph.
PartitionPlan partitionInSteps(const OperatorGraph &graph,
                               const std::vector<int64_t> &ways,
                               const Params &params);

/// How a step is solved: exactly, or with timesteps tied (`tied`, from then
/// on), or within bounds.
network::Solution solveStep(const PlanBuilder &builder,
                            const network::Problem &problem, bool &tied);

} // namespace smex::partition

#endif
