// EqualChop (thesis section 3.7.3): Tofu's dynamic program, on its coarsening,
// but one step for all workers, so that each tensor is chopped along one
// dimension only.
#include "compiler/partition/Algorithms.h"

using namespace smex;
using namespace smex::partition;

Result<PartitionPlan>
partition::partitionByEqualChop(const OperatorGraph &graph, int64_t workers,
                                const Params &params) {
  if (Status status = validate(graph, workers); !status)
    return status.takeError();
  return partitionCoarsened(
      graph, workers > 1 ? std::vector{workers} : std::vector<int64_t>(),
      params);
}
