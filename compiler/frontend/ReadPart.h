// Which part of a tensor a read takes, where that is a part with a step per
// dimension: i[0, e] of the edges of a graph is a row, i[n // 4, n % 4] is the
// whole, i[2*n + 1] is every other element.
#ifndef SMEX_COMPILER_FRONTEND_READPART_H
#define SMEX_COMPILER_FRONTEND_READPART_H

#include "dialects/support/PartRange.h"
#include "dialects/tdl/lambda/Expr.h"

#include <optional>

namespace smex::frontend {

/// A condition on the way to a read, and whether it holds there.
struct Taken {
  tdl::ExprRef condition;
  bool holds;
};

/// The elements of a tensor of this shape at `indices`, for all values of the
/// index variables, below `extents`, for which the conditions are as given.
/// Nothing if they are no part, if that depends on data, if there are none, or
/// if it is too long to find out. No expression has an Extent in it.
std::optional<Part> readPart(const std::vector<tdl::ExprRef> &indices,
                             const std::vector<Taken> &conditions,
                             const std::vector<int64_t> &extents,
                             const std::vector<int64_t> &shape);

/// The same elements with the same ranges, in fewer parts where they fit
/// together: the rows of a matrix are the matrix.
std::vector<PartRange> joined(std::vector<PartRange> ranges);

} // namespace smex::frontend

#endif
