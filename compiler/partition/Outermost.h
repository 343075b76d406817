// Which of several fetches of a tensor serve the others.
#ifndef SMEX_COMPILER_PARTITION_OUTERMOST_H
#define SMEX_COMPILER_PARTITION_OUTERMOST_H

#include "compiler/partition/Needed.h"

namespace smex::partition {

/// Words that are equal for regions that contain each other.
std::vector<int64_t> wordsOf(const std::vector<Needed> &region);

/// Whether a region, of what each worker needs, contains another on every
/// worker.
bool containsAll(const std::vector<Needed> &outer,
                 const std::vector<Needed> &inner);

/// Of the regions that several readers need, one per worker each: the places
/// of those that no other one contains on every worker, ascending. Of equal
/// regions it is the first one, and none of those that are empty everywhere.
std::vector<size_t> outermost(const std::vector<std::vector<Needed>> &regions);

} // namespace smex::partition

#endif
