// Proofs that no placement has a largest load below a given one.
#ifndef SMEX_COMPILER_PLACEMENT_STAGEPROOF_H
#define SMEX_COMPILER_PLACEMENT_STAGEPROOF_H

#include "compiler/placement/StageGraph.h"

namespace smex::placement {

enum class Proof { Holds, Fails, Unknown };

/// Whether all placements of the graph's blocks on so many devices have a
/// device with this load or more. Fails: one was found that has not. Unknown:
/// neither was found in about so much `work`, counted in edges of networks,
/// from which what it took is subtracted; or weights are so far from a proof
/// that branches would not help.
///
/// Weights y of blocks, such that no set of load below T has more than 1 in
/// sum, prove it if all blocks have more than K. From y = work, and each of
/// these in turn, y(v) / (the most y of any set with v) are such weights, and
/// no smaller than the last; sets are bounded by smallest cuts, as in
/// StageBound.h, without blocks that v can never be with (ForcedBlocks.h).
///
/// Where that is not enough, branch and bound: a block on each device in turn
/// that still has a set of load below T with all that is there and nothing
/// that is elsewhere; next comes the block with the fewest choices. A branch
/// ends where what devices hold at most of y is less than all.
Proof proveLoad(const StageGraph &graph, int devices, double load,
                int64_t &work);

} // namespace smex::placement

#endif
