// Local search among splits into stages.
#ifndef SMEX_COMPILER_PLACEMENT_STAGESEARCH_H
#define SMEX_COMPILER_PLACEMENT_STAGESEARCH_H

#include "compiler/placement/OrderSplit.h"

namespace smex::placement {

/// Simulated annealing from `stages`, which stay in order if SplitParams says
/// so: one block at a time goes to another stage that its neighbours allow. The
/// best that was seen, at least as good as what was given. Deterministic: as
/// many steps as `work` allows, counted in readers of nets that are looked at.
/// `hot` is the temperature that it begins with: 0.5 forgets what it was given,
/// 0.02 mends it.
Stages anneal(const StageGraph &graph, Stages stages, const SplitParams &params,
              int64_t work, uint64_t seed, double hot = 0.5);

} // namespace smex::placement

#endif
