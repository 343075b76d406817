// Whether boxes make up a box: exactly (pieces of a fetch), or at least
// (everything that is read was written).
#ifndef SMEX_RUNTIME_PLAN_TILING_H
#define SMEX_RUNTIME_PLAN_TILING_H

#include "dialects/support/Box.h"

#include <optional>
#include <utility>

namespace smex::plan {

/// Two pieces that share elements, and an element box that no piece has.
struct TilingProblem {
  std::optional<std::pair<int, int>> overlap;
  std::optional<Box> missing;
};

/// Nothing if the pieces are disjoint and cover `whole`, in which each of them
/// must lie. Boxes may be as large as extents of 2^48 each.
std::optional<TilingProblem>
tilingProblem(const Box &whole, const std::vector<const Box *> &pieces);

/// Two boxes that share elements; the first is the earlier one in the list.
std::optional<std::pair<int, int>>
findOverlap(const std::vector<const Box *> &boxes);

/// A part of `whole` that is in none of `boxes`, which may overlap and stick
/// out.
std::optional<Box> missingPart(const Box &whole,
                               const std::vector<const Box *> &boxes);

} // namespace smex::plan

#endif
