// Which lambdas may be applied to the terms of a sum one by one.
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_LINEAR_H
#define SMEX_DIALECTS_TDL_ANALYSIS_LINEAR_H

#include "dialects/tdl/lambda/Lambda.h"

namespace smex::analysis {

/// Whether f(x + y) = f(x) + f(y), all operands together: a map of floats or
/// integers that adds up, subtracts, negates, chooses and scales what it reads
/// by numbers that no operand says. So if workers have terms of sums, each may
/// apply the map to its own, and the sum of what they make is the map of the
/// sums. Each operand is read at the result's own indices, and has its type.
/// Floats are added up in another order then, so that last bits may differ.
bool isLinearMap(const tdl::Lambda &lambda);

} // namespace smex::analysis

#endif
