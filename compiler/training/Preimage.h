// Which points of a lambda read a given element of an operand: the equations
// index(point) = element, solved for the index variables. It is what turns
// "each output reads" into "each input is read by", and so the core of
// gradients.
//
//     x[n, o*2 + k - 1]  at (e0, e1):  n = e0, k free, o = (e1 - k + 1) // 2
//                                      where (e1 - k + 1) % 2 == 0
//     x[i // 6, i % 6]   at (e0, e1):  i = 6*e0 + e1
//     x[m // 4, c]       at (e0, e1):  c = e1, m = 4*e0 + t, t < 4 free
//     x[key[i]]          at (e0):      i free, where key[i] == e0
//     x[i, i]            at (e0, e1):  i = e0 where e1 == e0
//     x[src[k]] where dst[k] == v
//                        at (e0):      k free, v = dst[k], where src[k] == e0
//
// Affine equations are solved, over several dimensions together where they
// share variables; floor divisions and remainders by mixed-radix inversion;
// what remains is a condition, which is slow and always right.
#ifndef SMEX_COMPILER_TRAINING_PREIMAGE_H
#define SMEX_COMPILER_TRAINING_PREIMAGE_H

#include "dialects/tdl/analysis/Affine.h"
#include "dialects/tdl/lambda/Expr.h"

namespace smex::training {

/// Expressions are over the element's coordinates, index variables 0 ..
/// rank - 1, and the free variables, which follow them.
struct Preimage {
  /// Extent of each free variable, and the lambda's index variable that it is,
  /// or -1: it numbers what a floor division or remainder lost.
  struct Free {
    int64_t extent;
    int index;
  };
  std::vector<Free> free;
  /// The value of each index variable of the lambda. Within its range wherever
  /// the conditions hold.
  std::vector<tdl::ExprRef> values;
  /// All must hold. They may read operands of the lambda.
  std::vector<tdl::ExprRef> conditions;
};

/// For one read of a lambda whose index variables have these extents;
/// `shapes`: of the lambda's operands. The element is within the operand.
/// `equations`: further conditions, each a pair of equal integers.
Preimage preimage(
    const tdl::ExprRef &read, const std::vector<int64_t> &extents,
    const analysis::Shapes &shapes,
    const std::vector<std::pair<tdl::ExprRef, tdl::ExprRef>> &equations = {});

} // namespace smex::training

#endif
