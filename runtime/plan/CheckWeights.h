// What check() cannot see, since it reads no weights.
#ifndef SMEX_RUNTIME_PLAN_CHECKWEIGHTS_H
#define SMEX_RUNTIME_PLAN_CHECKWEIGHTS_H

#include "runtime/plan/Check.h"

namespace smex::plan {

/// Proves that workers which store the same elements of a parameter store the
/// same values: a share that is said to be larger than it was written would
/// read its neighbours in the file. Reads each weight file of the plan in
/// `directory`, which load() has verified, once.
std::vector<Finding> checkWeights(const Plan &plan,
                                  const std::string &directory);

/// Proves that each worker gets exactly the rows that it reads, wherever a
/// fetch gets rows and not all of a region: none is missing, and none is read
/// by nobody. What is read follows from lambdas and from lists of integers that
/// are the plan's constants, whose values are read of the same files.
std::vector<Finding> checkRows(const Plan &plan, const std::string &directory);

/// All that is proven of a plan in a folder: check(), checkWeights(), and, of
/// what these find nothing wrong with, checkRows().
std::vector<Finding> checkFolder(const Plan &plan, const std::string &directory,
                                 const CheckOptions &options = {});

} // namespace smex::plan

#endif
