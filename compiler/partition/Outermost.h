// Which of many regions serve all of them.
#ifndef SMEX_COMPILER_PARTITION_OUTERMOST_H
#define SMEX_COMPILER_PARTITION_OUTERMOST_H

#include "dialects/support/Box.h"

namespace smex::partition {

/// Of the boxes, all of one rank, those that lie in no other, in order, equal
/// ones once, empty ones never.
std::vector<Box> outermost(const std::vector<Box> &boxes);

} // namespace smex::partition

#endif
