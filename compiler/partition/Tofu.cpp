// Tofu (thesis section 3.5): everything that can be cut is cut; the graph is
// coarsened; the dynamic program runs on what is left, step by step.
//
// - Consecutive element-wise operators, and the tensors between them, are cut
//   alike: an assumption here, where `recursive` merges what it can prove.
// - Unrolled timesteps are cut alike, found by structure (Timesteps.h).
// - An operator and its gradients form a group, within which all combinations
//   are tried. Elimination does so without being told what the groups are: on
//   the coarsened chain it is the dynamic program, group by group.
#include "compiler/partition/Algorithms.h"
#include "compiler/partition/Coarsen.h"
#include "compiler/partition/Factorize.h"
#include "compiler/partition/PlanBuilder.h"

using namespace smex;
using namespace smex::partition;

PartitionPlan partition::partitionCoarsened(const OperatorGraph &graph,
                                            const std::vector<int64_t> &ways,
                                            const Params &given) {
  Params params = given;
  params.alwaysCut = true;
  PairCosts costs(graph);
  PlanBuilder builder(graph, ways, params, costs);
  while (!builder.done()) {
    NextStep step = builder.next();
    const std::vector<int> classes = coarsen(builder, step);
    const network::Solution solution = network::solve(
        network::tie(builder.problem(step, Sharing::None), classes),
        params.network);
    std::vector<int> values;
    for (int c : classes)
      values.push_back(solution.values[c]);
    builder.decide(std::move(step), values);
  }
  return builder.finish();
}

Result<PartitionPlan> partition::partitionLikeTofu(const OperatorGraph &graph,
                                                   int64_t workers,
                                                   const Params &params) {
  if (Status status = validate(graph, workers); !status)
    return status.takeError();
  return partitionCoarsened(graph, factorize(workers), params);
}
