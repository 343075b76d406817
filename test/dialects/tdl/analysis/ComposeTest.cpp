#include "dialects/tdl/analysis/Compose.h"

#include "dialects/tdl/lambda/Interpreter.h"
#include "test/dialects/tdl/analysis/Lambdas.h"
#include "test/dialects/tdl/analysis/ProveStrategy.h"

using namespace smex;
using namespace smex::analysis;

namespace {

struct Case {
  std::string consumer;
  std::vector<int64_t> extents;
  int operand;
  std::string producer;
  std::vector<int64_t> producerExtents;
};

std::string composed(const Case &c, const std::vector<int> &same = {}) {
  const auto result = compose({parse(c.consumer), c.extents}, c.operand,
                              {parse(c.producer), c.producerExtents}, same);
  return result ? toString(result->lambda) : "none";
}

const char *const kExp = "(x: f32[2]) -> f32: lambda i, j: exp(x[i, j])";

} // namespace

TEST_CASE("chains of element-wise operators") {
  CHECK(composed({"(a: f32[2], y: f32[2], b: f32[1]) -> f32: lambda i, j: "
                  "a[i, j] * y[i, j] + b[j]",
                  {3, 4},
                  1,
                  "(p: f32[2], q: f32[0]) -> f32: lambda i, j: "
                  "max(p[i, j], q[])",
                  {3, 4}}) ==
        "(x0: f32[2], x1: f32[2], x2: f32[0], x3: f32[1]) -> f32: "
        "lambda i0, i1: x0[i0, i1] * max(x1[i0, i1], x2[]) + x3[i1]");
}

TEST_CASE("a map into a reduction and its guard") {
  CHECK(composed({"(y: f32[2]) -> f32: lambda i: Sum(lambda k: y[i, k] where "
                  "y[k, i] > 0)",
                  {3, 3},
                  0,
                  kExp,
                  {3, 3}}) ==
        "(x0: f32[2]) -> f32: lambda i0: "
        "Sum(lambda r0: exp(x0[i0, r0]) where exp(x0[r0, i0]) > 0)");
}

TEST_CASE("indices are substituted all at once") {
  // i becomes j and j becomes 0: not i becomes 0.
  CHECK(composed({"(y: f32[2]) -> f32: lambda i, j: y[j, 0]",
                  {3, 4},
                  0,
                  "(x: f32[1]) -> f32: lambda i, j: x[i + j]",
                  {4, 1}}) == "(x0: f32[1]) -> f32: lambda i0, i1: x0[i1]");
  CHECK(composed({"(y: f32[2], a: f32[2]) -> f32: lambda i, j: "
                  "y[j, i] * 1 + a[i, j]",
                  {3, 4},
                  0,
                  "(q: f32[2], x: f32[2]) -> f32: lambda i, j: "
                  "x[j, i] * q[i, j]",
                  {4, 3}}) ==
        "(x0: f32[2], x1: f32[2], x2: f32[2]) -> f32: lambda i0, i1: "
        "x1[i0, i1] * x0[i1, i0] + x2[i0, i1]");
}

TEST_CASE("through data: message passing becomes one lambda") {
  CHECK(composed({"(key: i64[1], m: f32[2]) -> f32: lambda v, f: "
                  "Sum(lambda e: m[e, f] where key[e] == v)",
                  {5, 3, 9},
                  1,
                  "(x: f32[2], src: i64[1], w: f32[1]) -> f32: "
                  "lambda e, f: x[src[e], f] * w[e]",
                  {9, 3}}) ==
        "(x0: i64[1], x1: f32[2], x2: i64[1], x3: f32[1]) -> f32: "
        "lambda i0, i1: Sum(lambda r0: x1[x2[r0], i1] * x3[r0] where "
        "x0[r0] == i0)");
}

TEST_CASE("the same tensor becomes one operand") {
  CHECK(composed({"(x: f32[2], y: f32[2]) -> f32: lambda i, j: "
                  "x[i, j] * y[i, j]",
                  {3, 4},
                  1,
                  kExp,
                  {3, 4}},
                 {0}) ==
        "(x0: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] * exp(x0[i0, i1])");
  const std::vector<int64_t> extents = {3, 4};
  const auto result =
      compose({parse("(x: f32[2], y: f32[2], z: f32[2]) -> f32: lambda i, j: "
                     "x[i, j] * y[i, j] + z[i, j]"),
               extents},
              1,
              {parse("(p: f32[2], q: f32[2]) -> f32: lambda i, j: "
                     "p[i, j] - q[i, j]"),
               extents},
              {2, -1});
  REQUIRE(result);
  CHECK(toString(result->lambda) ==
        "(x0: f32[2], x1: f32[2], x2: f32[2]) -> f32: lambda i0, i1: "
        "x0[i0, i1] * (x2[i0, i1] - x1[i0, i1]) + x2[i0, i1]");
  REQUIRE(result->operands.size() == 3);
  CHECK_FALSE(result->operands[0].producer);
  CHECK(result->operands[1].producer);
  CHECK(result->operands[1].operand == 1);
  CHECK(result->operands[2].operand == 2);
}

