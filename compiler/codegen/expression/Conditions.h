// Where the conditions of a lambda hold: what lets a loop run its interior
// without bounds checks, start at the row's first edge, or leave out the half
// of a triangle.
//
// Every condition is brought into one form first: a read with `else` becomes
// `x[e] if 0 <= e and e < extent else v`, a `where` becomes `body if guard else
// identity`. A comparison that is linear in a loop's variable then cuts the
// loop in two at one point; on either side it is a constant and folds away.
#ifndef SMEX_COMPILER_CODEGEN_EXPRESSION_CONDITIONS_H
#define SMEX_COMPILER_CODEGEN_EXPRESSION_CONDITIONS_H

#include "dialects/tdl/lambda/Conjuncts.h"
#include "dialects/tdl/lambda/Lambda.h"

#include <functional>
#include <optional>

namespace smex::codegen {

/// Guarded reads as selects; equalities of index arithmetic as two
/// inequalities, but for those of remainders; comparisons of quotients as
/// comparisons of what is divided. Comparisons that hold for all coordinates
/// (which are never negative) are gone.
tdl::ExprRef makeConditionsExplicit(const tdl::ExprRef &e);

/// What a term of the reduction adds: the identity where the guard is false.
/// For a map, its body.
tdl::ExprRef termOf(const tdl::Lambda &lambda);

/// The same of a map, whose rows are also cut where data equals an index:
/// `v if label[i] == j else 0`, where v reads operands, is a branch for every
/// j, or a row that is cut at one j.
tdl::ExprRef mapTerm(const tdl::Lambda &lambda);

/// `body if condition else nothing`: a term that its condition may leave out.
/// `nothing` is the reduction's identity.
bool isGuarded(const tdl::ExprRef &term, const tdl::ExprRef &nothing);

/// factor * variable + rest, where rest does not use the variable; nothing for
/// other expressions and factor 0.
struct Linear {
  int64_t factor;
  tdl::ExprRef rest;
};
std::optional<Linear> linearIn(const tdl::ExprRef &e, int variable);

/// A comparison that is true for variable < point (`below`) or for variable >=
/// point, where point = ceil(numerator / divisor), or floor(...) + 1 if `next`.
struct Cut {
  tdl::ExprRef comparison;
  tdl::ExprRef numerator;
  int64_t divisor; // positive
  bool next;
  bool below;
};
std::optional<Cut> cutOf(const tdl::ExprRef &comparison, int variable);

/// Calls `visit` for what is evaluated whatever conditions say.
void walkEvaluated(const tdl::ExprRef &e,
                   const std::function<void(const tdl::ExprRef &)> &visit);

/// A comparison in `term` at which the loop of `variable` may be cut, when the
/// variables in `bound` have values. Comparisons that read operands count only
/// where they are evaluated in any case.
std::optional<Cut> findCut(const tdl::ExprRef &term, int variable,
                           const std::vector<bool> &bound);

/// What `(variable + rest) % divisor == k` or `(rest - variable) % ..` asks
/// for: the variable's remainder. A loop may step over the rest.
struct Congruence {
  tdl::ExprRef comparison;
  tdl::ExprRef remainder; // of any sign and size
  int64_t divisor;
};
/// One that guards the whole term, when the variables in `bound` have values.
std::optional<Congruence> findCongruence(const tdl::ExprRef &term, int variable,
                                         const std::vector<bool> &bound);

/// What guards a read at the edge of its operand; false at few coordinates.
bool isBoundsCheck(const tdl::ExprRef &comparison);

/// The term with the comparison replaced by a constant, folded.
tdl::ExprRef assume(const tdl::ExprRef &term, const tdl::ExprRef &comparison,
                    bool value);

/// Certain for all coordinates; index variables and extents are not negative.
bool isNonNegative(const tdl::ExprRef &e);

} // namespace smex::codegen

#endif
