// bytesSavedBySharing of CommunicationBytes.h, fast: readers that are alike and
// cut alike need the same, and tensors read alike are looked at once.
#ifndef SMEX_COMPILER_PARTITION_SHAREDFETCHES_H
#define SMEX_COMPILER_PARTITION_SHAREDFETCHES_H

#include "compiler/partition/PairCosts.h"

namespace smex::partition {

int64_t bytesSavedByFetchingOnce(const OperatorGraph &graph,
                                 const PartitionPlan &plan,
                                 const PairCosts &costs);

} // namespace smex::partition

#endif
