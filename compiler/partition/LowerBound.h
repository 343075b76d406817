// How good a whole plan can be: a number of bytes that no plan undercuts.
//
// Two relaxations that keep costs pairwise, and so can be solved by the network
// of StepNetwork.h with whole sequences of choices for values:
//
// - shared fetches: each reader of a tensor pays its share of a mean
//   (makeBoundNetwork has the argument);
// - the last steps left open, where the sequences are too many. After the first
//   j steps, the workers of a group own together what the group owned, at most,
//   and need together, however they divide the group's share, at least
//   Count::Guaranteed. Each element that they need and the group does not own
//   is fetched by one of them. Likewise each element of a result that the group
//   owns is owned by one of them, which needs as many partial results of it as
//   the group did, at least: cutting shares further makes no fewer of them.
//
// With no step left open the bound counts exactly what each worker needs. It is
// found by elimination with mini-buckets, hence never above the relaxations'
// optimum.
#ifndef SMEX_COMPILER_PARTITION_LOWERBOUND_H
#define SMEX_COMPILER_PARTITION_LOWERBOUND_H

#include "compiler/partition/Choices.h"
#include "compiler/partition/StepNetwork.h"

namespace smex::partition {

/// At most the sharedCommunicationBytes of any plan whose steps have these ways
/// and follow `choices`.
int64_t lowerBoundBytes(const OperatorGraph &graph,
                        const std::vector<int64_t> &ways,
                        const Choices &choices, PairCosts &costs,
                        const Params &params);

/// The same, sought again in larger tables while the bound says little: is less
/// than a quarter of `planBytes`, and the graph is small. Larger ones mostly
/// give a larger bound, at a price in time; the largest found counts.
int64_t lowerBoundBytes(const OperatorGraph &graph,
                        const std::vector<int64_t> &ways,
                        const Choices &choices, PairCosts &costs,
                        const Params &params, int64_t planBytes);

/// The plan with its lower bound set.
PartitionPlan withLowerBound(const OperatorGraph &graph, PartitionPlan plan,
                             const Params &params);

} // namespace smex::partition

#endif
