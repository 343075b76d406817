// The derivative of a lambda's body by one of its reads: symbolic, so that it
// is an expression like any other.
//
//     exp(x[i] - m[]) * y[i]    by x[i]:  exp(x[i] - m[]) * y[i]
//     max(x[i], 0)              by x[i]:  1 if x[i] > 0 else 0
//
// Where a function has a kink, the derivative is the one that PyTorch takes: 0
// for abs, sign, and relu at 0; of max and min of two variables, half each, and
// where one is a bound, 0 at the bound. Slopes are written so that they stay
// finite where PyTorch's do: 1 / (1 + exp(-x)) has slope 0 far from 0.
#ifndef SMEX_COMPILER_TRAINING_DERIVATIVE_H
#define SMEX_COMPILER_TRAINING_DERIVATIVE_H

#include "dialects/tdl/lambda/Lambda.h"

namespace smex::training {

/// d e / d target, where `target` is a Read that occurs in e; null for zero.
/// Reads with the same operand and indices are one variable, whatever their
/// `else`. `e` has a float type; integers, comparisons and roundings have no
/// slope. Opaque functions are not differentiable: the caller sees to them.
tdl::ExprRef derivative(const tdl::ExprRef &e, const tdl::ExprRef &target);

/// The distinct reads of an operand of float type that the value depends on
/// with a slope, in order of appearance: not those that only choose or index.
std::vector<tdl::ExprRef> differentiableReads(const tdl::Lambda &lambda,
                                              int operand);

/// a * b, a + b without factors of 1 and terms of 0; null is 0.
tdl::ExprRef product(const tdl::ExprRef &a, const tdl::ExprRef &b);
tdl::ExprRef sum(const tdl::ExprRef &a, const tdl::ExprRef &b);

} // namespace smex::training

#endif
