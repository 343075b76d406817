// What is fetched of a tensor that several readers need parts of.
//
// A region, a list of what each worker needs, serves another reader where it
// contains what that one needs on every worker: of such, the outermost are
// fetched. Of those, regions with lists of rows that overlap are fetched as
// one, so that no row moves twice to the same worker:
//
//   one reader needs rows      1 2     5     on this worker, another    2 3
//   both are given a buffer of 1 2 3   5
//
// So are plain boxes that overlap, where any two of them are one box on every
// worker: what both need has the corners of a box, and a buffer is one. Regions
// of lists whose boxes differ in more than their rows stay apart: their union
// is no box of rows.
#ifndef SMEX_COMPILER_PARTITION_FETCHES_H
#define SMEX_COMPILER_PARTITION_FETCHES_H

#include "dialects/support/Box.h"
#include "dialects/support/Runs.h"

#include <memory>

namespace smex::partition {

/// What a worker needs: a box of a tensor, and of that perhaps no more than
/// some rows.
struct Needed {
  Box box;
  const Runs *rows = nullptr; // null: all; else of dimension 0
};

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

/// Those of its elements that whoever owns the box has to fetch.
inline int64_t missing(const Needed &needed, const Box &owned) {
  return elementsOf(needed) - elementsIn(needed, owned);
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
  return contains(outer.box, inner.box) &&
         ((!outer.rows && !inner.rows) ||
          contains(rowsOf(outer), rowsOf(inner)));
}

/// What each worker needs.
using Region = std::vector<Needed>;

/// Words that are equal for regions that contain each other.
std::vector<int64_t> wordsOf(const Region &region);

/// What all workers fetch of it.
int64_t missing(const Region &region, const std::vector<Box> &owned);

/// Whether a region contains another on every worker.
bool containsAll(const Region &outer, const Region &inner);

/// Whether some worker needs a list of rows that are not all of its box.
bool hasRows(const Region &region);

/// Whether the boxes of two regions differ in no dimension but the rows, where
/// neither is empty.
bool differInRowsAlone(const Region &a, const Region &b);

/// Whether two regions of plain boxes are one box on every worker.
bool areOneBox(const Region &a, const Region &b);

/// What two of them share.
Needed common(const Needed &a, const Needed &b,
              std::vector<std::shared_ptr<const Runs>> &storage);

/// Of the regions that several readers need: the places of those that no other
/// one contains on every worker, ascending. Of equal regions it is the first
/// one, and none of those that are empty everywhere.
std::vector<size_t> outermost(const std::vector<Region> &regions);

/// One of the fetches of a tensor.
struct JoinedFetch {
  /// Whose regions it is the union of: their places, ascending.
  std::vector<size_t> of;
  Region region;
  std::vector<std::shared_ptr<const Runs>> storage; // of rows of the union
};

/// All of them, of what readers need and workers own. Readers whose box every
/// worker owns need none. The order of readers does not matter.
std::vector<JoinedFetch> fetchesOf(const std::vector<Region> &regions,
                                   const std::vector<Box> &owned);

} // namespace smex::partition

#endif
