// The best of several searches: of one problem with other limits, and of
// several problems with the same operations.
#ifndef SMEX_COMPILER_OFFLOAD_BESTSEARCH_H
#define SMEX_COMPILER_OFFLOAD_BESTSEARCH_H

#include "compiler/offload/Search.h"

namespace smex::offload {

/// The best of several searches: with moves alone, and with any number of
/// operations to compute one tensor again, and with fewer and fewer. Forgetting
/// is cheap at first, and what keeps few states sees too late that what a
/// tensor is computed from is forgotten, too, and that computed again for each
/// that needs it. Small problems are searched once, exactly.
Result<Found> searchLimits(const Problem &problem, SearchOptions options);

/// The best of what was found for several problems with the same operations, in
/// their order, for problem `own`: the first of those that cost least there, so
/// that workers rather do the same.
std::pair<Schedule, Traffic>
rather(const Problem &problem, const std::vector<Found> &found, size_t own);

} // namespace smex::offload

#endif
