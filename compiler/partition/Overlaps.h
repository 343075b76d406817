// How much groups of workers need, own, and need of what they own: elements of
// boxes, for many ways to cut an operator and a tensor at once. The arithmetic
// under PairCosts.h.
#ifndef SMEX_COMPILER_PARTITION_OVERLAPS_H
#define SMEX_COMPILER_PARTITION_OVERLAPS_H

#include "compiler/partition/Graph.h"
#include "compiler/partition/Numbering.h"
#include "compiler/partition/Patterns.h"

#include <deque>

namespace smex::partition {

/// How one tensor or operator was divided in the steps so far.
using History = Divisions;

/// Alternative histories of one tensor or operator over the same steps.
struct Candidates {
  std::vector<int64_t> ways; // of the steps
  std::vector<History> histories;
};

/// What is counted of a region that several workers, one group to be divided in
/// later steps, need together.
enum class Count {
  /// The region of the group's share as if one worker computed it.
  Region,
  /// Elements that the group's workers need however they divide the share: an
  /// interval may be the hull of scattered points, and those between them be
  /// needed by nobody. Never more than Region.
  Guaranteed,
};

/// Which steps cut one dimension, and how: a number that Groups give.
using Cuts = int;

/// The groups after some steps, with their digits as in Graph.h.
struct Groups {
  std::vector<int64_t> ways;
  int64_t count;
  std::vector<std::vector<int64_t>> digits; // per step, per group

  explicit Groups(const std::vector<int64_t> &ways);

  Cuts cutsAlong(const History &history, int dimension) const;
  /// What each group has of [0, extent). Remembered.
  const std::vector<Interval> &parts(int64_t extent, Cuts cuts) const;
  /// Per group, 1 or 0: whether what is placed in some steps is there.
  std::vector<int64_t> present(const History &history) const;

private:
  mutable Numbering numbers; // of cuts
  mutable Numbering::Key key;
  mutable std::deque<Divisions> cuts; // whole in other steps
  mutable std::map<std::pair<int64_t, Cuts>, std::vector<Interval>> known;
};

struct Overlaps {
  std::vector<int64_t> needed; // per row, over all groups
  std::vector<int64_t> owned;  // per column, over all groups
  std::vector<int64_t> both;   // row-major, over all groups
};

/// Elements of the regions that `programs` read of a tensor of this shape. Rows
/// are the ways to cut the operator, columns those to cut the tensor. `listed`:
/// which coordinates of dimension 0 are read, where lists say so; or null.
Overlaps findOverlaps(const std::vector<analysis::IntervalProgram> &programs,
                      const analysis::RowReads *listed,
                      const std::vector<int64_t> &shape,
                      const std::vector<int64_t> &extents,
                      const Candidates &rows, const Candidates &columns,
                      const Groups &groups, Count count);

/// How many distinct shares of the reduction variables, those from `rank` on,
/// are not empty: how many partial results there are of each element. Not where
/// an operator is cut at given bounds: these may differ between groups.
int64_t countPartials(const std::vector<int64_t> &extents, size_t rank,
                      const History &history, const Groups &groups);

} // namespace smex::partition

#endif
