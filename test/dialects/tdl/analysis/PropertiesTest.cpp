#include "dialects/tdl/analysis/Properties.h"

#include "test/dialects/tdl/analysis/Lambdas.h"

using namespace smex;
using namespace smex::analysis;

TEST_CASE("element-wise") {
  const auto elementwise = [](const std::string &text) {
    return isElementwise(parse(text));
  };
  CHECK(elementwise("(x: f32[2]) -> f32: lambda i, j: exp(x[i, j])"));
  CHECK(elementwise("(x: f32[2], y: f32[2]) -> f32: lambda i, j: "
                    "x[i, j] if y[i, j] > 0 else 0"));
  CHECK(elementwise("(x: f32[3], b: f32[1], s: f32[0]) -> f32: lambda i, j, k: "
                    "x[i, j, k] * s[] + b[j]"));
  CHECK(elementwise("(x: f32[2], y: f32[2]) -> f32: lambda i, j: "
                    "x[i, j] + y[i, 0]"));
  CHECK_FALSE(elementwise("(x: f32[2]) -> f32: lambda i, j: x[j, i]"));
  CHECK_FALSE(elementwise("(x: f32[1]) -> f32: lambda i, j: x[j]"));
  CHECK_FALSE(elementwise("(x: f32[2], y: f32[2]) -> f32: lambda i, j: "
                          "x[i, j] + y[j, i]"));
  CHECK_FALSE(elementwise("(x: f32[1]) -> f32: lambda i: x[i] + x[i + 1]"));
  CHECK_FALSE(elementwise("(x: f32[1]) -> f32: lambda i: (x[i] else 0)"));
  CHECK_FALSE(elementwise("() -> f32: lambda i: f32(i)"));
  CHECK_FALSE(
      elementwise("(x: f32[2]) -> f32: lambda i: Sum(lambda k: x[i, k])"));
}

TEST_CASE("arithmetic") {
  CHECK(flopsPerPoint(parse(kMatmul)) == 2);
  CHECK(flops(parse(kMatmul), {5, 4, 7}) == 2 * 5 * 4 * 7);
  CHECK(flops(parse(kMatmul), {5, 0, 7}) == 0);
  CHECK(flops(parse(kMatmul), {1 << 30, 1 << 30, 1 << 30}) ==
        std::numeric_limits<int64_t>::max());
  CHECK(flopsPerPoint(parse(kGroupedConv2d)) == 2); // index arithmetic is free
  CHECK(flopsPerPoint(parse("(x: f32[1]) -> f32: lambda i: x[i + 1]")) == 0);
  CHECK(flopsPerPoint(parse("(x: f32[1]) -> f32: lambda i: "
                            "exp(x[i]) + 1 if i * 2 < 4 else 0")) == 2);
}

TEST_CASE("bytes: each region once, and the result") {
  CHECK(bytes(parse(kMatmul), {5, 4, 7}, {{5, 7}, {7, 4}}) ==
        4 * (35 + 28 + 20));
  CHECK(bytes(parse(kShiftTwo), {5}, {{12}}) == 4 * (5 + 5));
}

TEST_CASE("operands that the result may overwrite") {
  const auto operands = [](const std::string &text) {
    return inPlaceOperands(parse(text));
  };
  using List = std::vector<int>;
  CHECK(operands("(x: f32[2], y: f32[2]) -> f32: lambda i, j: "
                 "x[i, j] + y[i, j]") == List{0, 1});
  CHECK(operands("(x: f32[2], y: f32[2]) -> f32: lambda i, j: "
                 "x[i, j] + y[j, i]") == List{0});
  CHECK(operands("(x: i32[1], y: f32[1]) -> f32: lambda i: "
                 "f32(x[i]) + y[i]") == List{1});
  CHECK(
      operands("(x: f32[1], y: f32[1]) -> f32: lambda i: y[i] + y[0] + x[0]") ==
      List{});
  CHECK(operands("(x: f32[2], y: f32[2]) -> f32: lambda i, j: "
                 "Sum(lambda k: x[i, j] * y[i, k])") == List{});
}
