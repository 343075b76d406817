// Proofs that no placement has a largest load below a given one, by prices of
// blocks: for StageBound.
#ifndef SMEX_COMPILER_PLACEMENT_PRICEPROOF_H
#define SMEX_COMPILER_PLACEMENT_PRICEPROOF_H

#include "compiler/placement/StageGraph.h"

namespace smex::placement {

struct PriceAnswer {
  bool isProven = false;
  /// So many devices would be needed if parts of sets counted, as far as is
  /// known: of no use for a proof if that is hardly more than there are.
  double devices = 0;
};

/// Weights y of blocks prove the load if no set of a smaller load has more than
/// 1 in sum, and all blocks have more than K (StageProof.h). The largest sum is
/// the value of a linear program with a row for each such set (that of bin
/// packing by Gilmore and Gomory, 1961), which CoverPrices.h solves for the
/// sets that are known. Annealing finds sets that are too heavy by its prices
/// (HeavySets.h), until it finds none; then smallest cuts do (HeaviestSet.h),
/// and where these find none either, prices are such weights.
///
/// Says more than proveLoad() where loads are mostly transfers or blocks are
/// large, and takes longer. It gives up early where there is no more to gain
/// than `margin`: prices of so many times K are asked for. About so much `work`
/// is done, and subtracted.
PriceAnswer proveByPrices(const StageGraph &graph, int devices, double load,
                          double margin, int64_t &work);

} // namespace smex::placement

#endif
