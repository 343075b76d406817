#include "dialects/tdl/analysis/Contraction.h"

#include "test/dialects/tdl/analysis/Lambdas.h"

using namespace smex;
using namespace smex::analysis;

namespace {

std::string roles(const std::string &text) {
  const auto found = matchContraction(parse(text));
  return found ? found->roles : "none";
}

std::optional<Convolution> convolution(const std::string &text,
                                       const std::vector<int64_t> &extents) {
  return matchConvolution(parse(text), extents);
}

std::string grouped(const std::string &channel) {
  return "(x: f32[3], w: f32[3]) -> f32: lambda n, m, o: Sum(lambda c, k: "
         "(x[n, " +
         channel + ", o + k] else 0) * w[m, c, k])";
}

} // namespace

TEST_CASE("matrix products in any layout") {
  CHECK(roles(kMatmul) == "mnk");
  CHECK(roles("(a: f32[2], b: f32[2]) -> f32: lambda i, j: "
              "Sum(lambda k: b[j, k] * a[k, i])") == "mnk");
  CHECK(roles("(a: f32[4], b: f32[4]) -> f32: lambda b_, h, i, j: "
              "Sum(lambda k: a[b_, h, i, k] * b[b_, h, k, j])") == "bbmnk");
  CHECK(roles("(a: f32[3], b: f32[3]) -> f32: lambda i: "
              "Sum(lambda k, l, n: a[i, k, l] * b[k, l, n])") == "none");
  CHECK(roles("(a: f32[1], b: f32[1]) -> f32: lambda: "
              "Sum(lambda k: a[k] * b[k])") == "k");
  CHECK(roles("(a: f32[2], b: f32[1]) -> f32: lambda i: "
              "Sum(lambda k: a[i, k] * b[k])") == "mk");
  CHECK(matchContraction(parse("(a: f64[1], b: f64[1]) -> f64: lambda: "
                               "Sum(lambda k: a[k] * b[k])"))
            ->type == DType::F64);
}

TEST_CASE("what is no matrix product") {
  CHECK(roles("(a: f32[2], b: f32[2]) -> f32: lambda i: "
              "Sum(lambda k: a[k, i] * b[k, i])") == "none");
  CHECK(roles("(a: f32[2]) -> f32: lambda i, j: "
              "Sum(lambda k: a[i, k] * a[j, k])") == "none");
  CHECK(roles("(a: f32[2], b: f32[2]) -> f32: lambda i, j: "
              "Max(lambda k: a[i, k] * b[k, j])") == "none");
  CHECK(roles("(a: f32[2], b: f32[2]) -> f32: lambda i, j: "
              "Sum(lambda k: a[i, k] + b[k, j])") == "none");
  CHECK(roles("(a: f32[2], b: f32[2]) -> f32: lambda i, j: "
              "Sum(lambda k: a[i, k] * b[k, j] where k <= i)") == "none");
  CHECK(roles("(a: f32[2], b: f32[1]) -> f32: lambda i: "
              "Sum(lambda k: a[k, k] * b[k])") == "none");
  CHECK(roles("(a: f32[2], b: f32[2]) -> f32: lambda i, j: "
              "Sum(lambda k: a[i, k + 1] * b[k, j])") == "none");
  CHECK(roles("(a: f32[1], b: f32[1]) -> f32: lambda i, j: "
              "Sum(lambda k: a[k] * b[k])") == "none");
}

TEST_CASE("convolutions: stride, dilation, padding, rank") {
  const auto conv1d = convolution(
      "(x: f32[3], w: f32[3]) -> f32: lambda n, m, o: Sum(lambda c, k: "
      "(x[n, c, o * 2 + k * 3 - 4] else 0) * w[m, c, k])",
      {2, 8, 10, 3, 5});
  REQUIRE(conv1d);
  CHECK(conv1d->strides == std::vector<int64_t>{2});
  CHECK(conv1d->dilations == std::vector<int64_t>{3});
  CHECK(conv1d->pads == std::vector<int64_t>{4});
  CHECK(conv1d->groups == 1);
  CHECK(conv1d->type == DType::F32);
  const auto conv3d =
      convolution("(x: f32[5], w: f32[5]) -> f32: lambda n, m, a, b, d: "
                  "Sum(lambda c, p, q, r: w[m, c, p, q, r] * "
                  "x[n, c, a + p, b * 2 + q, d + r * 2])",
                  {1, 8, 4, 4, 4, 3, 2, 2, 2});
  REQUIRE(conv3d);
  CHECK(conv3d->strides == std::vector<int64_t>{1, 2, 1});
  CHECK(conv3d->dilations == std::vector<int64_t>{1, 1, 2});
  CHECK(conv3d->pads == std::vector<int64_t>{0, 0, 0});
}

TEST_CASE("convolutions: groups") {
  const auto two = convolution(kGroupedConv2d, {2, 4, 5, 5, 3, 3, 3});
  REQUIRE(two);
  CHECK(two->groups == 2);
  CHECK(two->pads == std::vector<int64_t>{1, 1});
  // One group whose m // M was not folded away; depthwise; not fitting.
  CHECK(convolution(grouped("m // 4 * 3 + c"), {1, 4, 6, 3, 2})->groups == 1);
  CHECK(convolution(grouped("m + c"), {1, 4, 6, 1, 2})->groups == 4);
  CHECK(convolution(grouped("m // 2 + c"), {1, 4, 6, 1, 2})->groups == 2);
  CHECK_FALSE(convolution(grouped("m // 2 * 2 + c"), {1, 4, 6, 3, 2}));
  CHECK_FALSE(convolution(grouped("m // 3 * 3 + c"), {1, 4, 6, 3, 2}));
  CHECK_FALSE(convolution(grouped("m % 2 * 3 + c"), {1, 4, 6, 3, 2}));
}

TEST_CASE("what is no convolution") {
  const std::vector<int64_t> extents = {2, 8, 10, 3, 5};
  CHECK_FALSE(convolution(
      "(x: f32[3], w: f32[3]) -> f32: lambda n, m, o: Sum(lambda c, k: "
      "(x[n, c, o + k] else 1) * w[m, c, k])",
      extents));
  CHECK_FALSE(convolution(
      "(x: f32[3], w: f32[3]) -> f32: lambda n, m, o: Sum(lambda c, k: "
      "(x[n, c, o - k] else 0) * w[m, c, k])",
      extents));
  CHECK_FALSE(convolution(
      "(x: f32[3], w: f32[3]) -> f32: lambda n, m, o: Max(lambda c, k: "
      "x[n, c, o + k] * w[m, c, k])",
      extents));
  CHECK_FALSE(convolution(kMatmul, {2, 3, 4}));
}
