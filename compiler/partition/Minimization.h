// Where elimination spends its time: the sum of some factors, minimized over
// one variable, for all assignments to the others.
#ifndef SMEX_COMPILER_PARTITION_MINIMIZATION_H
#define SMEX_COMPILER_PARTITION_MINIMIZATION_H

#include "compiler/partition/Factors.h"

namespace smex::partition::network {

/// Makes `result` row-major over `scope`, the other variables of the factors,
/// which all know `variable`. As bytes alone where no table has ties and no sum
/// reaches Tables::kExact.
void minimizeSum(int variable, const std::vector<int> &scope,
                 const std::vector<int> &sizes,
                 const std::vector<Factor> &factors, const Tables &tables,
                 std::vector<Cost> &result);
void minimizeSum(int variable, const std::vector<int> &scope,
                 const std::vector<int> &sizes,
                 const std::vector<Factor> &factors, const Tables &tables,
                 std::vector<double> &result);

} // namespace smex::partition::network

#endif
