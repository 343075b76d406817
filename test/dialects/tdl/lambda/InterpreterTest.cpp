// The reference interpreter against results written down by hand.
#include "dialects/tdl/lambda/Accumulated.h"
#include "test/dialects/tdl/lambda/Tensors.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace smex;
using namespace smex::tdl;

namespace {

using Numbers = std::vector<double>;

Result<Tensor> run(const std::string &text, const std::vector<int64_t> &extents,
                   const std::vector<Tensor> &operands) {
  const auto lambda = parseLambda(text);
  if (!lambda)
    return lambda.error();
  std::vector<const Tensor *> pointers;
  for (const Tensor &operand : operands)
    pointers.push_back(&operand);
  return interpret(*lambda, extents, pointers);
}

Numbers result(const std::string &text, const std::vector<int64_t> &extents,
               const std::vector<Tensor> &operands) {
  const auto tensor = run(text, extents, operands);
  INFO((tensor ? "" : tensor.error().message));
  REQUIRE(tensor);
  return values(*tensor);
}

std::string message(const std::string &text,
                    const std::vector<int64_t> &extents,
                    const std::vector<Tensor> &operands) {
  const auto tensor = run(text, extents, operands);
  return tensor ? "no error" : tensor.error().message;
}

} // namespace

TEST_CASE("maps") {
  CHECK(result("(x: f32[2], b: f32[1]) -> f32: lambda i, j: x[i, j] + b[j]",
               {2, 3},
               {f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({3}, {10, 20, 30})}) ==
        Numbers{11, 22, 33, 14, 25, 36});
  CHECK(result("(x: f32[0]) -> f32: lambda: x[] * 2", {}, {f32({}, {4})}) ==
        Numbers{8});
  CHECK(result("() -> i64: lambda i, j: i * 10 + j", {2, 2}, {}) ==
        Numbers{0, 1, 10, 11});
  CHECK(result("() -> i64: lambda i, j: i", {2, 0}, {}).empty());
  CHECK(result("(x: f32[2]) -> i64: lambda i: extent(x, 1) - i", {3},
               {f32({1, 2}, {0, 0})}) == Numbers{2, 1, 0});
  CHECK(result("(x: f32[1]) -> bool: lambda i: x[i] > 1 and not x[i] == 3", {3},
               {f32({3}, {1, 2, 3})}) == Numbers{0, 1, 0});
}

TEST_CASE("matrix product") {
  CHECK(result("(a: f32[2], b: f32[2]) -> f32: lambda i, j: Sum(lambda k: a[i, "
               "k] * b[k, j])",
               {2, 2, 3},
               {f32({2, 3}, {1, 2, 3, 4, 5, 6}),
                f32({3, 2}, {7, 8, 9, 10, 11, 12})}) ==
        Numbers{58, 64, 139, 154});
}

TEST_CASE("out of range is what else says") {
  CHECK(result("(x: f32[1]) -> f32: lambda i: (x[i - 1] else -1) + (x[i + 1] "
               "else 100)",
               {3}, {f32({3}, {1, 2, 3})}) == Numbers{1, 4, 102});
  CHECK(result("(x: f32[1]) -> f32: lambda i: (x[i] else (x[i - 2] else 9))",
               {5}, {f32({2}, {1, 2})}) == Numbers{1, 2, 1, 2, 9});
  CHECK(result("(x: f32[1]) -> f32: lambda i: (x[i] else 9)", {2},
               {f32({0}, {})}) == Numbers{9, 9});
}

TEST_CASE("reads through reads") {
  CHECK(
      result("(x: f32[2], src: i32[1]) -> f32: lambda e, f: x[i64(src[e]), f]",
             {3, 2},
             {f32({2, 2}, {1, 2, 3, 4}), tensor(DType::I32, {3}, {1, 0, 1})}) ==
      Numbers{3, 4, 1, 2, 3, 4});
}

