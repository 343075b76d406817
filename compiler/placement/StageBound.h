// What no split into stages undercuts, with what stages send and receive.
#ifndef SMEX_COMPILER_PLACEMENT_STAGEBOUND_H
#define SMEX_COMPILER_PLACEMENT_STAGEBOUND_H

#include "compiler/placement/StageGraph.h"

namespace smex::placement {

struct StageBoundParams {
  int stages = 1;
  bool transfersOverlap = false;
  /// A largest load that some split has; the bound is never above it.
  double reached = 0;
  /// For splits into stages in order alone: a larger bound.
  bool inOrder = false;
  /// Edges of networks that may be looked at: for single blocks, and for sets
  /// of large ones (StagePatterns.h).
  int64_t work = 300'000'000, patternWork = 800'000'000;
  /// The same, of proofs that loads are too small (StageProof.h).
  int64_t proofWork = 1'200'000'000;
  /// And of proofs by prices (PriceProof.h).
  int64_t priceWork = 2'000'000'000;
};

/// A lower bound on the largest load, seconds.
///
/// Take a split of largest load T, and a block v. How much work can its stage
/// hold? w(S) for a set S with v, whose work and transfers are at most T in
/// sum; transfers are submodular in S, so that for each multiplier a smallest
/// cut bounds it: cap(v, T). In a split into stages in order S cannot have a
/// block so far from v that what lies between the two is more than T. Now
///
///   number of stages >= sum over v of w(v) / w(stage of v)
///                    >= sum over v of w(v) / cap(v, T),
///
/// and the smallest T for which that is no more than K is a bound. Blocks for
/// which no cut was made have cap(v, T) = T.
///
/// Besides: the least load of any set with v; of the jK + 1 largest blocks,
/// j + 1 are in one stage; which large blocks go together, StagePatterns.h;
/// and, where stages are in no order, loads that StageProof.h proves too small,
/// of graphs of thousands of blocks at most. The last two are asked if the rest
/// is not within 1 % of what is reached; PriceProof.h, of hundreds of blocks,
/// if it is not within 5 %.
double stageBound(const StageGraph &graph, const StageBoundParams &params);

} // namespace smex::placement

#endif
