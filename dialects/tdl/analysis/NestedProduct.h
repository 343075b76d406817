// A sum over products that have products inside, as an attention's has that
// stores no scores (FlashAttention, arXiv 2205.14135):
//
//     lambda i, d: Sum(lambda r: exp(q[i, 0] * k[r, 0] + .. - m[i]) * v[r, d])
//
// The inner sums are written out (WrittenOut.h). For each row i of the result
// and each term r, the factor before v is a number that all columns d share:
// tiles of it are matrix products, too. Without v and d it is a reduction of
// such numbers along rows: the softmax's largest score, and its sum.
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_NESTEDPRODUCT_H
#define SMEX_DIALECTS_TDL_ANALYSIS_NESTEDPRODUCT_H

#include "dialects/tdl/lambda/Lambda.h"

#include <optional>
#include <vector>

namespace smex::analysis {

/// Sum(lambda c < terms: left * right), of 16-bit floats, in f32.
struct InnerProduct {
  tdl::ExprRef value; // as it is written out, a node of the lambda's body
  /// Reads, with index variable `lambda.indexCount()` in place of c. The left
  /// one depends on the row and not on the term, the right one the other way.
  tdl::ExprRef left, right;
  int64_t terms = 0;
};

struct NestedProduct {
  std::vector<InnerProduct> inner; // at least one
  /// Outputs of the lambda; column: -1 where there is none.
  int row = -1, column = -1;
  std::vector<int> batch; // all others
  int term = -1;          // the reduction
  /// What a row and a term have: a 16-bit float if there is a column, else the
  /// whole term of the reduction.
  tdl::ExprRef factor;
  /// A read of 16-bit floats by term and column; null without a column.
  tdl::ExprRef other;
};

/// What is said is of the lambda as it is computed (tdl::accumulated). Nothing
/// if it is not of this kind; inner sums of fewer than 8 terms are none.
std::optional<NestedProduct> matchNestedProduct(const tdl::Lambda &lambda);

/// The factor with reads of f32 in place of the inner products, of operands
/// number `firstOperand` and on, which have rank 0: what computes the inner
/// products knows them by that.
tdl::ExprRef factorOfInner(const NestedProduct &product, int firstOperand);

} // namespace smex::analysis

#endif
