#include "dialects/tdl/analysis/InBounds.h"

#include "test/dialects/tdl/analysis/Lambdas.h"
#include "test/dialects/tdl/analysis/RandomExpr.h"

using namespace smex;
using namespace smex::analysis;
using Catch::Contains;

namespace {

std::string stray(const std::string &lambda,
                  const std::vector<int64_t> &extents, const Shapes &shapes) {
  const tdl::Lambda parsed = parse(lambda);
  std::vector<std::string> names;
  for (const tdl::Operand &operand : parsed.operands)
    names.push_back("\"" + operand.name + "\"");
  return strayRead(parsed, extents, shapes, names).value_or("");
}

/// Of one operand x, f32[n], and index variables below so many.
std::string of(const std::string &body, const std::vector<int64_t> &extents,
               int64_t n) {
  const char *const heads[] = {"lambda: ", "lambda i: ", "lambda i, j: "};
  return stray("(x: f32[1]) -> f32: " + std::string(heads[extents.size()]) +
                   body,
               extents, {{n}});
}

} // namespace

TEST_CASE("a read beyond its operand is found, with a place") {
  CHECK(of("x[i]", {8}, 8) == "");
  CHECK_THAT(of("x[i]", {9}, 8),
             Contains("reads x[i], where dimension 0 of \"x\" has 8 elements, "
                      "and the index i is 8 where i = 8: give the read an "
                      "\"else\""));
  CHECK_THAT(of("x[i + 4]", {8}, 8),
             Contains("the index i + 4 is 8 where i = 4"));
  CHECK_THAT(of("x[i + 1000000000]", {8}, 8),
             Contains("is 1000000000 where i = 0"));
  CHECK_THAT(of("x[i - 1]", {8}, 8), Contains("is -1 where i = 0"));
  // Numbers wrap around.
  CHECK(of("x[i * 4611686018427387904 * 4]", {8}, 8) == "");
  CHECK(of("x[i + 4] else 0", {8}, 8) == "");
  CHECK(of("x[i + 4] else 0", {int64_t(1) << 47}, 8) == "");
  CHECK_THAT(of("x[i]", {int64_t(1) << 47}, 8), Contains("is 8 where i = 8"));
  // Nothing is evaluated.
  CHECK(of("x[i + 4]", {0}, 8) == "");
  CHECK(of("x[i + 4]", {0}, 0) == "");
  CHECK_THAT(of("x[0]", {8}, 0), Contains("has 0 elements"));
  CHECK_THAT(of("x[3]", {}, 3), Contains("the index 3 is 3: give"));
}

TEST_CASE("what says where a read happens counts") {
  CHECK(of("x[i + 4] if i < 4 else 0.0", {8}, 8) == "");
  CHECK_THAT(of("x[i + 4] if i < 5 else 0.0", {8}, 8),
             Contains("is 8 where i = 4"));
  CHECK(of("0.0 if i >= 4 else x[i + 4]", {8}, 8) == "");
  CHECK(of("x[i - j] if j <= i else 0.0", {8, 8}, 8) == "");
  CHECK_THAT(of("x[i - j] if j <= i + 1 else 0.0", {8, 8}, 8),
             Contains("is -1"));
  CHECK(of("0.0 if i >= 8 or x[i] > 0.0 else 1.0", {9}, 8) == "");
  CHECK(of("1.0 if i < 8 and x[i] > 0.0 else 0.0", {9}, 8) == "");
  CHECK_THAT(of("1.0 if i < 9 and x[i] > 0.0 else 0.0", {9}, 8),
             Contains("is 8"));
  // What data says of a condition is not known.
  CHECK_THAT(of("x[i + 1] if x[i] > 0.0 else 0.0", {8}, 8), Contains("is 8"));
  CHECK(stray("(x: f32[1], y: f32[1]) -> f32: lambda i: x[i] else y[i - 4]",
              {8}, {{4}, {4}}) == "");
  CHECK_THAT(
      stray("(x: f32[1], y: f32[1]) -> f32: lambda i: x[i] else y[i - 4]", {8},
            {{4}, {3}}),
      Contains("y[i - 4]") && Contains("is 3 where i = 7"));
  const char *const guarded = "(x: f32[1]) -> f32: lambda i: Sum(lambda k: "
                              "x[i + k] where i + k < 8)";
  CHECK(stray(guarded, {8, 4}, {{8}}) == "");
  CHECK_THAT(stray(guarded, {8, 4}, {{7}}), Contains("is 7"));
}

