// Local search among splits into stages.
#ifndef SMEX_COMPILER_PLACEMENT_STAGESEARCH_H
#define SMEX_COMPILER_PLACEMENT_STAGESEARCH_H

#include "compiler/placement/OrderSplit.h"

namespace smex::placement {

/// How far annealing may climb. Its energy is the sum, over stages, of (load /
/// the largest of the best so far) to the power of 2^squarings. At a
/// temperature of `hot`, with which it begins, 0.02 mends what was given, 0.5
/// forgets it, and 8 crosses what few moves alone can: where much is cut on the
/// way from one good split to the next, stages are for a while too large by a
/// third (8th powers) or two thirds (4th powers).
struct Heat {
  double hot = 0.5;
  int squarings = 4;
};

/// Simulated annealing from `stages`, which stay in order if SplitParams says
/// so: one block at a time goes to another stage that its neighbours allow. The
/// best that was seen, at least as good as what was given. Deterministic: as
/// many steps as `work` allows, counted in readers of nets that are looked at.
Stages anneal(const StageGraph &graph, Stages stages, const SplitParams &params,
              int64_t work, uint64_t seed, const Heat &heat = {});

} // namespace smex::placement

#endif
