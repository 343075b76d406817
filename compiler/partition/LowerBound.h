// How good a whole plan can be: a number of bytes that no plan undercuts.
//
// Costs are of pairs, an operator and a tensor, with whole sequences of choices
// for values. Two relaxations, and the larger bound counts:
//
// - of what a tensor's readers need, the largest region is paid for, and what
//   lies outside of it (TensorTerms.h), solved by dual ascent (DualAscent.h):
//   mostly by far the larger;
// - each reader pays its share of a mean (makeBoundNetwork), solved by
//   elimination with mini-buckets: exactly, where the network is narrow.
//
// In both, the last steps are left open where the sequences are too many. After
// the first j steps, the workers of a group own together what the group owned,
// at most, and need together, however they divide the group's share, at least
// Count::Guaranteed. Each element that they need and the group does not own is
// fetched by one of them. Likewise each element of a result that the group owns
// is owned by one of them, which needs as many partial results of it as the
// group did, at least: cutting shares further makes no fewer of them. With no
// step left open the bound counts exactly what each worker needs.
#ifndef SMEX_COMPILER_PARTITION_LOWERBOUND_H
#define SMEX_COMPILER_PARTITION_LOWERBOUND_H

#include "compiler/partition/Choices.h"
#include "compiler/partition/StepNetwork.h"

#include <functional>

namespace smex::partition {

/// What the search for a bound comes upon: plans that may be better than one
/// that is known.
struct Improvement {
  const PartitionPlan &known;
  /// Told of a history per tensor, then per operator.
  std::function<void(const std::vector<History> &)> found;
};

/// At most the sharedCommunicationBytes of any plan whose steps have these ways
/// and follow `choices`. No more is sought than `planBytes`, what a plan moves
/// that was found. While the bound is less than a quarter of that, and the
/// graph is small, it is sought again in larger tables, which mostly give a
/// larger bound, at a price in time.
int64_t lowerBoundBytes(const OperatorGraph &graph,
                        const std::vector<int64_t> &ways,
                        const Choices &choices, PairCosts &costs,
                        const Params &params, int64_t planBytes,
                        const Improvement *improvement = nullptr);

/// The plan, or a better one that the search for its bound comes upon
/// (Rounding.h), with its bound.
PartitionPlan improvedWithLowerBound(const OperatorGraph &graph,
                                     PartitionPlan plan, const Params &params);

} // namespace smex::partition

#endif
