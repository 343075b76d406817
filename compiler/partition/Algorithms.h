// The papers' algorithms, for comparison; Algorithm.h knows them by name. All
// count the bytes that really move, where their authors counted fewer
// (README.md): what is compared is how they search.
#ifndef SMEX_COMPILER_PARTITION_ALGORITHMS_H
#define SMEX_COMPILER_PARTITION_ALGORITHMS_H

#include "compiler/partition/Choices.h"

namespace smex::partition {

using Search = Result<PartitionPlan>(const OperatorGraph &graph,
                                     int64_t workers, const Params &params);

Search partitionLikeTofu;       // Tofu.cpp
Search partitionByCriticalPath; // CriticalDP.cpp
Search partitionByRowsGreedy;   // AllRow.cpp
Search partitionByRowsRandom;
Search partitionLikeSpartan; // Spartan.cpp
Search partitionByEqualChop; // EqualChop.cpp
Search partitionFlat;        // Flat.cpp
Search partitionLikeIcml18;
Search partitionByData; // DataParallel.cpp
Search partitionByOneWeirdTrick;
Search partitionBest; // Best.cpp

} // namespace smex::partition

#endif
