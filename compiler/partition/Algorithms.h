// The papers' algorithms, for comparison; Algorithm.h knows them by name. All
// count the bytes that really move, where their authors counted fewer
// (README.md): what is compared is how they search. Those of Tofu's thesis run
// on its coarsening (Coarsen.h), as it ran them.
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
Search partitionFlatCoarsened;
Search partitionLikeIcml18;
Search partitionLikeIcml18WithReduction;
Search partitionByData; // DataParallel.cpp
Search partitionByOneWeirdTrick;
Search partitionLikeZero;
Search partitionBest; // Best.cpp

/// Tofu's dynamic program on Tofu's coarsening, in steps of these ways, on a
/// valid graph (Tofu.cpp).
PartitionPlan partitionCoarsened(const OperatorGraph &graph,
                                 const std::vector<int64_t> &ways,
                                 const Params &params);

/// `flat`, of the graph or, where its tables do not keep
/// Params::maxFlatTableEntries and maxFlatEntries, of what Tofu's coarsening
/// leaves of it; nothing if not even these do. The plan is the one of least
/// bytes, before fetches are shared, of all that divide so, with the ways of
/// `factorize`, and at most Params::maxFlatHistories histories of each variable
/// (Flat.cpp).
std::optional<PartitionPlan> partitionFlatExactly(const OperatorGraph &graph,
                                                  int64_t workers,
                                                  const Params &params);

} // namespace smex::partition

#endif
