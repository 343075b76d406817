// EqualChop (thesis section 3.7.3): Tofu's search, but one step for all
// workers, so that each tensor is chopped along one dimension only.
#include "compiler/partition/Algorithms.h"
#include "compiler/partition/Recursive.h"

using namespace smex;
using namespace smex::partition;

Result<PartitionPlan>
partition::partitionByEqualChop(const OperatorGraph &graph, int64_t workers,
                                const Params &given) {
  if (Status status = validate(graph, workers); !status)
    return status.takeError();
  Params params = given;
  params.alwaysCut = true;
  return partitionInSteps(
      graph, workers > 1 ? std::vector{workers} : std::vector<int64_t>(),
      params);
}