TEST_CASE("extents of the result that is gone are numbers") {
  CHECK(composed({"(y: f32[2]) -> f32: lambda i, j: "
                  "y[extent(y, 0) - 1 - i, j]",
                  {3, 4},
                  0,
                  kExp,
                  {3, 4}}) ==
        "(x0: f32[2]) -> f32: lambda i0, i1: exp(x0[2 - i0, i1])");
}

TEST_CASE("a reshape of a reshape back is nothing") {
  CHECK(composed({"(y: f32[1]) -> f32: lambda i, j: y[i * 4 + j]",
                  {6, 4},
                  0,
                  "(x: f32[2]) -> f32: lambda i: x[i // 4, i % 4]",
                  {24}}) == "(x0: f32[2]) -> f32: lambda i0, i1: x0[i0, i1]");
}

TEST_CASE("a read that may be out of range is not composed") {
  const char *const pad =
      "(y: f32[2]) -> f32: lambda i, j: (y[i - 1, j] else 0)";
  CHECK(composed({pad, {5, 4}, 0, kExp, {3, 4}}) == "none");
  // Here it is in range throughout.
  const char *const inside =
      "(y: f32[2]) -> f32: lambda i, j: (y[i + 1, j // 2] else 0)";
  CHECK(composed({inside, {2, 8}, 0, kExp, {3, 4}}) ==
        "(x0: f32[2]) -> f32: lambda i0, i1: exp(x0[i0 + 1, i1 // 2])");
  CHECK(composed({inside, {3, 8}, 0, kExp, {3, 4}}) == "none");
  CHECK(composed({inside, {2, 9}, 0, kExp, {3, 4}}) == "none");
  // The producer's own `else` stays.
  CHECK(composed({"(y: f32[1]) -> f32: lambda i: y[i] * 2",
                  {5},
                  0,
                  "(x: f32[1]) -> f32: lambda i: (x[i - 1] else 7)",
                  {5}}) ==
        "(x0: f32[1]) -> f32: lambda i0: (x0[i0 - 1] else 7) * 2");
}

TEST_CASE("what cannot be composed") {
  const char *const sum =
      "(x: f32[2]) -> f32: lambda i: Sum(lambda k: x[i, k])";
  CHECK(composed(
            {"(y: f32[1]) -> f32: lambda i: y[i] + 1", {3}, 0, sum, {3, 4}}) ==
        "none");
  CHECK(composed({"(y: f32[2], z: f32[1]) -> f32: lambda i: z[i]",
                  {3},
                  0,
                  kExp,
                  {3, 4}}) == "none");
  CHECK(composed({"(y: f32[2]) -> f32: lambda i, j: "
                  "@topk_values(y[i, :], 2, 1)[j]",
                  {3, 2},
                  0,
                  kExp,
                  {3, 4}}) == "none");
  // Doubles 40 times over: too large.
  std::string text = "y[i]";
  for (int n = 0; n < 12; ++n)
    text = "(" + text + " + " + text + ")";
  std::string body = "x[i]";
  for (int n = 0; n < 10; ++n)
    body = "(" + body + " * " + body + ")";
  CHECK(composed({"(y: f32[1]) -> f32: lambda i: " + text,
                  {3},
                  0,
                  "(x: f32[1]) -> f32: lambda i: " + body,
                  {3}}) == "none");
}

