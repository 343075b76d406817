// Lambdas of the papers and of common operators, as text, for these tests.
#ifndef SMEX_TEST_COMPILER_ANALYSIS_LAMBDAS_H
#define SMEX_TEST_COMPILER_ANALYSIS_LAMBDAS_H

#include "dialects/tdl/lambda/Lambda.h"

#include <catch2/catch.hpp>

namespace smex::analysis {

inline tdl::Lambda parse(const std::string &text) {
  Result<tdl::Lambda> lambda = tdl::parseLambda(text);
  INFO(text);
  if (!lambda)
    FAIL(lambda.error().message);
  return std::move(*lambda);
}

/// Thesis section 3.4.2.
inline const char *const kShiftTwo = "(a: f32[1]) -> f32: lambda i: a[i + 2]";

/// Thesis figure 3.3.
inline const char *const kConv1d =
    "(data: f32[3], filters: f32[3]) -> f32: lambda b, co, x: "
    "Sum(lambda ci, dx: data[b, ci, x + dx] * filters[ci, co, dx])";

inline const char *const kMatmul =
    "(a: f32[2], b: f32[2]) -> f32: "
    "lambda i, j: Sum(lambda k: a[i, k] * b[k, j])";

/// As the library's template comes out for 6 channels in 2 groups, 4 filters,
/// stride 2 and padding 1.
inline const char *const kGroupedConv2d =
    "(x: f32[4], w: f32[4]) -> f32: lambda n, m, y, x_: "
    "Sum(lambda c, ky, kx: (x[n, m // 2 * 3 + c, y * 2 + ky - 1, "
    "x_ * 2 + kx - 1] else 0) * w[m, c, ky, kx])";

} // namespace smex::analysis

#endif