TEST_CASE("dimensions that a concatenation leaves alone cost no time") {
  constexpr int parts = 40;
  std::string operands, body;
  for (int p = 0; p < parts; ++p) {
    const std::string n = std::to_string(p);
    operands += (p ? ", x" : "x") + n + ": f32[5]";
    body += (p ? " else (x" : "x") + n + "[i, j, k - " + n + ", m, n]";
  }
  const std::string lambda = "(" + operands +
                             ") -> f32: lambda i, j, k, m, n: " + body +
                             std::string(parts - 1, ')');
  const Shapes shapes(parts, {2, 64, 1, 64, 64});
  CHECK(stray(lambda, {2, 64, parts, 64, 64}, shapes) == "");
  CHECK_THAT(stray(lambda, {2, 64, parts + 1, 64, 64}, shapes),
             Contains("the index k - 39 is 1 where k = 40"));
}

TEST_CASE("indices that no interval is exact for") {
  CHECK(of("x[i*i % 9]", {int64_t(1) << 20}, 9) == "");
  // Squares are 0, 1, 4 or 7 modulo 9.
  CHECK(of("x[i*i % 9]", {500}, 8) == "");
  CHECK_THAT(of("x[i*i % 9]", {500}, 7), Contains("is 7 where i = 4"));
  CHECK(of("x[i*j]", {6, 5}, 21) == "");
  CHECK_THAT(of("x[i*j]", {6, 5}, 20), Contains("is 20 where i = 5, j = 4"));
  CHECK(of("x[i*j - i*j + i]", {6, 5}, 6) == "");
  CHECK(of("x[(i*6 + j) // 6]", {7, 6}, 7) == "");
  CHECK(of("x[(i*6 + j) // 2 % 3]", {7, 6}, 3) == "");
  CHECK(of("x[min(max(i - 3, 0), 4)]", {100}, 5) == "");
  CHECK(of("x[4 - abs(4 - i % 8)]", {100}, 5) == "");
  CHECK_THAT(of("x[4 - abs(4 - i % 9)]", {100}, 4), Contains("is 4"));
  // Too much for the time there is: so it says.
  CHECK_THAT(of("x[i*i*i % 1000003 * 7 % 999983]", {1000000}, 999982),
             Contains("cannot be shown"));
}

TEST_CASE("where data gives the index, there must be something to read") {
  const char *const gather =
      "(x: f32[1], at: i64[1]) -> f32: lambda i: x[at[i]]";
  CHECK(stray(gather, {8}, {{4}, {8}}) == "");
  CHECK_THAT(stray(gather, {8}, {{0}, {8}}), Contains("has 0 elements"));
  CHECK_THAT(stray(gather, {8}, {{4}, {7}}), Contains("reads at[i]"));
  CHECK(stray("(x: f32[2], at: i64[1]) -> f32: lambda i: x[i, at[i]]", {8},
              {{8, 4}, {8}}) == "");
  CHECK_THAT(stray("(x: f32[2], at: i64[1]) -> f32: lambda i: x[i + 1, at[i]]",
                   {8}, {{8, 4}, {8}}),
             Contains("dimension 0 of \"x\" has 8 elements"));
}

TEST_CASE("slices of opaque functions lie within their operand, too") {
  const char *const top = "(x: f32[2]) -> f32: lambda i, j: "
                          "@topk_values(x[i, :], 2, 1)[j]";
  CHECK(stray(top, {4, 2}, {{4, 8}}) == "");
  CHECK_THAT(stray(top, {5, 2}, {{4, 8}}), Contains("is 4 where i"));
}

TEST_CASE("opaque functions have a value, and the results that are asked for") {
  const char *const top = "(x: f32[2]) -> f32: lambda i, j: "
                          "@topk_values(x[i, :], 3, 1)[j]";
  CHECK(stray(top, {4, 3}, {{4, 3}}) == "");
  CHECK_THAT(stray(top, {4, 3}, {{4, 2}}),
             Contains("calls @topk_values: k is 3") &&
                 Contains("of 2 elements, in the lambda"));
  CHECK_THAT(stray(top, {4, 4}, {{4, 8}}),
             Contains("has 3 results, and number 3 is asked for"));
  CHECK(stray(top, {0, 4}, {{0, 2}}) == ""); // nothing is evaluated
  const char *const last = "(x: f32[2]) -> i64: lambda i: "
                           "@topk_indices(x[i, :], 3, 1)[3]";
  CHECK_THAT(stray(last, {4}, {{4, 8}}), Contains("number 3 is asked for"));
  const char *const det = "(x: f32[2]) -> f32: lambda: @det(x[:, :])[]";
  CHECK(stray(det, {}, {{3, 3}}) == "");
  CHECK_THAT(stray(det, {}, {{3, 2}}),
             Contains("a matrix of 3 by 2 is not square"));
  const char *const boxes =
      "(x: f32[2], s: f32[1]) -> i64: lambda i: @unsuppressed_boxes(x[:, :], "
      "s[:], 1.0, 0.5, 0.0, 0.0, 0.0)[i]";
  CHECK(stray(boxes, {6}, {{6, 4}, {6}}) == "");
  CHECK_THAT(stray(boxes, {6}, {{6, 5}, {6}}),
             Contains("boxes of 6 by 5, and 6 scores"));
}