TEST_CASE("a read with `else` of the first elements of a tensor") {
  const std::string cut = "(x: f32[2]) -> f32: lambda i, j: x[i, j]";
  const Case c = {"(y: f32[2], at: i64[1]) -> f32: lambda i: "
                  "(y[i, at[i]] else 7) + y[i, 0]",
                  {3},
                  0,
                  cut,
                  {3, 4}};
  // x may have more than 4 columns; no row is asked for that there is.
  CHECK(composed(c) == "(x0: f32[2], x1: i64[1]) -> f32: lambda i0: "
                       "((x0[i0, x1[i0]] else 7) if x1[i0] < 4 else 7) + "
                       "x0[i0, 0]");
  const tdl::Lambda producer = parse(cut), consumer = parse(c.consumer);
  const auto together =
      compose({consumer, c.extents}, 0, {producer, c.producerExtents});
  REQUIRE(together);
  std::mt19937_64 random(6);
  const Tensor x = drawIntegers(random, {DType::F32, {4, 6}});
  for (const auto &places :
       std::vector<std::vector<int64_t>>{{0, 3, 4}, {5, 6, -1}, {2, -9, 100}}) {
    Tensor at = makeTensor({DType::I64, {3}});
    std::copy(places.begin(), places.end(), at.data<int64_t>());
    auto y = tdl::interpret(producer, c.producerExtents, {&x});
    REQUIRE(y);
    auto expected = tdl::interpret(consumer, c.extents, {&*y, &at});
    auto result = tdl::interpret(together->lambda, c.extents, {&x, &at});
    REQUIRE(expected);
    REQUIRE(result);
    CHECK(result->bytes == expected->bytes);
  }
}

TEST_CASE("the composition's values are those of the two in turn") {
  const tdl::Lambda producer = parse(
      "(x: f32[2], b: f32[1]) -> f32: lambda i, j: max(x[j, i], 0) * b[i]");
  const tdl::Lambda consumer =
      parse("(y: f32[2], w: f32[1]) -> f32: lambda i: "
            "Sum(lambda k: y[k + 1, i] * y[k, i] - w[k])");
  const std::vector<int64_t> inner = {5, 4}, outer = {4, 4};
  std::mt19937_64 random(5);
  const Tensor x = drawIntegers(random, {DType::F32, {4, 5}});
  const Tensor b = drawIntegers(random, {DType::F32, {5}});
  const Tensor w = drawIntegers(random, {DType::F32, {4}});
  const auto together = compose({consumer, outer}, 0, {producer, inner});
  REQUIRE(together);
  auto y = tdl::interpret(producer, inner, {&x, &b});
  REQUIRE(y);
  auto expected = tdl::interpret(consumer, outer, {&*y, &w});
  auto result = tdl::interpret(together->lambda, outer, {&x, &b, &w});
  REQUIRE(expected);
  REQUIRE(result);
  CHECK(result->bytes == expected->bytes);
}

TEST_CASE("fusing without loss") {
  const auto ok = [](const std::string &consumer, const std::string &producer) {
    return fusable(parse(consumer), 0, parse(producer));
  };
  const std::string transposed = "(y: f32[2]) -> f32: lambda i, j: y[j, i] + 1";
  const std::string row =
      "(y: f32[2]) -> f32: lambda i: Sum(lambda k: y[i, k])";
  const std::string product = "(y: f32[2], b: f32[2]) -> f32: lambda i, j: "
                              "Sum(lambda k: y[i, k] * b[k, j])";
  const std::string twice =
      "(y: f32[2]) -> f32: lambda i, j: y[i, j] * y[i, j]";
  const std::string shifted =
      "(y: f32[2]) -> f32: lambda i, j: y[i, j] * y[i + 1, j]";
  const std::string copy = "(x: f32[3]) -> f32: lambda i, j: x[j, 0, i // 2]";
  const std::string mean =
      "(x: f32[2], m: f32[1]) -> f32: lambda i, j: x[i, j] - m[i]";
  CHECK(ok(transposed, kExp));
  CHECK(ok(row, kExp));
  CHECK(ok(twice, kExp));
  CHECK_FALSE(ok(product, kExp)); // each exp would be computed once per column
  CHECK_FALSE(ok(shifted, kExp));
  CHECK(ok(product, copy));
  CHECK_FALSE(ok(product, mean));
  CHECK_FALSE(ok(transposed, product));
  // A message and its sum at the edge's destination: each is computed once. If
  // every node looked at every message, or at those of two keys, it would not.
  const std::string message =
      "(x: f32[2], src: i64[1]) -> f32: lambda e, f: exp(x[src[e], f])";
  const std::string head = "(y: f32[2], dst: i64[1]) -> f32: lambda v, f: ";
  CHECK(ok(head + "Sum(lambda e: y[e, f] where dst[e] == v)", message));
  CHECK(ok(head + "Max(lambda e: y[e, f] where dst[e] - v == 0 and e < 5)",
           message));
  CHECK_FALSE(ok(head + "Sum(lambda e: y[e, f] where dst[e] < v)", message));
  CHECK_FALSE(ok(head + "Sum(lambda e: y[e, f] where dst[v] == v)", message));
}
