// Which index variable the innermost loop runs over: the one along which
// memory is read without gaps.
#ifndef SMEX_COMPILER_CODEGEN_EXPRESSION_LOOPORDER_H
#define SMEX_COMPILER_CODEGEN_EXPRESSION_LOOPORDER_H

#include "dialects/tdl/lambda/Lambda.h"

namespace smex::codegen {

/// What a step along `variable` costs, in vector loads per vector of terms: an
/// operand that does not depend on it next to nothing, neighbours 1, a stride
/// several.
double readCost(const tdl::ExprRef &term, int variable);

/// The last dimension of a read moves with both: `x[o * 2 + k]`.
bool isWindow(const tdl::ExprRef &term, int output, int reduction);

struct ReductionOrder {
  /// The output variable that the innermost loop runs over, with an accumulator
  /// for each of its values; -1: one accumulator at a time.
  int output = -1;
  /// Outermost first.
  std::vector<int> reductions;
};
ReductionOrder chooseOrder(const tdl::Lambda &lambda, const tdl::ExprRef &term);

} // namespace smex::codegen

#endif
