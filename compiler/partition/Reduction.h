// Before elimination: one factor per pair of variables, and no value that
// another one of the same variable is always at least as good as.
#ifndef SMEX_COMPILER_PARTITION_REDUCTION_H
#define SMEX_COMPILER_PARTITION_REDUCTION_H

#include "compiler/partition/Factors.h"

namespace smex::partition::network {

struct Reduction {
  FactorGraph graph;
  /// Per variable, the problem's values that are left, ascending; the graph
  /// counts through these.
  std::vector<std::vector<int>> kept;
};

/// The least cost is the problem's, and every assignment of the graph costs
/// what the assignment of the kept values does.
Reduction reduce(const Problem &problem, Tables &tables);

} // namespace smex::partition::network

#endif
