// Lists of integers that are a plan's constants, such as the sources of a
// graph's edges, read of its weight files.
#ifndef SMEX_RUNTIME_PLAN_STOREDLISTS_H
#define SMEX_RUNTIME_PLAN_STOREDLISTS_H

#include "dialects/tdl/analysis/ListValues.h"
#include "runtime/plan/Plan.h"

namespace smex::plan {

/// By buffer, where a list is and where it is fetched or moved to; null for all
/// else. Put together from the workers' shares, which
/// agree (CheckWeights.h) and are all there (check()). `directory`: of the
/// plan. Errors: a weight file that cannot be read, or is too small.
Result<analysis::KnownLists> storedLists(const Partitioned &partitioned,
                                         const std::string &directory);

} // namespace smex::plan

#endif
