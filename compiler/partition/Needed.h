// What a worker needs of an operand: a box of it, and of that perhaps no more
// than some rows.
#ifndef SMEX_COMPILER_PARTITION_NEEDED_H
#define SMEX_COMPILER_PARTITION_NEEDED_H

#include "compiler/partition/Graph.h"

namespace smex::partition {

struct Needed {
  Box box;
  const Runs *rows = nullptr; // null: all; else of dimension 0
};

/// Whoever does `indices` of an operator, of an operand of this shape. Rows
/// belong to the operand.
inline Needed neededOf(const Operand &operand, const Box &indices,
                       const std::vector<int64_t> &shape) {
  return {operand.access.region(indices, shape),
          operand.rows ? &operand.rows->of(indices) : nullptr};
}

/// Its elements that lie in the box, too.
inline int64_t elementsIn(const Needed &needed, const Box &box) {
  Box both = intersect(needed.box, box);
  const int64_t all = volume(both);
  return needed.rows && all > 0
             ? all / both[0].size() * sizeWithin(*needed.rows, both[0])
             : all;
}

inline int64_t elementsOf(const Needed &needed) {
  return elementsIn(needed, needed.box);
}

inline Runs rowsOf(const Needed &needed) {
  if (isEmpty(needed.box) || needed.box.size() == 0)
    return {};
  return needed.rows ? intersect(*needed.rows, needed.box[0])
                     : Runs{needed.box[0]};
}

/// Whether whoever has the one has the other. A reader's whole box counts, of
/// which it reads some rows: a plan's proof asks that a buffer holds the box.
inline bool contains(const Needed &outer, const Needed &inner) {
  if (isEmpty(inner.box))
    return true;
  return smex::contains(outer.box, inner.box) &&
         ((!outer.rows && !inner.rows) ||
          smex::contains(rowsOf(outer), rowsOf(inner)));
}

} // namespace smex::partition

#endif
