// What a group of workers has of a tensor, or of an operator's index space,
// after a step that divides workers into groups (thesis section 3.5.2): said by
// the step's choice, a number that the search decides and lowering reads.
#ifndef SMEX_DIALECTS_SUPPORT_SHARE_H
#define SMEX_DIALECTS_SUPPORT_SHARE_H

#include "dialects/support/Box.h"

namespace smex {

/// A choice from 0 up is the dimension that is cut in as many parts as there
/// are groups. This one: every group has it whole.
constexpr int kWhole = -1;

/// Only this group has it, whole: placement. Not of what has no dimensions,
/// which cannot be empty.
constexpr int placedOn(int64_t group) { return kWhole - 1 - int(group); }
constexpr bool isPlaced(int64_t choice) { return choice < kWhole; }
constexpr int64_t placeOfChoice(int64_t choice) { return kWhole - 1 - choice; }

/// What is left of the box to group `group` of `ways`.
inline void takeShare(Box &box, int64_t choice, int64_t ways, int64_t group) {
  if (isPlaced(choice) && placeOfChoice(choice) != group)
    for (Interval &side : box)
      side.hi = side.lo;
  else if (choice > kWhole)
    box[size_t(choice)] = cut(box[size_t(choice)], ways, group);
}

} // namespace smex

#endif
