#include "test/dialects/tdl/analysis/ProveStrategy.h"

#include "test/dialects/tdl/analysis/Lambdas.h"

using namespace smex;
using namespace smex::analysis;

namespace {

void prove(const std::string &text, const std::vector<int64_t> &extents,
           const std::vector<std::vector<int64_t>> &shapes, int64_t least = -2,
           int64_t most = 2) {
  const tdl::Lambda lambda = parse(text);
  std::mt19937_64 random(7);
  std::vector<Tensor> operands;
  for (size_t i = 0; i < shapes.size(); ++i)
    operands.push_back(drawIntegers(
        random, {lambda.operands[i].type, shapes[i]}, least, most));
  const Status proved = proveStrategies(lambda, extents, operands);
  if (!proved)
    FAIL_CHECK(proved.error().message);
}

} // namespace

TEST_CASE("strategies of the papers' operators, run") {
  prove(kShiftTwo, {10}, {{12}});
  prove(kConv1d, {3, 4, 7, 5, 3}, {{3, 5, 9}, {5, 4, 3}});
  prove(kMatmul, {5, 4, 7}, {{5, 7}, {7, 4}});
}

TEST_CASE("convolution: groups, stride, padding, uneven cuts") {
  prove(kGroupedConv2d, {2, 4, 5, 5, 3, 3, 3}, {{2, 6, 9, 9}, {4, 3, 3, 3}});
}

TEST_CASE("maxima over padding; the identity covers empty parts") {
  prove("(x: f32[2]) -> f32: lambda n, o: "
        "Max(lambda k: (x[n, o * 2 + k - 1] else -inf))",
        {2, 4, 3}, {{2, 7}});
  prove("(x: f32[1]) -> f32: lambda i: Max(lambda k: x[k] where k < i)", {5, 2},
        {{2}});
  prove("(x: f32[1]) -> f32: lambda: Prod(lambda k: x[k])", {1}, {{1}});
  prove("(x: i32[1]) -> i32: lambda: Min(lambda k: x[k])", {2}, {{2}});
}

TEST_CASE("layouts: concat, slice, reverse, transpose, reshape, pad") {
  prove("(a: f32[2], b: f32[2]) -> f32: lambda i, j: "
        "a[i, j] if j < 4 else b[i, j - 4]",
        {3, 9}, {{3, 4}, {3, 5}});
  prove("(a: f32[2], b: f32[2]) -> f32: lambda i, j: "
        "(a[i, j] else b[i - 2, j])",
        {5, 3}, {{2, 3}, {3, 3}});
  prove("(x: f32[1]) -> f32: lambda i: x[9 - 2 * i]", {5}, {{10}});
  prove("(x: f32[2]) -> f32: lambda i, j: x[j, i]", {4, 3}, {{3, 4}});
  prove("(x: f32[2]) -> f32: lambda i, j: "
        "x[(i * 8 + j) // 4, (i * 8 + j) % 4]",
        {3, 8}, {{6, 4}});
  prove("(x: f32[2]) -> f32: lambda i, j: (x[i - 2, j + 1] else 5)", {7, 3},
        {{4, 4}});
}

TEST_CASE("data-dependent: gather, scatter, prefix sums, neighbourhoods") {
  prove("(x: f32[2], src: i64[1]) -> f32: lambda e, f: x[src[e], f]", {7, 3},
        {{5, 3}, {7}}, 0, 4);
  prove("(key: i64[1], x: f32[1]) -> f32: lambda i: "
        "Sum(lambda e: x[e] where key[e] == i)",
        {5, 8}, {{8}, {8}}, 0, 4);
  prove("(x: f32[1]) -> f32: lambda i: Sum(lambda k: x[k] where k <= i)",
        {7, 7}, {{7}});
  const tdl::Lambda rows = parse(
      "(row: i64[1], x: f32[2]) -> f32: lambda v, f: Sum(lambda e: x[e, f] "
      "where row[v] <= e and e < row[v + 1])");
  std::mt19937_64 random(3);
  Tensor row = makeTensor({DType::I64, {5}});
  const int64_t starts[] = {0, 2, 2, 6, 7};
  std::copy(starts, starts + 5, row.data<int64_t>());
  const Status proved = proveStrategies(
      rows, {4, 3, 7}, {row, drawIntegers(random, {DType::F32, {7, 3}})});
  INFO((proved ? "" : proved.error().message));
  CHECK(proved);
}

TEST_CASE("opaque functions along batch dimensions") {
  prove("(x: f32[2]) -> f32: lambda i, j: @topk_values(x[i, :], 2, 1)[j]",
        {5, 2}, {{5, 4}});
}

TEST_CASE("other types, and terms that are not whole") {
  prove("(x: f16[2]) -> f16: lambda i: Sum(lambda k: x[i, k])", {3, 8},
        {{3, 8}});
  prove("(x: u8[1], y: u8[1]) -> u8: lambda i: x[i] * y[i] + 250", {5},
        {{5}, {5}});
  prove("(x: f32[2]) -> f32: lambda i: Sum(lambda k: exp(x[i, k]))", {3, 8},
        {{3, 8}});
  prove("(x: f32[2]) -> f32: lambda i, j: exp(x[i, j]) / 3", {3, 8}, {{3, 8}});
}

TEST_CASE("a proof fails where a region would be too small") {
  // Out of range without `else`: the uncut lambda itself is at fault.
  const tdl::Lambda lambda = parse(kShiftTwo);
  std::mt19937_64 random(7);
  const Status proved =
      proveStrategies(lambda, {10}, {drawIntegers(random, {DType::F32, {11}})});
  REQUIRE(!proved);
  CHECK(proved.error().message.find("uncut: ") == 0);
}
