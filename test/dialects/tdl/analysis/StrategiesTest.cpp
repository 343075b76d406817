#include "dialects/tdl/analysis/Strategies.h"

#include "test/dialects/tdl/analysis/Lambdas.h"

using namespace smex;
using namespace smex::analysis;

namespace {

std::vector<std::string> table(const std::string &text) {
  const tdl::Lambda lambda = parse(text);
  std::vector<std::string> rows;
  for (const Strategy &strategy : strategies(lambda))
    rows.push_back(toString(strategy, lambda));
  return rows;
}
using Rows = std::vector<std::string>;

} // namespace

TEST_CASE("shift_two") {
  CHECK(table(kShiftTwo) == Rows{"i -> concat i: a[part + halo [2, 2]]"});
}

TEST_CASE("conv1d: the strategies of thesis section 3.4.2") {
  CHECK(table(kConv1d) ==
        Rows{"b -> concat b: data[part, whole, whole] "
             "filters[whole, whole, whole]",
             "co -> concat co: data[whole, whole, whole] "
             "filters[whole, part, whole]",
             "x -> concat x: data[whole, whole, part + halo [0, dx - 1]] "
             "filters[whole, whole, whole]",
             "ci -> reduce Sum: data[whole, part, whole] "
             "filters[part, whole, whole]",
             "dx -> reduce Sum: data[whole, whole, part + halo [0, x - 1]] "
             "filters[whole, whole, part]"});
}

TEST_CASE("matmul") {
  CHECK(table(kMatmul) ==
        Rows{"i -> concat i: a[part, whole] b[whole, whole]",
             "j -> concat j: a[whole, whole] b[whole, part]",
             "k -> reduce Sum: a[whole, part] b[part, whole]"});
}

TEST_CASE("grouped convolution: stride, padding, groups") {
  const Rows rows = table(kGroupedConv2d);
  REQUIRE(rows.size() == 7);
  CHECK(rows[1] == "m -> concat m: x[whole, blocks, whole, whole] "
                   "w[part, whole, whole, whole]");
  CHECK(rows[2] == "y -> concat y: x[whole, whole, 2*part + halo [-1, ky - 2], "
                   "whole] w[whole, whole, whole, whole]");
  CHECK(rows[4] == "c -> reduce Sum: x[whole, blocks, whole, whole] "
                   "w[whole, part, whole, whole]");
  CHECK(rows[5] == "ky -> reduce Sum: x[whole, whole, "
                   "part + halo [-1, 2*y - 3], whole] "
                   "w[whole, whole, part, whole]");
}

TEST_CASE("negative factors, several reads") {
  CHECK(table("(x: f32[1]) -> f32: lambda i: x[9 - 2 * i]") ==
        Rows{"i -> concat i: x[-2*part + halo [9, 9]]"});
  CHECK(table("(x: f32[1]) -> f32: lambda i: x[i - 1] + x[i] + x[i + 3]") ==
        Rows{"i -> concat i: x[part + halo [-1, 3]]"});
  CHECK(table("(x: f32[2]) -> f32: lambda i: x[i, 0] + x[i, i]") ==
        Rows{"i -> concat i: x[part, whole]"});
  CHECK(table("(x: f32[1]) -> f32: lambda i: x[i] + x[2 * i]") ==
        Rows{"i -> concat i: x[whole]"});
  CHECK(table("(x: f32[1]) -> f32: lambda i: Sum(lambda k: x[i - k + 4])")[0] ==
        "i -> concat i: x[part + halo [-k + 5, 4]]");
}

TEST_CASE("reshape, gather, broadcast") {
  CHECK(table("(x: f32[2]) -> f32: lambda i, j: "
              "x[(i * 8 + j) // 4, (i * 8 + j) % 4]") ==
        Rows{"i -> concat i: x[blocks, whole]",
             "j -> concat j: x[blocks, blocks]"});
  CHECK(table("(x: f32[2], src: i64[1]) -> f32: lambda e, f: x[src[e], f]") ==
        Rows{"e -> concat e: x[whole, whole] src[part]",
             "f -> concat f: x[whole, part] src[whole]"});
  CHECK(table("(x: f32[0]) -> f32: lambda i: x[]") ==
        Rows{"i -> concat i: x[]"});
}

TEST_CASE("borders that repeat or mirror") {
  CHECK(table("(x: f32[1]) -> f32: lambda i: x[min(max(i - 2, 0), 4)]") ==
        Rows{"i -> concat i: x[blocks]"});
  CHECK(table("(x: f32[1]) -> f32: lambda i: x[4 - abs(4 - i % 8)]") ==
        Rows{"i -> concat i: x[blocks]"});
}

TEST_CASE("every reduction can be cut, guarded or not") {
  CHECK(
      table("(x: f32[1]) -> f32: lambda i: Max(lambda k: x[k] where k <= i)") ==
      Rows{"i -> concat i: x[whole]", "k -> reduce Max: x[part]"});
}

TEST_CASE("opaque functions: batch dimensions only") {
  CHECK(table("(x: f32[2]) -> f32: lambda i, j: "
              "@topk_values(x[i, :], 2, 1)[j]") ==
        Rows{"i -> concat i: x[part, whole]"});
}

TEST_CASE("symbolic intervals subtract and scale where figure 3.4 errs") {
  const SymbolicInterval i = symbolicIndex(0, 2), j = symbolicIndex(1, 2);
  const SymbolicInterval difference = i - j;
  CHECK(difference.low.first == std::vector<int64_t>{1, 0});
  CHECK(difference.low.last == std::vector<int64_t>{0, -1});
  CHECK(difference.high.first == std::vector<int64_t>{0, -1});
  CHECK(difference.high.last == std::vector<int64_t>{1, 0});
  const SymbolicInterval scaled = (i + symbolicConstant(4, 2)) * -3;
  CHECK(scaled.low.last == std::vector<int64_t>{-3, 0});
  CHECK(scaled.low.first == std::vector<int64_t>{0, 0});
  CHECK(scaled.high.first == std::vector<int64_t>{-3, 0});
  CHECK(scaled.low.constant == -12);
}
