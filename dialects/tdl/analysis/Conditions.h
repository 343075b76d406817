// What a condition on index variables says about them: `i < 4 and not j == k`
// as alternatives, each a set of inequalities that all hold. Data decides the
// rest: what a condition says about values read is left out, which makes the
// alternatives weaker, never wrong.
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_CONDITIONS_H
#define SMEX_DIALECTS_TDL_ANALYSIS_CONDITIONS_H

#include "dialects/tdl/analysis/Affine.h"

namespace smex::analysis {

/// Each of these is >= 0. Their factors have no common divisor: 2*i - 5 >= 0 is
/// i - 3 >= 0.
using Conjunction = std::vector<Affine>;

/// At least one of these holds; none at all: never true.
using Conditions = std::vector<Conjunction>;

inline Conditions always() { return {{}}; }

/// What follows from `condition` being `value`.
Conditions conditions(const tdl::ExprRef &condition, bool value,
                      const Shapes &shapes);

/// What follows from `read` being within its operand's shape, or not.
Conditions inRange(const tdl::ExprRef &read, bool value, const Shapes &shapes);

/// Both hold. Where that would take too many alternatives, something weaker.
Conditions both(const Conditions &a, const Conditions &b);

/// One of them holds.
Conditions either(Conditions a, const Conditions &b);

} // namespace smex::analysis

#endif
