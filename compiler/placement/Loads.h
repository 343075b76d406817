// What each run of a pipelined stream takes of each device: what bounds a
// stream's throughput.
#ifndef SMEX_COMPILER_PLACEMENT_LOADS_H
#define SMEX_COMPILER_PLACEMENT_LOADS_H

#include "compiler/placement/Schedule.h"

namespace smex::placement {

/// Seconds, by device, without the host.
///
/// What a task makes and another device reads leaves its device once, however
/// many devices read it, and comes to each of them once, however many tasks
/// read it there; it takes as long as the largest part that one of them reads.
/// So count those whose results we compare with (Tarnawski et al. 2020, arXiv
/// 2311.03703), and only so is a stage's load known without the other stages.
struct Loads {
  std::vector<double> compute, in, out;

  /// Of one device: the three in sum, or the longest of them where they go on
  /// at the same time.
  double of(int device, bool transfersOverlap) const;
  double largest(bool transfersOverlap) const;
};

/// O(V + E log E).
Loads loadsOf(const Problem &problem, const Placement &placement);

} // namespace smex::placement

#endif
