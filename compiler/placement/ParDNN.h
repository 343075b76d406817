// ParDNN (thesis chapter 4): slicing, mapping and refinement make a placement
// of little makespan, then tasks move until it keeps the memory limit.
#ifndef SMEX_COMPILER_PLACEMENT_PARDNN_H
#define SMEX_COMPILER_PLACEMENT_PARDNN_H

#include "compiler/placement/Algorithm.h"

namespace smex::placement {

/// Makespan is what it lowers, whatever the objective. Of what mapping and the
/// two refinements made, the placement is kept whose emulated makespan is least
/// (the thesis keeps the last).
Result<Outcome> parDNN(const Problem &problem, const Params &params);

/// The same without refinement: what mapping made, and the memory step (thesis
/// section 6.4.1 measures what refinement is worth).
Result<Outcome> parDNNUnrefined(const Problem &problem, const Params &params);

/// The same with guided load balancing (LinearClustering.h) in place of mapping
/// by levels, to see what that is worth (thesis section 4.1.1, Figure 4.2).
Result<Outcome> parDNNGuided(const Problem &problem, const Params &params);

} // namespace smex::placement

#endif
