// A graph of stages' blocks, made smaller: blocks that much goes between become
// one.
#ifndef SMEX_COMPILER_PLACEMENT_STAGECLUSTERS_H
#define SMEX_COMPILER_PLACEMENT_STAGECLUSTERS_H

#include "compiler/placement/StageGraph.h"

#include <cstdint>
#include <optional>

namespace smex::placement {

struct ClusterParams {
  /// Clusters of more work, or of more of `bytes`, are not made.
  double mostSeconds = 0;
  std::optional<int64_t> mostBytes;
  const std::vector<int64_t> *bytes = nullptr; // by block, with mostBytes
  uint64_t seed = 0; // of the order in which blocks choose
};

/// Each block joins the neighbour whose transfers are the largest for the work
/// that the two have, once around: the number of blocks about halves. Returns
/// the cluster of each block, 0 .. n-1. O(readers of nets that are not very
/// wide).
std::vector<int> clusters(const StageGraph &graph, const ClusterParams &params);

/// The graph whose blocks are these clusters. Its order is not filled in: it is
/// of no use where blocks are in no order.
StageGraph contract(const StageGraph &graph, const std::vector<int> &clusterOf);

} // namespace smex::placement

#endif
