// Compiled kernels against the reference interpreter: many shapes of lambdas,
// on random extents, in random parts, in buffers that hold no more than the
// part needs. Small integers, so that equal means equal to the bit.
#include "test/compiler/codegen/Harness.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace smex;
using namespace smex::codegen;

namespace {

/// A lambda, and how the shapes go with the index variables.
struct Case {
  const char *text;
  /// Per index variable its extent: a number, or -n for random from 1 to n.
  std::vector<int64_t> indices;
  /// Per operand its shape: a number; `v` + 1000 * (1 + variable) is the
  /// variable's extent plus v.
  std::vector<std::vector<int64_t>> operands;
  int lo = -4, hi = 4; // values
};

constexpr int64_t at(int variable, int64_t plus = 0) {
  return 1000 * (1 + variable) + plus;
}

const Case cases[] = {
    // Maps.
    {"(x: f32[2], b: f32[1]) -> f32: lambda i, j: max(x[i, j] + b[j], f32(0))",
     {-40, -70},
     {{at(0), at(1)}, {at(1)}}},
    {"(x: f32[0]) -> f32: lambda: x[] * x[]", {}, {{}}},
    {"(x: f32[0]) -> f32: lambda i: x[]", {-100}, {{}}},
    {"(x: i32[3]) -> i32: lambda i, j, k: x[k, i, j]",
     {-9, -9, -9},
     {{at(2), at(0), at(1)}}},
    {"(x: f32[2]) -> f32: lambda i, j: x[i, 2 * j + 1]",
     {-9, -40},
     {{at(0), 81}}},
    {"(x: f32[1]) -> f32: lambda i: x[99 - i]", {-100}, {{100}}},
    {"(x: f32[1]) -> f32: lambda i: x[i // 2]", {-100}, {{100}}},
    {"(x: f32[2]) -> f32: lambda i: x[i // 7, i % 7]", {-70}, {{10, 7}}},
    {"(x: f32[1], y: f32[1]) -> f32: lambda i: x[i] if i < 5 else y[i - 5]",
     {-40},
     {{5}, {60}}},
    {"(x: f32[2], y: f32[2], z: f32[2]) -> f32: lambda i, j: "
     "x[i, j] if i < 3 else (y[i - 3, j] if i < 7 else z[i - 7, j])",
     {-20, -20},
     {{3, at(1)}, {4, at(1)}, {20, at(1)}}},
    {"(x: f32[2]) -> f32: lambda i, j: x[i, j] if j <= i else -inf",
     {-40, -40},
     {{at(0), at(1)}}},
    {"(x: f32[2]) -> f32: lambda i, j: x[i - 2, j - 3] else f32(7)",
     {-20, -40},
     {{11, 17}}},
    {"(x: f32[1]) -> f32: lambda i: (x[i - 1] else f32(0)) + 2.0 * x[i] + "
     "(x[i + 1] else f32(0))",
     {-50},
     {{50}}},
    {"(x: f32[2], k: i64[1]) -> f32: lambda i, j: x[k[i], j]",
     {-20, -40},
     {{9, at(1)}, {at(0)}},
     0,
     8},
    {"(x: f32[2], k: i32[1]) -> f32: lambda i, j: x[i64(k[i]), j] else f32(-1)",
     {-20, -40},
     {{4, at(1)}, {at(0)}}},
    {"(x: f32[1], k: i64[1]) -> f32: lambda i: x[k[i]]",
     {-100},
     {{9}, {at(0)}},
     0,
     8},
    {"(x: bool[1], y: bool[1]) -> bool: lambda i: (x[i] and y[i]) or not x[i]",
     {-100},
     {{at(0)}, {at(0)}}},
    {"() -> i64: lambda i, j: i * 10 + j % 3", {-20, -20}, {}},
    {"(x: f32[1]) -> f32: lambda i: f32(i) * x[i]", {-100}, {{at(0)}}},
    {"(x: u8[1]) -> i16: lambda i: i16(x[i]) - i16(3)",
     {-100},
     {{at(0)}},
     0,
     9},
    {"(x: f32[2]) -> f32: lambda i, j: x[i, j] if x[i, 0] > 0.0 else x[i, j] * "
     "2.0",
     {-20, -20},
     {{at(0), at(1)}}},
    // Reductions along the row, along the column, and of everything.
    {"(x: f32[2]) -> f32: lambda i: Sum(lambda j: x[i, j])",
     {-20, -700},
     {{at(0), at(1)}}},
    {"(x: f32[2]) -> f32: lambda j: Sum(lambda i: x[i, j])",
     {-1500, -30},
     {{at(1), at(0)}}},
    {"(x: f32[2]) -> f32: lambda: Sum(lambda i, j: x[i, j])",
     {-30, -300},
     {{at(0), at(1)}}},
    {"(x: f32[1]) -> f32: lambda i: Max(lambda j: x[i * 3 + j])",
     {-30, 3},
     {{100}}},
    {"(x: f32[2]) -> f32: lambda i: Max(lambda j: x[i, j])",
     {-20, -300},
     {{at(0), at(1)}}},
    {"(x: i32[2]) -> i32: lambda i: Min(lambda j: x[i, j])",
     {-20, -300},
     {{at(0), at(1)}}},
    {"(x: bool[2]) -> bool: lambda i: Max(lambda j: x[i, j])",
     {-20, -300},
     {{at(0), at(1)}}},
    {"(x: bool[2]) -> bool: lambda j: Min(lambda i: x[i, j])",
     {-20, -5},
     {{at(1), at(0)}}},
    {"(x: f32[2]) -> f32: lambda i: Prod(lambda j: x[i, j])",
     {-20, -9},
     {{at(0), at(1)}},
     1,
     2},
    {"(x: f64[2]) -> f64: lambda i: Sum(lambda j: x[i, j] * x[i, j])",
     {-20, -700},
     {{at(0), at(1)}}},
    {"(x: f16[2]) -> f16: lambda i: Sum(lambda j: x[i, j])",
     {-20, -300},
     {{at(0), at(1)}}},
    {"(x: bf16[2]) -> bf16: lambda j: Sum(lambda i: x[i, j])",
     {-90, -12},
     {{at(1), at(0)}}},
    {"(x: i8[2]) -> i8: lambda i: Sum(lambda j: x[i, j])",
     {-20, -700},
     {{at(0), at(1)}}},
    {"(x: f32[2], y: f32[1]) -> f32: lambda i: Sum(lambda j: x[i, j] * y[j])",
     {-20, -700},
     {{at(0), at(1)}, {at(1)}}},
    {"(a: f32[2], b: f32[2]) -> f32: lambda i, j: Sum(lambda k: a[i, k] * b[k, "
     "j])",
     {-20, -40, -30},
     {{at(0), at(2)}, {at(2), at(1)}}},
    {"(a: f32[2], b: f32[2]) -> f32: lambda i, j: Sum(lambda k: a[i, k] * b[j, "
     "k])",
     {-20, -20, -70},
     {{at(0), at(2)}, {at(1), at(2)}}},
    {"(x: f32[4]) -> f32: lambda n, c: Sum(lambda y, x_: x[n, c, y, x_])",
     {-3, -5, -9, -9},
     {{at(0), at(1), at(2), at(3)}}},
    {"(x: f32[4], w: f32[4]) -> f32: lambda n, m, y, z: Sum(lambda c, k, l: "
     "(x[n, c, y * 2 + k - 1, z * 2 + l - 1] else f32(0)) * w[m, c, k, l])",
     {-2, -4, -6, -6, -3, 3, 3},
     {{at(0), at(4), 11, 11}, {at(1), at(4), 3, 3}}},
    {"(x: f32[4]) -> f32: lambda n, c, y, z: Max(lambda k, l: "
     "x[n, c, y * 2 + k - 1, z * 2 + l - 1] else -inf)",
     {-2, -4, -12, -40, 3, 3},
     {{at(0), at(1), 23, 79}}},
    {"(x: f32[4]) -> f32: lambda n, c, y, z: Sum(lambda k, l: "
     "x[n, c, y + k * 2 - 2, z + l * 2 - 2] else f32(0))",
     {-2, -4, -12, -40, 3, 3},
     {{at(0), at(1), 12, 40}}},
    // A transposed convolution, as a gradient: conditions on divisibility.
    {"(g: f32[1], w: f32[1]) -> f32: lambda x: Sum(lambda k: "
     "(g[(x + 1 - k) // 2] else f32(0)) * w[k] where (x + 1 - k) % 2 == 0)",
     {-60, 3},
     {{30}, {3}}},
    {"(g: f32[1], w: f32[1]) -> f32: lambda x: Sum(lambda o, k: g[o] * w[k] "
     "where o * 2 + k - 1 == x)",
     {-60, 30, 3},
     {{30}, {3}}},
    // Guards.
    {"(x: f32[2]) -> f32: lambda i: Sum(lambda j: x[i, j] where j < i + 3)",
     {-20, -30},
     {{at(0), at(1)}}},
    {"(x: f32[2], m: bool[1]) -> f32: lambda i: Sum(lambda j: x[i, j] where "
     "m[j])",
     {-20, -300},
     {{at(0), at(1)}, {at(1)}}},
    {"(x: f32[1]) -> f32: lambda i: Max(lambda k: x[k] where k >= i - 2 and k "
     "<= i + 2)",
     {-90, 100},
     {{100}}},
    // Prefixes.
    {"(x: f32[1]) -> f32: lambda i: Sum(lambda k: x[k] where k <= i)",
     {-200, 200},
     {{200}}},
    {"(x: f32[1]) -> f32: lambda i: Sum(lambda k: x[k] where k < i)",
     {-200, 200},
     {{200}}},
    {"(x: f32[2]) -> f32: lambda i, j: Sum(lambda k: x[k, j] where k >= i)",
     {-50, -70, 50},
     {{50, at(1)}}},
    {"(x: f32[2]) -> f32: lambda j, i: Max(lambda k: x[j, k] where i < k)",
     {-9, -50, 50},
     {{at(0), 50}}},
    {"(x: i64[2]) -> i64: lambda i, j: Prod(lambda k: x[k, j] where k <= 49 - "
     "i)",
     {-50, -7, 50},
     {{50, at(1)}},
     1,
     3},
    {"(x: f16[1]) -> f16: lambda i: Sum(lambda k: x[k] where k <= i * 2)",
     {-40, 90},
     {{90}}},
    {"(x: f32[2]) -> f32: lambda i: Sum(lambda k, j: x[k, j] where k <= i)",
     {-40, 40, -9},
     {{40, at(2)}}},
    // Preimages.
    {"(x: f32[1], key: i64[1]) -> f32: lambda i: Sum(lambda e: x[e] where "
     "key[e] == i)",
     {9, -200},
     {{at(1)}, {at(1)}},
     0,
     8},
    {"(x: f32[2], key: i32[1]) -> f32: lambda v, f: Sum(lambda e: x[e, f] "
     "where "
     "i64(key[e]) == v)",
     {-12, -40, -90},
     {{at(2), at(1)}, {at(2)}},
     -2,
     12},
    {"(x: f32[2], key: i64[2]) -> f32: lambda n, i: Max(lambda e: x[n, e] "
     "where "
     "i == key[n, e])",
     {-7, 9, -60},
     {{at(0), at(2)}, {at(0), at(2)}},
     0,
     8},
    {"(x: f16[2], key: i64[1]) -> f16: lambda v, f: Sum(lambda e: x[e, f] "
     "where "
     "key[e] == v)",
     {-12, -20, -60},
     {{at(2), at(1)}, {at(2)}},
     -2,
     12},
    {"(x: f32[1], a: i64[1], b: i64[1]) -> f32: lambda i, j: Sum(lambda e: "
     "x[e] "
     "where a[e] == i and b[e] == j)",
     {-9, -9, -90},
     {{at(2)}, {at(2)}, {at(2)}},
     0,
     8},
    {"(x: bf16[1], a: i64[1], b: i64[1]) -> bf16: lambda i, j: Sum(lambda e: "
     "x[e] "
     "where a[e] == i and b[e] + 1 == j)",
     {-9, -9, -90},
     {{at(2)}, {at(2)}, {at(2)}},
     0,
     8},
    {"(x: f32[1], key: i64[1]) -> f32: lambda i: Sum(lambda e: x[e] where e < "
     "50 "
     "and key[e] == i)",
     {9, -90},
     {{at(1)}, {50}},
     0,
     8},
    // Rows of a sparse matrix.
    {"(x: f32[2], row: i64[1], src: i64[1]) -> f32: lambda v, f: Sum(lambda e: "
     "x[src[e], f] where row[v] <= e and e < row[v + 1])",
     {8, -40, 40},
     {{5, at(1)}, {9}, {40}},
     0,
     4},
    {"(w: f32[1], row: i32[1]) -> f32: lambda v: Max(lambda e: w[e] where "
     "i64(row[v]) <= e and e < i64(row[v + 1]))",
     {8, 40},
     {{40}, {9}},
     0,
     4},
    // The gradient of a loss by classes: rows are cut at the label.
    {"(k: i64[1], x: f32[1], y: f32[2]) -> f32: lambda i, j: "
     "(x[i] if k[i] - j == 0 else f32(0)) + y[i, j] * f32(3)",
     {-9, -40},
     {{at(0)}, {at(0)}, {at(0), at(1)}}},
    {"(k: i64[1], x: f32[1], y: f32[2]) -> f32: lambda i, j: "
     "y[i, j] * (x[i] if j + 2 == k[i] * 2 else y[i, j])",
     {-9, -40},
     {{at(0)}, {at(0)}, {at(0), at(1)}}},
    // Gradients of strided windows: conditions on quotients and remainders.
    {"(x: f32[2]) -> f32: lambda i, j: Sum(lambda p, q: "
     "x[(i - p + 1) // 2, (j - q + 1) // 2] where (j - q + 1) // 2 < 9 and "
     "((j - q + 1) // 2 >= 0 and ((j - q + 1) % 2 == 0 and "
     "((i - p + 1) // 2 <= 6 and ((i - p + 1) // 2 > -1 and (i - p + 1) % 2 == "
     "0)))))",
     {-20, -20, -5, -5},
     {{7, 9}}},
    {"(x: f32[2], y: i64[2]) -> f32: lambda i, j: Sum(lambda p, q: "
     "x[(i - p + 1) // 2, (j - q + 2) // 3] where (j - q + 2) // 3 < 9 and "
     "((j - q + 2) // 3 >= 0 and ((j - q + 2) % 3 == 0 and "
     "((i - p + 1) // 2 < 7 and ((i - p + 1) // 2 >= 0 and ((i - p + 1) % 2 == "
     "0 and p * 3 + q == y[(i - p + 1) // 2, (j - q + 2) // 3]))))))",
     {-20, -40, -3, -3},
     {{7, 9}, {7, 9}}},
    {"(x: f32[2]) -> f32: lambda i: Sum(lambda p, q: x[p, q] where "
     "(p + q + 4) % 3 == 2 and (i - p) % 2 == 1)",
     {-9, -20, -40},
     {{at(1), at(2)}}},
    {"(x: f32[1]) -> f32: lambda i: Max(lambda p: x[p] where (p * 2 + i) % 4 "
     "== 1 or p < 3)",
     {-9, -40},
     {{at(1)}}},
};

std::vector<int64_t> extentsOf(const Case &c, Random &random) {
  std::vector<int64_t> extents;
  for (int64_t e : c.indices)
    extents.push_back(e < 0 ? pick(random, 1, -e) : e);
  return extents;
}

std::vector<Tensor> operandsOf(const Case &c, const tdl::Lambda &lambda,
                               const std::vector<int64_t> &extents,
                               Random &random) {
  std::vector<Tensor> operands;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    TensorType type{lambda.operands[i].type, c.operands[i]};
    for (int64_t &d : type.shape)
      if (d >= 1000)
        d = extents[size_t(d / 1000 - 1)] + d % 1000;
    operands.push_back(randomTensor(random, type, c.lo, c.hi));
    if (lambda.operands[i].name != "row")
      continue;
    // Rising offsets, the last of them the number of edges.
    int64_t offset = 0;
    for (int64_t v = 0; v < type.shape[0]; ++v, offset += pick(random, 0, 5))
      if (type.dtype == DType::I64)
        operands.back().data<int64_t>()[v] = std::min<int64_t>(offset, 40);
      else
        operands.back().data<int32_t>()[v] =
            int32_t(std::min<int64_t>(offset, 40));
  }
  return operands;
}

