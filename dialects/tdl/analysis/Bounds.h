// Writes the interval programs of Access.h.
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_BOUNDS_H
#define SMEX_DIALECTS_TDL_ANALYSIS_BOUNDS_H

#include "dialects/tdl/analysis/Access.h"
#include "dialects/tdl/analysis/Conditions.h"

namespace smex::analysis {

/// Programs for expressions that are evaluated only where all of `known` holds.
///
/// How inequalities narrow a value: one about a single atom bounds that atom
/// (i - 4 >= 0: i from 4 on); one about several bounds each of them by what the
/// others allow (i - k >= 0: k up to the largest i), the others being narrowed
/// by inequalities about themselves alone; one about the very sum that is asked
/// for bounds that sum.
class Bounds {
public:
  Bounds(const Conjunction &known, const Shapes &shapes)
      : known(known), shapes(shapes) {}

  /// The values of an i64 expression. Nothing: only data can tell.
  std::optional<IntervalProgram> value(const tdl::ExprRef &e) const;

  /// Per inequality of `known` that tells something, programs that are empty
  /// where it cannot hold; the first one is the shortest.
  std::vector<std::vector<IntervalProgram>> feasibility() const;

private:
  using Code = IntervalProgram::Instruction::Code;
  using Instructions = std::vector<IntervalProgram::Instruction>;
  /// How far inequalities are used; each level relies on the one before.
  enum class Use { None, Single, All };

  bool expression(Instructions &out, const tdl::ExprRef &e, Use use) const;
  bool sum(Instructions &out, const Affine &a, Use use) const;
  bool atom(Instructions &out, const tdl::ExprRef &e, Use use) const;
  bool plainAtom(Instructions &out, const tdl::ExprRef &e, Use use) const;
  bool binary(Instructions &out, const tdl::ExprRef &e, Use use) const;
  bool truncatingDivision(Instructions &out, const tdl::ExprRef &e,
                          Use use) const;
  bool branches(Instructions &out, const tdl::ExprRef &e, Use use) const;
  void bySum(Instructions &out, const Affine &inequality, const tdl::ExprRef &e,
             int64_t factor) const;

  const Conjunction &known;
  const Shapes &shapes;
};

} // namespace smex::analysis

#endif
