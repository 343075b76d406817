// Bytes that cross from one worker to another in one run of a plan: the
// definition, written for reading and not for speed. PairCosts.h computes the
// same numbers fast; tests hold the two together.
//
// Thesis appendix A.3 counts per step, and takes a tensor that was fetched
// whole as halved in the next one; that is not what moves. Here every worker
// counts what it needs less what it owns, with all the steps so far applied.
//
//   C = A.B, all cut by rows over 4 workers, operator too: each worker needs B
//   whole and owns a quarter of it, so 4 * 3/4 = 3 |B| cross.
//
// Two kinds of traffic, thesis section 3.4.2:
//
// Read. Worker g computes its share of the operator, and of an operand needs
// the region that the share reads; it fetches what it does not own.
//
// Write. Worker g must end with the part of the result that it owns, O_g.
// Where the operator is whole in some step, each of that step's groups computes
// all of it, and g takes what it needs from its own group: of each nonempty
// share there, its intersection with O_g, and nothing of its own share. Where
// no reduction variable is cut, the shares are disjoint and this is O_g less
// what g computed (case 1); else every partial result for O_g is fetched and
// reduced by its owner (case 2).
// Where the result is in terms (Sums.h), each group keeps its own of them.
// Partial results of 16-bit sums have 4 bytes per element.
#ifndef SMEX_COMPILER_PARTITION_COMMUNICATIONBYTES_H
#define SMEX_COMPILER_PARTITION_COMMUNICATIONBYTES_H

#include "compiler/partition/Graph.h"

namespace smex::partition {

/// What all workers fetch of operand `operand` (its place in the list) of an
/// operator. `steps`: only what comes from another group of those that the
/// first `steps` steps make.
int64_t readBytes(const OperatorGraph &graph, const PartitionPlan &plan, int op,
                  int operand, size_t steps = stepLimit);

/// What all workers fetch of the result of an operator.
int64_t writeBytes(const OperatorGraph &graph, const PartitionPlan &plan,
                   int op, size_t steps = stepLimit);

/// B: the sum of both over all operators.
int64_t communicationBytes(const OperatorGraph &graph,
                           const PartitionPlan &plan);

/// The same where links differ: a byte between two workers costs what `costs`
/// says of the first step that parts them (Params::linkCosts).
int64_t readCost(const OperatorGraph &graph, const PartitionPlan &plan, int op,
                 int operand, const std::vector<int64_t> &costs);
int64_t writeCost(const OperatorGraph &graph, const PartitionPlan &plan, int op,
                  const std::vector<int64_t> &costs);

/// What the program moves of a tensor for its readers, which the lowering keeps
/// to. Of the regions of the tensor that operators need, one per worker, one
/// that lies inside another on every worker is served by that other's fetch,
/// and of equal ones one is fetched. Lists of rows that overlap are fetched
/// together; the rest each on its own, whole less owned, even where they
/// overlap (Fetches.h).
int64_t sharedReadBytes(const OperatorGraph &graph, const PartitionPlan &plan,
                        int tensor);

/// What the program moves: B, less what fetches share.
int64_t sharedCommunicationBytes(const OperatorGraph &graph,
                                 const PartitionPlan &plan);

/// The difference between the two, found without either.
int64_t bytesSavedBySharing(const OperatorGraph &graph,
                            const PartitionPlan &plan);

} // namespace smex::partition

#endif
