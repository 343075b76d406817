// Lists of integers that are a plan's constants, such as the sources of a
// graph's edges, read of its weight files.
#ifndef SMEX_RUNTIME_PLAN_STOREDLISTS_H
#define SMEX_RUNTIME_PLAN_STOREDLISTS_H

#include "dialects/tdl/analysis/ListValues.h"
#include "runtime/plan/Plan.h"

namespace smex::plan {

/// The tensors that guards of kernels read, a flag for each of the program's:
/// lists among them say how many terms of a sum count. The program has passed
/// validate().
std::vector<bool> tensorsInGuards(const Program &program);

/// By buffer, where a list is and where it is fetched or moved to; null for all
/// else. Put together from the workers' shares, which agree (CheckWeights.h)
/// and are all there (check()). `directory`: of the plan. `wanted`: the tensors
/// that are read, a flag each; lists of many edges take time and memory.
/// Errors: a weight file that cannot be read, or is too small.
Result<analysis::KnownLists> storedLists(const Partitioned &partitioned,
                                         const std::string &directory,
                                         const std::vector<bool> &wanted);

} // namespace smex::plan

#endif
