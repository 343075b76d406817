// Proof by execution: a strategy is right if the interpreter, run once per part
// on nothing but the regions that Access.h computes for it, gives the bits of
// the whole. For the tests of every operator of the library.
//
//     std::mt19937_64 random(1);
//     std::vector<Tensor> operands = {drawIntegers(random, {F32, {4, 6}}), ..};
//     const Status proved = proveStrategies(lambda, extents, operands);
//     INFO((proved ? "" : proved.error().message));
//     CHECK(proved);
#ifndef SMEX_TEST_COMPILER_ANALYSIS_PROVESTRATEGY_H
#define SMEX_TEST_COMPILER_ANALYSIS_PROVESTRATEGY_H

#include "dialects/support/Box.h"
#include "dialects/support/Tensor.h"
#include "dialects/tdl/lambda/Lambda.h"

#include <random>

namespace smex::analysis {

/// Whole numbers in [least, most], of any type: sums and products of few of
/// them are exact, so that their order does not show. Operands that are used as
/// an index need values within what they index.
Tensor drawIntegers(std::mt19937_64 &random, const TensorType &type,
                    int64_t least = -2, int64_t most = 2);

/// The part `box` of a tensor.
Tensor copyPart(const Tensor &whole, const Box &box);

/// Cuts each index variable that can be cut in 2 and in 3 parts, and each pair
/// of them in 2 x 2, and compares with the whole: bit for bit where parts are
/// put side by side, and where a reduction's terms are whole numbers (sums,
/// products and comparisons of operands that are); else to
/// 1e-4 of the largest magnitude. The error names the cut, and the element that
/// differs or the read that was outside of its region.
Status proveStrategies(const tdl::Lambda &lambda,
                       const std::vector<int64_t> &extents,
                       const std::vector<Tensor> &operands);

} // namespace smex::analysis

#endif
