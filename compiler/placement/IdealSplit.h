// The best of all splits into stages in order, by dynamic programming over the
// ideals of the graph (Tarnawski et al., NeurIPS 2020): an ideal is what a
// number of first stages may hold, a set of blocks with all that come before
// them.
#ifndef SMEX_COMPILER_PLACEMENT_IDEALSPLIT_H
#define SMEX_COMPILER_PLACEMENT_IDEALSPLIT_H

#include "compiler/placement/OrderSplit.h"

namespace smex::placement {

struct IdealLimits {
  size_t ideals = 30'000;
  /// Pairs of an ideal and a stage after it that are looked at.
  int64_t pairs = 15'000'000;
  /// At nets and their readers, while stages grow.
  int64_t looks = 400'000'000;
};

struct IdealSplit {
  /// The graph has so few ideals, and pairs of them, that all were looked at.
  bool complete = false;
  /// A split with a largest load below SplitParams::below, the best of all; if
  /// complete and nothing, then there is none.
  std::optional<Stages> stages;
};

IdealSplit splitIdeals(const StageGraph &graph, const SplitParams &params,
                       const IdealLimits &limits = {});

} // namespace smex::placement

#endif
