// Stages between which data goes both ways: any placement, judged as a
// pipeline.
#ifndef SMEX_COMPILER_PLACEMENT_FREESTAGES_H
#define SMEX_COMPILER_PLACEMENT_FREESTAGES_H

#include "compiler/placement/OrderSplit.h"

namespace smex::placement {

/// A placement of the blocks of `unions` (Blocks::OfAnyPlacement) with a small
/// largest load. Training graphs need it: what goes forward and what comes back
/// through the same weights is on one device, so that stages in order cannot
/// part anything.
///
/// Multilevel: blocks that transfers tie together become clusters, level by
/// level, until few are left; these are placed by cuts of several orders and by
/// annealing, and each level is improved by annealing when its clusters are
/// opened. That in rounds, from clusters that are drawn anew, until the load is
/// next to the mean work. Then, as far as `rounds` leaves, annealing of single
/// blocks from high temperatures: where transfers take most of the time, a lot
/// is cut on the way from one good placement to the next. `known` is a placement
/// to begin with. Nothing if no placement was found that has the room that
/// `params` asks for. Deterministic.
std::optional<Stages> freeStages(const StageGraph &unions,
                                 const SplitParams &params,
                                 const std::optional<Stages> &known,
                                 int rounds = 24);

} // namespace smex::placement

#endif
