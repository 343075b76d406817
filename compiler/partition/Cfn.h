// A network in toulbar2's .cfn format, for solvers other than ours: tensors and
// strategies are variables, with costs on one and on two of them.
#ifndef SMEX_COMPILER_PARTITION_CFN_H
#define SMEX_COMPILER_PARTITION_CFN_H

#include "compiler/partition/Choices.h"

#include <string>

namespace smex::partition {

/// Costs are bytes alone. Variables with their values' names; every table once,
/// shared by the functions that use it.
std::string toCfn(const std::string &name, const network::Problem &problem,
                  const std::vector<std::string> &variables,
                  const std::vector<std::vector<std::string>> &values);

/// The problems of all steps of a plan that the algorithm finds, each as it is
/// after the steps before, one JSON object per line; least costs are the steps'
/// lower bounds where these are optimal.
Result<std::string> stepProblems(const OperatorGraph &graph,
                                 const PartitionPlan &plan,
                                 const Params &params = {});

} // namespace smex::partition

#endif