/// Random parts of the output, all of the reductions.
Box partOf(const std::vector<int64_t> &extents, int rank, Random &random) {
  Box part;
  for (int i = 0; i < int(extents.size()); ++i) {
    Interval whole{0, extents[size_t(i)]};
    if (i < rank && pick(random, 0, 2)) {
      const int64_t ways = pick(random, 1, 4);
      whole = cut(whole, ways, pick(random, 0, ways - 1));
    }
    part.push_back(whole);
  }
  return part;
}

/// Makes the operands' boxes as small as the interpreter lets them be.
void shrink(const tdl::Lambda &lambda, const Box &part,
            std::vector<Buffer> &buffers, const std::vector<Tensor> &operands) {
  const auto fits = [&] {
    std::vector<tdl::OperandView> views;
    for (const Buffer &buffer : buffers)
      views.push_back({buffer.shape, buffer.box, buffer.bytes.data()});
    return bool(tdl::interpret(lambda, part, views));
  };
  for (size_t i = 0; i < buffers.size(); ++i)
    for (size_t d = 0; d < buffers[i].box.size(); ++d)
      for (int side = 0; side < 2; ++side)
        for (int64_t step = buffers[i].box[d].size(); step > 0; step /= 2) {
          const Box before = buffers[i].box;
          (side ? buffers[i].box[d].hi : buffers[i].box[d].lo) +=
              side ? -step : step;
          if (buffers[i].box[d].lo <= buffers[i].box[d].hi) {
            buffers[i] = bufferOf(operands[i], buffers[i].box);
            if (fits())
              continue;
          }
          buffers[i] = bufferOf(operands[i], before);
        }
}

