// What is known about index arithmetic once the extents are: mixed radix
// numbers that are split the way they were joined, divisions and comparisons
// whose result is certain.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_SIMPLIFY_H
#define SMEX_DIALECTS_TDL_LAMBDA_SIMPLIFY_H

#include "dialects/support/Box.h"
#include "dialects/tdl/lambda/Expr.h"

#include <optional>

namespace smex::tdl {

/// Both ends belong to it.
struct Range {
  int64_t lo, hi;
};

/// The values that an i64 expression can take, as far as known, where index
/// variable v lies in indices[v]. Exact arithmetic: nothing if a part of it
/// could wrap.
std::optional<Range> rangeOf(const ExprRef &e,
                             const std::vector<Interval> &indices);

/// The same value, simpler where the ranges allow. `simplifyNode` takes the
/// children as they are.
ExprRef simplifyNode(const ExprRef &e, const std::vector<Interval> &indices);
inline ExprRef simplify(const ExprRef &e,
                        const std::vector<Interval> &indices) {
  return transform(
      e, [&](const ExprRef &node) { return simplifyNode(node, indices); });
}

} // namespace smex::tdl

#endif
