// Oracles for small graphs: every assignment is looked at, and costs come from
// the definitions in CommunicationBytes.h alone.
#ifndef SMEX_COMPILER_PARTITION_BRUTEFORCE_H
#define SMEX_COMPILER_PARTITION_BRUTEFORCE_H

#include "compiler/partition/Choices.h"

namespace smex::partition {

/// The least B after one more step of `ways` ways, over all choices for it, or
/// the least cost where Params::linkCosts says what bytes cost. The
/// error says that there are more than 2^32 of them.
Result<int64_t> leastStepBytes(const OperatorGraph &graph,
                               const PartitionPlan &before, int64_t ways,
                               const Params &params);

/// A plan of least shared bytes: of all plans whose steps have the ways that
/// the recursive search takes; of equal ones the first. An error for all but
/// tiny graphs.
Result<PartitionPlan> partitionByBruteForce(const OperatorGraph &graph,
                                            int64_t workers,
                                            const Params &params);

/// A plan of least B, as above.
Result<PartitionPlan> leastBytesByBruteForce(const OperatorGraph &graph,
                                             int64_t workers,
                                             const Params &params);

} // namespace smex::partition

#endif
