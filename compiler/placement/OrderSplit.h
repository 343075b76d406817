// The best stages that one order of a graph's blocks can be cut into.
#ifndef SMEX_COMPILER_PLACEMENT_ORDERSPLIT_H
#define SMEX_COMPILER_PLACEMENT_ORDERSPLIT_H

#include "compiler/placement/StageGraph.h"

#include <optional>

namespace smex::placement {

struct SplitParams {
  int stages = 1; // at most; some may stay empty
  bool transfersOverlap = false;
  /// Of a stage, in sum of `bytes` over its blocks.
  std::optional<int64_t> memoryBytes;
  const std::vector<int64_t> *bytes = nullptr; // by block, with memoryBytes
  /// Only splits with a smaller largest load are of interest.
  double below = 0;
  /// Data never goes to an earlier stage.
  bool inOrder = true;
};

/// The stages of smallest largest load among all cuts of the order, which need
/// not be topological; of long orders, among cuts at some hundred or thousand
/// places where little crosses. Nothing if none is below the given load.
///
/// Dynamic programming over places, O(p * n) with p places and n blocks at
/// worst; a stage is never longer than its load allows.
std::optional<Stages> splitOrder(const StageGraph &graph,
                                 const std::vector<int> &order,
                                 const SplitParams &params);

/// Topological orders that make good cuts likely: as in the graph's list, as
/// late as possible, depth first, by how far through the graph a block is, and
/// so that little crosses from what has come to what has not.
std::vector<std::vector<int>> linearOrders(const StageGraph &graph);

/// Orders of blocks that are in none (Blocks::OfAnyPlacement): by where the
/// first task of each stands in the graph, by the longest path to the first of
/// its tasks that read something, which in a training graph is the way forward,
/// and so that neighbours are close to each other.
std::vector<std::vector<int>> unionOrders(const StageGraph &graph);

/// Keeps stages in order; within one, what keeps little open comes first.
std::vector<int> orderWithin(const StageGraph &graph, const Stages &stages);

} // namespace smex::placement

#endif
