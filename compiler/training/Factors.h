// What the terms of a sum have in common: Sum(x[r] * c) is c * Sum(x[r]). One
// multiplication then instead of one per term, and sums that differ in such
// factors only are the same sum: in a batch normalization, those by scale and
// variance, and those by bias and mean.
#ifndef SMEX_COMPILER_TRAINING_FACTORS_H
#define SMEX_COMPILER_TRAINING_FACTORS_H

#include "dialects/tdl/lambda/Expr.h"

namespace smex::training {

/// A product of two; null stands for one.
struct Factors {
  tdl::ExprRef common; // without index variables from `rank` on
  tdl::ExprRef rest;
};

/// For a float expression whose first `rank` index variables are outputs.
Factors factors(const tdl::ExprRef &term, int rank);

} // namespace smex::training

#endif
