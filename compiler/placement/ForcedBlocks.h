// What all placements with a small largest load have in common: for StageBound.
#ifndef SMEX_COMPILER_PLACEMENT_FORCEDBLOCKS_H
#define SMEX_COMPILER_PLACEMENT_FORCEDBLOCKS_H

#include "compiler/placement/BlockCapacity.h"

#include <optional>

namespace smex::placement {

/// Blocks that are on one device in every placement whose largest load is below
/// `load`, as clusters 0 .. n-1, by block; nothing if there is no such
/// placement.
///
/// Where u is and v is not, the device of u has at least the load of a smallest
/// cut between the two. Is that too much, v is where u is. Transfers that take
/// as long as a device may work at all are the most common reason. As clusters
/// grow, they force more; that goes on until nothing changes, or until `work`
/// edges of networks have been looked at.
std::optional<std::vector<int>> forcedTogether(const StageGraph &graph,
                                               double load, int64_t &work);

/// Which blocks are never on the same device, by block; and the set of smallest
/// load around each.
struct ForcedApart {
  std::vector<std::vector<char>> apart;
  std::vector<double> leastLoad;
};
ForcedApart forcedApart(const StageGraph &graph, double load, int64_t &work);

} // namespace smex::placement

#endif
