// A sum over sums, with the inner one outside: what a sum over edges makes of a
// number that each edge has, itself a sum over features. The number need not be
// stored for each edge, only the sum over edges for each feature.
//
//     p: lambda e, h: Sum(lambda f: g[dst[e], h, f] * x[src[e], h, f])
//     s: lambda v, h: Sum(lambda e: w[e, h] * (p[e, h] + d[v, h]) where dst[e]
//     == v)
//
//     terms: lambda v, h, f: Sum(lambda e: w[e, h] * (g[dst[e], h, f] *
//                            x[src[e], h, f]) where dst[e] == v)
//     rest:  lambda v, h: Sum(lambda e: w[e, h] * d[v, h] where dst[e] == v)
//     s = lambda v, h: Sum(lambda f: terms[v, h, f]) + rest[v, h]
#ifndef SMEX_COMPILER_MESSAGEPASSING_INTERCHANGE_H
#define SMEX_COMPILER_MESSAGEPASSING_INTERCHANGE_H

#include "dialects/tdl/analysis/Compose.h"

#include <optional>
#include <vector>

namespace smex::messagepassing {

/// A value as `slope * read + rest`, where neither has the read in it; null is
/// 0.
struct Affine {
  tdl::ExprRef slope, rest;
};

/// Nothing if the value does not depend on the reads of `operand` in this way,
/// or if these are not all the same.
std::optional<Affine> affineIn(const tdl::ExprRef &value, int operand);

struct Interchanged {
  /// Has the consumer's outputs, then the producer's reductions as outputs.
  analysis::Composition terms;
  std::vector<int64_t> extents;
  int added; // outputs
  /// With the consumer's operands but for the producer's result; null body: 0.
  std::optional<analysis::Composition> rest;
};

/// Both must be sums of one type of f32 or f64. `operand` and `same` as in
/// compose. Nothing if the consumer's terms are not affine in the producer's
/// result, or if the result would be too large for a lambda.
std::optional<Interchanged> interchange(analysis::Instance consumer,
                                        int operand,
                                        analysis::Instance producer,
                                        const std::vector<int> &same = {});

/// The sum over the last `count` dimensions of a tensor of this rank.
tdl::Lambda sumOfLast(DType type, int rank, int count);
/// The sum of so many tensors.
tdl::Lambda sumOf(DType type, int rank, int tensors);

} // namespace smex::messagepassing

#endif
