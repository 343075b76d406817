// The values of expressions over a box of indices, and what becomes of
// conditions there: exact where the box is a point and no data is involved.
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_VALUERANGE_H
#define SMEX_DIALECTS_TDL_ANALYSIS_VALUERANGE_H

#include "dialects/tdl/analysis/Access.h"
#include "dialects/tdl/analysis/Affine.h"

#include <unordered_map>

namespace smex::analysis {

/// Both ends belong to it. Numbers wrap around as i64 do: what may have
/// wrapped, and data, can be anything.
struct ValueRange {
  int64_t first = INT64_MIN, last = INT64_MAX;

  bool isPoint() const { return first == last; }
  bool contains(int64_t value) const { return first <= value && value <= last; }
};

enum class Truth { Never, Perhaps, Always };

class RangeEvaluator {
public:
  explicit RangeEvaluator(const Shapes &shapes) : shapes(shapes) {}

  /// Of an expression of integers, where index variable v is in box[v]; no
  /// interval of the box is empty.
  ValueRange range(const tdl::ExprRef &e, const Box &box);
  Truth truth(const tdl::ExprRef &condition, const Box &box);
  /// Whether the read's indices are within its operand.
  Truth inside(const tdl::ExprRef &read, const Box &box);

private:
  ValueRange plain(const tdl::ExprRef &e, const Box &box);
  ValueRange sum(const Affine &a, const Box &box);
  Truth compare(const tdl::ExprRef &e, const Box &box);
  const std::optional<Affine> &normal(const tdl::ExprRef &e);

  const Shapes &shapes;
  /// The expression is held so that no other one gets its address.
  struct Known {
    tdl::ExprRef held;
    std::optional<Affine> affine;
  };
  std::unordered_map<const tdl::Expr *, Known> known;
};

/// What the program says without clamping to a dimension: empty, or from the
/// least to past the greatest value. Unbounded ends are far beyond every
/// extent.
Interval unclamped(const IntervalProgram &program, const Box &indices);

} // namespace smex::analysis

#endif
