// Gradients of convolutions that a library computes, recognized by their
// structure.
//
// The gradient by the data reads the result's gradient through the inverse of
// o*stride + k*dilation - pad, which derivations write in several ways:
//
//     Sum(lambda m, k: dy[n, m, (x + p - k*d) // s] * w[m, c, k]
//         where (x + p - k*d) % s == 0 and (x + p - k*d) // s < 8 and ..)
//     Sum(lambda m, o: dy[n, m, o] * w[m, c, x - o*s + p] where ..)
//     Sum(lambda m: dy[n, m, x // 2] * w[m, c, x % 2])
//
// All say: the sum over all (o, k) that meet at x. So that is what is compared,
// point by point along each dimension, whatever the expressions look like.
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_CONVOLUTIONGRADIENT_H
#define SMEX_DIALECTS_TDL_ANALYSIS_CONVOLUTIONGRADIENT_H

#include "dialects/tdl/analysis/Affine.h"
#include "dialects/tdl/analysis/Contraction.h"

namespace smex::analysis {

/// For result[n, m, o..] of data[n, c, x..] and filter[m, c, k..] as in
/// `Convolution`: the gradient by the data (indices n, c, x..) or the filter
/// (m, c, k..), of two operands: the result's gradient and the other of the
/// two.
struct ConvolutionGradient {
  enum class Of { Data, Filter } of = Of::Data;
  /// Steps that no two points tell apart (of a window of one, say) are 1.
  Convolution convolution;
  /// The operand that is the result's gradient: 0 or 1.
  int gradient = 0;
  /// What each index variable is, in words: "n c x0 x1 m k0 k1". By the data,
  /// m is within its group, and a dimension has k, o, or neither where the two
  /// follow from x; by the filter, c is within its group.
  std::string roles;
};

/// `extents` of all index variables, `shapes` of the operands. Dimensions of
/// more than some million pairs (o, k) or (x, k) are not looked at.
std::optional<ConvolutionGradient>
matchConvolutionGradient(const tdl::Lambda &lambda,
                         const std::vector<int64_t> &extents,
                         const Shapes &shapes);

} // namespace smex::analysis

#endif
