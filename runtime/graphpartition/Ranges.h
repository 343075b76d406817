// Consecutive ranges of vertices that cost about the same (Roc's section 4.2).
#ifndef SMEX_RUNTIME_GRAPHPARTITION_RANGES_H
#define SMEX_RUNTIME_GRAPHPARTITION_RANGES_H

#include "runtime/graphpartition/CostModel.h"

namespace smex::graphpartition {

/// Worker i has vertices [bounds[i], bounds[i + 1]) and their in-edges: one
/// number more than there are workers, from 0 to the number of vertices,
/// ascending. With fewer vertices than workers, some have none.
using Bounds = Numbers;

/// The paper's: bound i is where the cost of what comes before crosses i/parts
/// of all, the nearer of the two vertices there. O(parts log V). No range costs
/// more than total / parts plus what the costliest vertex does. Requires
/// parts > 0.
Bounds cutAtCrossings(const CostBefore &cost, int64_t parts);

/// The ranges whose costliest one costs least of all divisions into consecutive
/// ranges: exact, by Nicol's parametric search, which asks O((parts log V)^2)
/// times. For each range in turn it finds the longest one that is not the
/// costliest, given that the others can be made to cost no more.
Bounds leastMaximum(const CostBefore &cost, int64_t parts);

/// The costliest range's cost, over the mean: 1 is balanced. 1 where nothing
/// costs anything.
double imbalance(const std::vector<double> &costs);
std::vector<double> costsOf(const CostBefore &cost, const Bounds &bounds);

/// cutAtCrossings, step by step: into ways[0] ranges, each of these into
/// ways[1], and so on. Then ranges of fewer steps are unions of those of more,
/// and what is divided in fewer steps than another thing needs nothing of the
/// next range.
Bounds cutInSteps(const CostBefore &cost, const std::vector<int64_t> &ways);

/// The same by a greedy cap (Lux, Roc's public code): each range takes vertices
/// until it has more in-edges than its share of the range that is divided; the
/// last one has what is left.
Bounds capInSteps(const InNeighbours &graph, const std::vector<int64_t> &ways);

} // namespace smex::graphpartition

#endif