TEST_CASE("a divisor in an index is not 0") {
  CHECK(of("x[j // (i + 1)]", {8, 8}, 8) == "");
  CHECK_THAT(of("x[j // i]", {8, 8}, 8),
             Contains("divides by i") && Contains("where i = 0"));
  CHECK_THAT(of("x[j % (i - 3)] else 0", {8, 8}, 8), Contains("where i = 3"));
  CHECK(of("x[j // i] if i > 0 else 0.0", {8, 8}, 8) == "");
  const char *const data = "(x: f32[1], d: i64[0]) -> f32: lambda i: x[i // ";
  CHECK_THAT(stray(std::string(data) + "d[]]", {8}, {{8}, {}}),
             Contains("divides by d[], which may be 0"));
  CHECK(stray(std::string(data) + "max(d[], 1)]", {8}, {{8}, {}}) == "");
  // In a value, division by 0 has a result.
  CHECK(stray("(d: i64[1]) -> i64: lambda i: i // d[i]", {8}, {{8}}) == "");
}

TEST_CASE(
    "of random lambdas exactly those are refused that enumeration finds") {
  const Shapes shapes = {{5, 7}, {9}};
  int found = 0, sound = 0;
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    RandomExpr random(seed, 3);
    tdl::Lambda lambda;
    lambda.operands = {{"x", DType::I64, 2}, {"y", DType::I64, 1}};
    lambda.result = DType::I64;
    lambda.outputs = {"i", "j"};
    lambda.reductions = {"k"};
    lambda.reducer = tdl::Reducer::Sum;
    const int depth = int(random.number(0, 2));
    // Many are within their operand.
    const auto index = [&](int64_t extent) {
      const tdl::ExprRef e = random.index(depth);
      return random.number(0, 1)
                 ? tdl::binary(tdl::BinaryOp::Mod, e,
                               tdl::constant(extent + random.number(-1, 1)))
                 : e;
    };
    const auto x = [&](tdl::ExprRef otherwise) {
      std::vector<tdl::ExprRef> at = {index(5)};
      at.push_back(index(7));
      return tdl::read(0, DType::I64, at, otherwise);
    };
    const auto y = [&](tdl::ExprRef otherwise) {
      return tdl::read(1, DType::I64, {index(9)}, otherwise);
    };
    switch (random.number(0, 3)) {
    case 0:
      lambda.body = y(nullptr);
      break;
    case 1:
      lambda.body = tdl::select(random.condition(2), x(nullptr), y(nullptr));
      break;
    case 2:
      lambda.body = y(x(nullptr));
      break;
    default:
      lambda.body =
          tdl::select(random.condition(1), x(tdl::constant(0)), y(nullptr));
    }
    if (random.number(0, 1))
      lambda.guard = random.condition(2);
    REQUIRE(tdl::verify(lambda));
    std::vector<int64_t> extents;
    for (int v = 0; v < 3; ++v)
      extents.push_back(random.number(v ? 1 : 0, 6));
    bool expected = false;
    const Enumerator values{shapes, [](int, const std::vector<int64_t> &) {},
                            [&] { expected = true; }};
    forEachPoint(wholeBox(extents), [&](const std::vector<int64_t> &at) {
      if (!lambda.guard || values.value(lambda.guard, at))
        values.value(lambda.body, at);
    });
    const auto said = strayRead(lambda, extents, shapes, {"x", "y"});
    if (bool(said) != expected)
      FAIL("seed " << seed << ": " << toString(lambda) << ": "
                   << said.value_or("nothing found"));
    ++(expected ? found : sound);
  }
  CHECK(found > 1000);
  CHECK(sound > 1000);
}