TEST_CASE("reductions") {
  const std::string x = "(x: f32[1]) -> f32: lambda: ";
  const Tensor values = f32({4}, {3, -1, 4, 2});
  CHECK(result(x + "Sum(lambda k: x[k])", {4}, {values}) == Numbers{8});
  CHECK(result(x + "Max(lambda k: x[k])", {4}, {values}) == Numbers{4});
  CHECK(result(x + "Min(lambda k: x[k])", {4}, {values}) == Numbers{-1});
  CHECK(result(x + "Prod(lambda k: x[k])", {4}, {values}) == Numbers{-24});
  CHECK(result(x + "Sum(lambda k: x[k] where x[k] > 2)", {4}, {values}) ==
        Numbers{7});
  CHECK(result(x + "Max(lambda k: x[k] where x[k] > 9)", {4}, {values}) ==
        Numbers{-INFINITY});
  CHECK(result(x + "Min(lambda k: x[k])", {0}, {f32({0}, {})}) ==
        Numbers{INFINITY});
  CHECK(std::isnan(
      result(x + "Max(lambda k: x[k])", {2}, {f32({2}, {NAN, 1})})[0]));
  CHECK(std::isnan(
      result(x + "Min(lambda k: x[k])", {2}, {f32({2}, {1, NAN})})[0]));
  CHECK(result("(x: bool[1]) -> bool: lambda: Max(lambda k: x[k])", {2},
               {tensor(DType::Bool, {2}, {0, 1})}) == Numbers{1});
  CHECK(result("(x: i8[1]) -> i8: lambda: Sum(lambda k: x[k])", {2},
               {tensor(DType::I8, {2}, {100, 100})}) == Numbers{-56});
}

