// Where elimination spends its time: the sum of some factors, minimized over
// one variable, for all assignments to the others.
#ifndef SMEX_COMPILER_PARTITION_MINIMIZATION_H
#define SMEX_COMPILER_PARTITION_MINIMIZATION_H

#include "compiler/partition/Factors.h"

namespace smex::partition::network {

/// Row-major over `scope`, the other variables of the factors, which all know
/// `variable`.
std::vector<Cost> minimizeSum(int variable, const std::vector<int> &scope,
                              const std::vector<int> &sizes,
                              const std::vector<Factor> &factors,
                              const Tables &tables);

} // namespace smex::partition::network

#endif
