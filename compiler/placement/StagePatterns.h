// Which large blocks stages can hold together: for StageBound.
#ifndef SMEX_COMPILER_PLACEMENT_STAGEPATTERNS_H
#define SMEX_COMPILER_PLACEMENT_STAGEPATTERNS_H

#include "compiler/placement/BlockCapacity.h"
#include "compiler/placement/StageBound.h"

#include <functional>

namespace smex::placement {

/// Which blocks can be in a stage with this one.
using Companionship = std::function<std::vector<char>(int block)>;

/// A lower bound on the largest load, seconds, at least `known`.
///
/// Some blocks are marked, each with much work that is tied to it. A pattern
/// is a set Q of marked blocks; cap(Q, T) bounds the work of a stage of load T
/// that holds these and no other marked ones, by smallest cuts as in
/// StageBound.h. A split of largest load T parts the marked blocks into
/// patterns Q_1 .. Q_K, and so
///
///   work of all blocks <= the largest sum of cap(Q_i, T) of all such parts,
///
/// which dynamic programming over sets of marked blocks finds. Unlike bounds
/// that are sums over blocks, this one knows that three large blocks on two
/// devices are not 1.5 of them on each.
double patternBound(const StageGraph &graph, BlockCapacities &capacities,
                    const StageBoundParams &params, double known,
                    const Companionship &companions);

} // namespace smex::placement

#endif