TEST_CASE("prefix sums and scatters by preimage") {
  CHECK(result("(x: f32[1]) -> f32: lambda i: Sum(lambda k: x[k] where k <= i)",
               {4, 4}, {f32({4}, {1, 2, 3, 4})}) == Numbers{1, 3, 6, 10});
  CHECK(result("(x: f32[2], key: i64[1]) -> f32: lambda i, f: Sum(lambda e: "
               "x[e, f] where key[e] == i)",
               {3, 2, 4},
               {f32({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                i64({4}, {2, 0, 2, 2})}) == Numbers{3, 4, 0, 0, 13, 16});
  // The neighbours of a vertex: rows of a sparse matrix.
  CHECK(result("(x: f32[1], r: i64[1]) -> f32: lambda v: Sum(lambda e: x[e] "
               "where r[v] <= e and e < r[v + 1])",
               {3, 4}, {f32({4}, {1, 2, 3, 4}), i64({4}, {0, 1, 1, 4})}) ==
        Numbers{1, 0, 9});
}

TEST_CASE("conditions evaluate only what they need") {
  CHECK(result("(x: f32[1]) -> f32: lambda i: x[i - 1] if i > 0 else 7", {3},
               {f32({2}, {1, 2})}) == Numbers{7, 1, 2});
  CHECK(result("(x: i64[1]) -> bool: lambda i: i > 0 and x[i - 1] > 1", {3},
               {i64({2}, {1, 2})}) == Numbers{0, 0, 1});
  CHECK(result("(x: i64[1]) -> bool: lambda i: i == 0 or x[i - 1] > 1", {3},
               {i64({2}, {1, 2})}) == Numbers{1, 0, 1});
}

TEST_CASE("every node is rounded to its type") {
  // 2^24 + 1 is no f32; 2048 + 1 no f16; 256 + 1 no bf16.
  CHECK(result("(x: f32[1]) -> f32: lambda: x[0] + 1 - x[0]", {},
               {f32({1}, {16777216})}) == Numbers{0});
  CHECK(result("(x: f16[1]) -> f16: lambda: x[0] + 1 - x[0]", {},
               {tensor(DType::F16, {1}, {2048})}) == Numbers{0});
  CHECK(result("(x: bf16[1]) -> bf16: lambda: x[0] + 1 - x[0]", {},
               {tensor(DType::BF16, {1}, {256})}) == Numbers{0});
  CHECK(result("(x: f64[1]) -> f64: lambda: x[0] + 1 - x[0]", {},
               {tensor(DType::F64, {1}, {16777216})}) == Numbers{1});
  CHECK(result("(x: f32[1]) -> f16: lambda: f16(x[0]) * 3", {},
               {f32({1}, {30000})}) == Numbers{INFINITY});
}

TEST_CASE("sums of small floats accumulate in larger ones") {
  const Tensor ones = tensor(DType::F16, {4096}, Numbers(4096, 1));
  CHECK(result("(x: f16[1]) -> f16: lambda: Sum(lambda k: x[k])", {4096},
               {ones}) == Numbers{4096});
  const Tensor many = tensor(DType::F32, {3}, {16777216, 1, 1});
  CHECK(result("(x: f32[1]) -> f32: lambda: Sum(lambda k: x[k])", {3},
               {many}) == Numbers{16777218});
}

TEST_CASE("terms of sums of small floats are computed in larger ones") {
  const auto f16 = [](Numbers values) {
    return tensor(DType::F16, {int64_t(values.size())}, values);
  };
  const char *const dot = "(x: f16[1], y: f16[1]) -> f16: lambda: Sum(lambda "
                          "k: x[k] * y[k])";
  // 90000 is no f16, 2^-26 neither.
  CHECK(result(dot, {3}, {f16({300, 300, 1}), f16({300, -300, 1})}) ==
        Numbers{1});
  CHECK(result(dot, {4096},
               {f16(Numbers(4096, 0x1p-13)), f16(Numbers(4096, 0x1p-13))}) ==
        Numbers{0x1p-14});
  CHECK(result("(x: f16[1], y: f16[1]) -> f16: lambda: Prod(lambda k: x[k] * "
               "y[k])",
               {2}, {f16({300, 0x1p-7}), f16({300, 0x1p-7})}) ==
        Numbers{5.4921875}); // 90000 * 2^-14
  // What converts to 16 bits by itself does.
  CHECK(result("(x: f32[1]) -> f16: lambda: Sum(lambda k: f16(x[k]))", {2},
               {f32({2}, {2049, -2048})}) == Numbers{0});
  const auto lambda = parseLambda(dot);
  REQUIRE(lambda);
  CHECK(toString(accumulated(*lambda)) ==
        "(x: f16[1], y: f16[1]) -> f32: lambda: Sum(lambda k: f32(x[k]) * "
        "f32(y[k]))");
  const auto most =
      parseLambda("(x: f16[1]) -> f16: lambda: Max(lambda k: x[k])");
  REQUIRE(most);
  CHECK(toString(accumulated(*most)) == toString(*most));
}

TEST_CASE("64-bit integers are exact") {
  const auto lambda =
      parseLambda("(x: u64[1]) -> u64: lambda i: x[i] // 3 * 2 + 1");
  REQUIRE(lambda);
  Tensor x = makeTensor({DType::U64, {1}});
  x.data<uint64_t>()[0] = 18446744073709551615u;
  const auto sum = interpret(*lambda, std::vector<int64_t>{1}, {&x});
  REQUIRE(sum);
  CHECK(sum->data<uint64_t>()[0] == 12297829382473034411u);
}

TEST_CASE("parts of operands, indices and reductions") {
  const auto lambda = parseLambda(
      "(a: f32[2], b: f32[1]) -> f32: lambda i: Sum(lambda k: a[i, k] * b[k])");
  REQUIRE(lambda);
  // Rows 1 to 2, columns 1 to 3 of a 3 x 4 matrix; of b, elements 1 and 2.
  const Tensor a = f32({2, 2}, {5, 6, 9, 10}), b = f32({2}, {1, 2});
  const std::vector<OperandView> views = {
      {{3, 4}, {{1, 3}, {1, 3}}, a.bytes.data()},
      {{4}, {{1, 3}}, b.bytes.data()}};
  auto part = interpret(*lambda, Box{{1, 3}, {1, 3}}, views);
  REQUIRE(part);
  CHECK(part->type.shape == std::vector<int64_t>{2});
  CHECK(values(*part) == Numbers{17, 29});
  const auto other = interpret(*lambda, Box{{1, 3}, {2, 3}}, views);
  REQUIRE(other);
  combine(Reducer::Sum, *part, *other);
  CHECK(values(*part) == Numbers{29, 49});
  combine(Reducer::Max, *part, f32({2}, {40, 40}));
  CHECK(values(*part) == Numbers{40, 49});

  const auto outside = interpret(*lambda, Box{{0, 3}, {1, 3}}, views);
  REQUIRE_FALSE(outside);
  CHECK(outside.error().message ==
        "a[0, 1] at i = 0, k = 1 is outside the part at hand, [1:3, 1:3]");
  const auto empty = interpret(*lambda, Box{{2, 2}, {1, 3}}, views);
  REQUIRE(empty);
  CHECK(empty->bytes.empty());
}

TEST_CASE("else counts the whole tensor, not the part") {
  const auto lambda =
      parseLambda("(x: f32[1]) -> f32: lambda i: (x[i + 1] else 0)");
  const Tensor x = f32({2}, {3, 4});
  const std::vector<OperandView> views = {{{4}, {{2, 4}}, x.bytes.data()}};
  const auto inside = interpret(*lambda, Box{{1, 4}}, views);
  REQUIRE(inside);
  CHECK(values(*inside) == Numbers{3, 4, 0});
  const auto missing = interpret(*lambda, Box{{0, 1}}, views);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message ==
        "x[1] at i = 0 is outside the part at hand, [2:4]");
}

TEST_CASE("the best elements are those that no better one is left out for") {
  std::mt19937 random(4);
  const Numbers ends = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1, -1, 3e9, -3e9};
  for (DType type :
       {DType::F32, DType::F64, DType::I64, DType::I32, DType::U8, DType::Bool})
    for (int round = 0; round < 40; ++round) {
      const int64_t n = 1 + int64_t(random() % 70);
      const int64_t k = int64_t(random() % uint64_t(n + 1));
      const bool largest = random() % 2;
      Numbers numbers;
      for (int64_t i = 0; i < n; ++i)
        numbers.push_back(isFloat(type) && random() % 3 == 0
                              ? ends[random() % ends.size()]
                              : double(random() % 9) - 4);
      const Tensor x = tensor(type, {n}, numbers);
      const Numbers read = values(x);
      // One is before another if it is better, or equal and earlier.
      const auto before = [&](size_t a, size_t b) {
        const double p = read[a], q = read[b];
        const bool equal = p == q || (std::isnan(p) && std::isnan(q));
        const bool above = !std::isnan(q) && (std::isnan(p) || p > q);
        return equal ? a < b : above == largest;
      };
      Numbers places(static_cast<size_t>(k));
      for (size_t i = 0; i < size_t(n); ++i) {
        size_t place = 0;
        for (size_t j = 0; j < size_t(n); ++j)
          place += before(j, i);
        if (place < size_t(k))
          places[place] = double(i);
      }
      const std::string text = "(x: " + std::string(name(type)) +
                               "[1]) -> i64: lambda j: @topk_indices(x[:], " +
                               std::to_string(k) + ", " +
                               std::to_string(largest) + ")[j]";
      INFO(text << " of " << n << " elements, round " << round);
      CHECK(result(text, {k}, {x}) == places);
    }
}

