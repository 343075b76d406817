// Tofu's coarsening (thesis section 3.5.1, arXiv v1 4.2.1): what is assumed to
// share one decision.
//
// - Consecutive element-wise operators, and the tensors between them: an
//   assumption here, where `recursive` merges what it can prove (Reduction.h).
// - Unrolled timesteps, found by structure (Timesteps.h).
#ifndef SMEX_COMPILER_PARTITION_COARSEN_H
#define SMEX_COMPILER_PARTITION_COARSEN_H

#include "compiler/partition/PlanBuilder.h"

namespace smex::partition {

/// A class per variable, numbered from 0. Those of one class have the same
/// options, which `areAlike` says of two variables. `tied`, if there are any:
/// classes of what is decided alike besides.
std::vector<int> coarsen(const PlanBuilder &builder,
                         const std::function<bool(int, int)> &areAlike,
                         const std::vector<int> &tied = {});

/// The same for the options of a step.
std::vector<int> coarsen(const PlanBuilder &builder, const NextStep &step);

} // namespace smex::partition

#endif
