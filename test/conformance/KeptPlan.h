// Plans that rows share: most of what a case costs is its compilation, and rows
// of one kind of device run the same plan.
#ifndef SMEX_TEST_CONFORMANCE_KEPTPLAN_H
#define SMEX_TEST_CONFORMANCE_KEPTPLAN_H

#include "runtime/plan/Plan.h"

#include <functional>

namespace smex::conformance {

/// The plan that is kept below the folder `plans` by a key, of all that decides
/// what it is; where there is none, what `make` makes, which is kept from then
/// on. An empty `plans` keeps nothing. Several processes may share the folder.
Result<plan::Plan> keptPlan(const std::string &plans, const std::string &key,
                            const std::function<Result<plan::Plan>()> &make);

} // namespace smex::conformance

#endif
