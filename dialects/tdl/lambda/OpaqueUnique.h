// The opaque function of slices that are alike.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_OPAQUEUNIQUE_H
#define SMEX_DIALECTS_TDL_LAMBDA_OPAQUEUNIQUE_H

#include "dialects/support/Tensor.h"

#include <vector>

namespace smex::tdl {

/// For each row of x [n, m] a number, i64[n]: rows with equal elements have the
/// same one. Numbers are 0, 1, .. in ascending order of the rows, which compare
/// element by element, or, where the only argument is 0, in the order in which
/// they first occur. What is no number equals itself and is behind all others.
Result<Tensor> uniqueNumbers(const std::vector<Tensor> &slices,
                             const std::vector<double> &arguments);

} // namespace smex::tdl

#endif
