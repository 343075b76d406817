// Lambdas that a library computes: recognized by their structure, never by an
// operator's name. The kernel-binding table asks here.
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_CONTRACTION_H
#define SMEX_DIALECTS_TDL_ANALYSIS_CONTRACTION_H

#include "dialects/tdl/lambda/Lambda.h"

#include <optional>
#include <string>
#include <vector>

namespace smex::analysis {

/// Sum(lambda ..: a[..] * b[..]) where each read takes distinct index
/// variables: a (batched, multi-dimensional) matrix product. A batch of dot
/// products is none.
struct Contraction {
  /// Per index variable: 'b' in the result and both operands, 'm' in the result
  /// and operand 0, 'n' in the result and operand 1, 'k' summed, in both.
  std::string roles;
  /// Of both operands, and of the result, or f32 where sums of 16-bit floats
  /// are not rounded yet.
  DType type;
};

std::optional<Contraction> matchContraction(const tdl::Lambda &lambda);

/// result[n, m, o..] = Sum(lambda c, k..:
///     (data[n, channel, (o*stride + k*dilation - pad)..] else 0)
///         * filter[m, c, k..])
/// for any number of spatial dimensions, with data and filter operands 0 and 1.
/// channel is c, or m // (M/groups) * (C/groups) + c. Padding after the last
/// element is whatever the data's extent leaves.
struct Convolution {
  std::vector<int64_t> strides, dilations, pads; // pads: before the first
  int64_t groups = 1;
  DType type; // as a contraction's
};

/// The extents of all index variables tell M and C/groups; a grouped channel
/// index that does not fit them is no convolution.
std::optional<Convolution>
matchConvolution(const tdl::Lambda &lambda,
                 const std::vector<int64_t> &extents);

} // namespace smex::analysis

#endif
