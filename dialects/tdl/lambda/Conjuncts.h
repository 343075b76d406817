// Conditions taken apart and put together.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_CONJUNCTS_H
#define SMEX_DIALECTS_TDL_LAMBDA_CONJUNCTS_H

#include "dialects/tdl/lambda/Expr.h"

namespace smex::tdl {

/// Parts of a conjunction, in order; none of null, which always holds.
std::vector<ExprRef> conjuncts(const ExprRef &condition);

/// What holds where both do; null holds always.
ExprRef both(const ExprRef &a, const ExprRef &b);

} // namespace smex::tdl

#endif
