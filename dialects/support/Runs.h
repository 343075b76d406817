// Rows of a tensor, those coordinates of its first dimension that are wanted of
// it, where an interval would have many that nobody wants: runs of neighbours.
#ifndef SMEX_DIALECTS_SUPPORT_RUNS_H
#define SMEX_DIALECTS_SUPPORT_RUNS_H

#include "dialects/support/Piece.h"

#include <vector>

namespace smex {

/// Ascending, none of them empty, and rows between any two: so equal rows are
/// equal lists.
using Runs = std::vector<Interval>;

bool isRuns(const Runs &runs);

/// In any order, with repetitions.
Runs runsOf(std::vector<Interval> intervals);
Runs runsOf(std::vector<int64_t> rows);

/// How many rows.
int64_t sizeOf(const Runs &runs);
/// How many of them lie in the interval. O(log(runs) + those that do).
int64_t sizeWithin(const Runs &runs, Interval interval);
bool contains(const Runs &outer, const Runs &inner);
/// Those in the interval.
Runs intersect(const Runs &runs, Interval interval);

/// Of each piece what lies in these rows: a piece for each run, in order.
std::vector<Piece> piecesWithin(const Runs &rows,
                                const std::vector<Piece> &pieces);

} // namespace smex

#endif