TEST_CASE("opaque functions") {
  const Tensor x = f32({2, 4}, {3, 1, 4, 1, 5, 9, 2, 6});
  const std::string head = "(x: f32[2]) -> f32: lambda i, j: ";
  CHECK(result(head + "@topk_values(x[i, :], 2, 1)[j]", {2, 2}, {x}) ==
        Numbers{4, 3, 9, 6});
  CHECK(result(head + "@topk_values(x[:, j], 1, 0)[i]", {1, 4}, {x}) ==
        Numbers{3, 1, 2, 1});
  CHECK(
      result("(x: f32[2]) -> i64: lambda i, j: @topk_indices(x[i, :], 3, 0)[j]",
             {2, 3}, {x}) == Numbers{1, 3, 0, 2, 0, 3});
  CHECK(result("(x: f32[3]) -> f32: lambda b: @det(x[b, :, :])[]", {2},
               {f32({2, 2, 2}, {1, 2, 3, 4, 0, 2, 1, 5})}) == Numbers{-2, -2});
  const Tensor some = f32({4}, {NAN, 1, INFINITY, 2});
  CHECK(result("(x: f32[1]) -> i64: lambda j: @topk_indices(x[:], 4, 1)[j]",
               {4}, {some}) == Numbers{0, 2, 3, 1});
  CHECK(message(head + "@topk_values(x[i, :], 5, 1)[j]", {2, 2}, {x}) ==
        "@topk_values at i = 0, j = 0: k is 5.000000 of 4 elements");
  CHECK(message(head + "@topk_values(x[i, :], 2, 1)[j]", {2, 3}, {x}) ==
        "@topk_values at i = 0, j = 2: index [2] is out of range: the shape is "
        "[2]");
  CHECK(message(head + "@topk_values(x[i, :], 2, 1)[j]", {3, 2}, {x}) ==
        "@topk_values at i = 2, j = 0: slice [2:3] of dimension 0 of x is "
        "outside [0:2]");
  CHECK(message("(x: f32[2]) -> f32: lambda: @det(x[:, :])[]", {}, {x}) ==
        "@det at the only element: a matrix of 2 by 4 is not square");
  CHECK(message("(x: f32[2], s: f32[1]) -> i64: lambda i: "
                "@unsuppressed_boxes(x[:, :], s[:], 1.0, 0.5, 0.0, 0.0, "
                "0.0)[i]",
                {3}, {x, f32({3}, {1, 2, 3})}) ==
        "@unsuppressed_boxes at i = 0: boxes of 2 by 4, and 3 scores");
  // What is no number is last, wherever it comes from.
  const std::string boxes =
      "(x: f32[2], s: f32[1]) -> i64: lambda i: @unsuppressed_boxes(x[:, :], "
      "s[:], 9.0, 0.5, 0.0, 0.0, 0.0)[i]";
  const Tensor apart =
      f32({4, 4}, {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7});
  CHECK(result(boxes, {4}, {apart, f32({4}, {NAN, 1, NAN, 2})}) ==
        Numbers{3, 1, 0, 2});
}

