// i64 arithmetic as a sum of terms, each an expression times a constant, plus a
// constant: the form in which index expressions are kept, compared and divided.
// Exact also where i64 wraps.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_INDEXSUM_H
#define SMEX_DIALECTS_TDL_LAMBDA_INDEXSUM_H

#include "dialects/tdl/lambda/Expr.h"

namespace smex::tdl {

struct IndexSum {
  struct Term {
    ExprRef atom; // neither constant, nor sum, nor multiple
    int64_t factor;
  };
  std::vector<Term> terms; // distinct atoms, no factor 0
  int64_t constant = 0;

  /// Adds e * factor.
  void add(const ExprRef &e, int64_t factor = 1);
  /// The canonical expression: i * 4 + j - k * 2 + 3. Terms keep their order,
  /// but one with a positive factor comes first.
  ExprRef build() const;
};

inline IndexSum indexSum(const ExprRef &e) {
  IndexSum sum;
  sum.add(e);
  return sum;
}

} // namespace smex::tdl

#endif
