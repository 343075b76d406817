// What is known about operands goes into the lambda: a constant that is the
// same everywhere becomes a number in its text, and a lambda that only passes
// its operand on is seen as that.
#ifndef SMEX_COMPILER_FRONTEND_SIMPLIFY_H
#define SMEX_COMPILER_FRONTEND_SIMPLIFY_H

#include "dialects/support/Tensor.h"
#include "dialects/tdl/lambda/Lambda.h"

namespace smex::frontend {

/// The number that every element of a tensor is, or null.
tdl::ExprRef uniformValue(const Tensor &tensor);

/// Replaces reads of operands by these numbers (null: stays) and drops operands
/// that are not read any more; `kept` are the numbers of the others.
tdl::Lambda substitute(const tdl::Lambda &lambda,
                       const std::vector<tdl::ExprRef> &numbers,
                       std::vector<int> &kept);

/// Where dimension d of the only operand is read, for a map that is nothing but
/// a read at index variables and zeros: the variable, or -1. Nothing for
/// others.
std::optional<std::vector<int>> plainRead(const tdl::Lambda &lambda);

} // namespace smex::frontend

#endif