TEST_CASE("errors name the operand and the place") {
  const Tensor x = f32({2, 3}, {0, 0, 0, 0, 0, 0});
  CHECK(message("(x: f32[2]) -> f32: lambda i, j: Sum(lambda k: x[i, j + k])",
                {2, 3, 2}, {x}) ==
        "x[0, 3] at i = 0, j = 2, k = 1 is out of range: the shape is [2, 3]");
  CHECK(message("(x: f32[2]) -> f32: lambda: x[2, 0]", {}, {x}) ==
        "x[2, 0] at the only element is out of range: the shape is [2, 3]");
  CHECK(message("(n: i64[1]) -> i64: lambda i: 7 // n[i]", {2},
                {i64({2}, {1, 0})}) == "integer division by zero at i = 1");
  CHECK(message("(n: i64[1], x: f32[2]) -> f32: lambda i: x[7 % n[i], 0]", {2},
                {i64({2}, {1, 0}), x}) == "integer division by zero at i = 1");
  // Where data leads out of an operand, its last element is read, if there is
  // one; what does not depend on data must lie within it all the same.
  CHECK(result("(n: i64[1]) -> i64: lambda i: n[n[i] * 4]", {3},
               {i64({3}, {0, 1, -1})}) == Numbers{0, -1, -1});
  CHECK(message("(n: i64[1], x: f32[2]) -> f32: lambda i: x[n[i], 3]", {2},
                {i64({2}, {5, 1}), x}) ==
        "x[5, 3] at i = 0 is out of range: the shape is [2, 3]");
  CHECK(message("(n: i64[1], x: f32[1]) -> f32: lambda i: x[n[i]]", {1},
                {i64({1}, {-1}), f32({0}, {})}) ==
        "x[-1] at i = 0 is out of range: the shape is [0]");
  CHECK(message("(x: f32[2]) -> f32: lambda i: x[i, 0]", {2, 2}, {x}) ==
        "the lambda has 1 index variables, got ranges for 2");
  CHECK(message("(x: f32[2]) -> f32: lambda i: x[i, 0]", {2}, {}) ==
        "the lambda has 1 operands, got 0");
  CHECK(message("(x: f32[1]) -> f32: lambda i: x[i]", {2}, {x}) ==
        "operand 'x' has rank 1, got shape [2, 3]");
  CHECK(message("(x: f16[2]) -> f16: lambda i: x[i, 0]", {2}, {x}) ==
        "operand 'x' has type f16, got f32[2, 3]");
  CHECK(message("() -> f32: lambda i, j: 1",
                {int64_t(1) << 40, int64_t(1) << 40}, {}) ==
        "a result of f32[1099511627776, 1099511627776] is too large");
}
