// The gradient of one lambda by one of its operands, as lambdas again: so it is
// partitioned, checked and generated like any other operator.
//
// For y[o] = Sum(lambda r: f(x[I(o, r)], ..)), each element e of x collects
// dy[o] * df/dx over all points (o, r) that read it:
//
//     dx[e] = Sum(lambda free..: dy[o] * f'(..) where conditions)
//
// with (o, r) solved for e (Preimage.h). For products that gives the two other
// products, for a convolution the transposed one and the correlation with the
// gradient, for a gather the scatter, for a broadcast the sum.
//
// Factors that all terms share are applied to the sum, by a second lambda. What
// the result y tells is read from there: the gradient of exp(x) is dy * y, and
// that of max(x, 0) is dy where y > 0, so that x need not be kept.
#ifndef SMEX_COMPILER_TRAINING_ADJOINT_H
#define SMEX_COMPILER_TRAINING_ADJOINT_H

#include "dialects/tdl/analysis/Affine.h"
#include "dialects/tdl/library/Library.h"

namespace smex::training {

/// Applications whose results add up to the gradient. Operands (as in
/// tdl::Application) are numbered: the lambda's own, then its result, then the
/// gradient of its result. No results: the operand has no influence that is
/// smooth anywhere.
///
/// Max and Min pass the gradient on to the terms that attain the value, an
/// equal share to each, or all to the first in the order of the reduction
/// variables; Prod multiplies all other terms, which is right for zeros, too.
///
/// An opaque function passes the gradient on to the elements that it chose,
/// where it says which ones these are (OpaqueFunction::places). An error for
/// other opaque functions, and for expressions that grow too large.
Result<tdl::Instance> adjoint(const tdl::Lambda &lambda,
                              const std::vector<int64_t> &extents,
                              const analysis::Shapes &shapes, int operand,
                              tdl::Ties ties = tdl::Ties::Shared);

} // namespace smex::training

#endif