bool same(const Tensor &got, const Tensor &want) {
  if (got.bytes.size() != want.bytes.size())
    return false;
  const size_t count = got.bytes.size() / size_t(byteSize(got.type.dtype));
  for (size_t i = 0; i < count; ++i) {
    // Not the bits: an empty sum may be 0 here and a sum of -0 there.
    const double a = elementAt(got, i), b = elementAt(want, i);
    if (a != b && !(a != a && b != b)) {
      UNSCOPED_INFO("element " << i << ": got " << a << ", want " << b);
      return false;
    }
  }
  return true;
}

} // namespace

TEST_CASE("kernels compute what the interpreter computes") {
  std::vector<KernelRequest> requests;
  for (const Case &c : cases)
    requests.push_back(
        {"k" + std::to_string(requests.size()), lambdaOf(c.text)});
  const Loaded loaded(requests);
  Random random(1);
  for (size_t k = 0; k < requests.size(); ++k) {
    const tdl::Lambda &lambda = requests[k].lambda;
    INFO(cases[k].text);
    for (int trial = 0; trial < 12; ++trial) {
      const std::vector<int64_t> extents = extentsOf(cases[k], random);
      const std::vector<Tensor> operands =
          operandsOf(cases[k], lambda, extents, random);
      const Box part = partOf(extents, lambda.rank(), random);
      INFO("part " << toString(part));
      std::vector<Buffer> buffers;
      std::vector<tdl::OperandView> views;
      for (const Tensor &operand : operands)
        buffers.push_back(bufferOf(operand, wholeBox(operand.type.shape)));
      if (trial % 2)
        shrink(lambda, part, buffers, operands);
      for (const Buffer &buffer : buffers)
        views.push_back({buffer.shape, buffer.box, buffer.bytes.data()});
      const Result<Tensor> want = tdl::interpret(lambda, part, views);
      if (!want)
        FAIL(want.error().message);
      // The buffer may be larger than the part: what is outside stays.
      const Box outputs(part.begin(), part.begin() + lambda.rank());
      const std::vector<int64_t> shape(extents.begin(),
                                       extents.begin() + lambda.rank());
      Buffer result = emptyBuffer(lambda.result, shape, wholeBox(shape));
      call(loaded.function(requests[k].symbol), part, result, buffers);
      Tensor all{{lambda.result, shape}, result.bytes};
      Tensor got{want->type, bufferOf(all, outputs).bytes};
      CHECK(same(got, *want));
      Buffer inside = bufferOf(all, outputs);
      std::fill(result.bytes.begin(), result.bytes.end(), std::byte(0xcd));
      Buffer again = emptyBuffer(lambda.result, shape, outputs);
      call(loaded.function(requests[k].symbol), part, again, buffers);
      CHECK((again.bytes == inside.bytes));
    }
  }
}
