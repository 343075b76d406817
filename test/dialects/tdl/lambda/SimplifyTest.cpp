// What is known from extents: each rule by example, and all of them at random
// against the values themselves.
#include "dialects/tdl/lambda/Simplify.h"
#include "dialects/tdl/lambda/Arithmetic.h"
#include "test/dialects/tdl/lambda/RandomLambda.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::tdl;

namespace {

const std::vector<Interval> ranges = {{0, 4}, {0, 3}, {0, 2}, {2, 9}};

/// The value of index arithmetic at a point.
int64_t valueAt(const ExprRef &e, const std::vector<int64_t> &point) {
  const ExprRef value = transform(e, [&](const ExprRef &node) {
    return node->kind == ExprKind::Index ? constant(point[size_t(node->index)])
                                         : nullptr;
  });
  if (!isConstant(value))
    FAIL("index arithmetic that does not fold");
  return value->integer;
}

template <typename F> void forEachPoint(F &&visit) {
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 3; ++j)
      for (int64_t k = 0; k < 2; ++k)
        for (int64_t l = 2; l < 9; ++l)
          visit(std::vector<int64_t>{i, j, k, l});
}

/// Over i < 4, j < 3, k < 2, 2 <= l < 9.
std::string simplified(const std::string &text) {
  const std::string type =
      text.find_first_of("<=>") == std::string::npos ? "i64" : "bool";
  const auto lambda =
      parseLambda("() -> " + type + ": lambda i, j, k, l: " + text);
  if (!lambda)
    return lambda.error().message;
  return toString(simplify(lambda->body, ranges), *lambda);
}

} // namespace

TEST_CASE("numbers are split as they were joined") {
  CHECK(simplified("(i * 3 + j) // 3") == "i");
  CHECK(simplified("(i * 3 + j) % 3") == "j");
  CHECK(simplified("(i * 6 + j * 2 + k) // 2 % 3") == "j");
  CHECK(simplified("(i * 6 + j * 2 + k) // 2") == "i * 3 + j");
  CHECK(simplified("(i * 6 + j * 2 + k) % 6") == "j * 2 + k");
  CHECK(simplified("(i * 6 + j * 2 + k) // 12") == "i // 2");
  CHECK(simplified("(i * 8 + j * 2) // 4") == "i * 2 + j // 2");
  CHECK(simplified("(i * 6 + j * 3) // 9") == "(i * 2 + j) // 3");
  CHECK(simplified("l // 2 // 3") == "l // 6");
  CHECK(simplified("l % 6 % 3") == "l % 3");
  CHECK(simplified("l // 4 * 4 + l % 4") == "l");
  CHECK(simplified("i * 2 + (l // 4 * 8 + l % 4 * 2)") == "i * 2 + l * 2");
}

TEST_CASE("what is certain is decided") {
  CHECK(simplified("i // 4") == "0");
  CHECK(simplified("l // 10") == "0");
  CHECK(simplified("(l + 8) // 10") == "1");
  CHECK(simplified("(l + 7) // 10") == "(l + 7) // 10");
  CHECK(simplified("(i + 8) // 4") == "2");
  CHECK(simplified("(i - 4) // 4") == "-1");
  CHECK(simplified("i % 4") == "i");
  CHECK(simplified("i % 3") == "i % 3");
  CHECK(simplified("i < 4") == "true");
  CHECK(simplified("i >= 4") == "false");
  CHECK(simplified("i < l") == "i < l");
  CHECK(simplified("j == l + 1") == "false");
  CHECK(simplified("k != l") == "true");
  CHECK(simplified("k <= l") == "true");
  CHECK(simplified("max(i, 0) + min(l, 8)") == "i + l");
  CHECK(simplified("min(max(i - 1, 0), 2)") == "max(i - 1, 0)");
}

TEST_CASE("what an index never is, is not chosen") {
  const auto chosen = [](const std::string &text) {
    const auto lambda = parseLambda(
        "(x: i64[1], c: bool[1]) -> bool: lambda i, j, k, l: " + text);
    REQUIRE(lambda);
    return toString(simplify(lambda->body, ranges), *lambda);
  };
  CHECK(chosen("(x[j] if c[j] else -1) == i") == "c[j] and x[j] == i");
  CHECK(chosen("i == (x[j] if c[j] else 4)") == "c[j] and i == x[j]");
  CHECK(chosen("(-1 if c[j] else x[j]) == i") == "not c[j] and x[j] == i");
  CHECK(chosen("(x[j] if c[j] else 3) == i") == "(x[j] if c[j] else 3) == i");
  CHECK(chosen("((x[j] if c[j] else -1) if c[k] else -2) == i") ==
        "c[k] and (c[j] and x[j] == i)");
  CHECK(chosen("(k if c[j] else 9) == l") == "false");
  CHECK(chosen("(x[j] if c[j] else -1) != i") == "not c[j] or x[j] != i");
  CHECK(chosen("(x[j] if c[j] else -1) >= 0") == "c[j] and x[j] >= 0");
  CHECK(chosen("(x[j] if c[j] else -1) < 9") == "not c[j] or x[j] < 9");
  CHECK(chosen("(9 if c[j] else x[j]) < l + 1") == "not c[j] and x[j] < l + 1");
  CHECK(chosen("(x[j] if c[j] else 3) >= l") == "(x[j] if c[j] else 3) >= l");
}

TEST_CASE("ranges of index arithmetic") {
  const auto rangeText = [](const std::string &text) {
    const auto lambda =
        parseLambda("(x: i8[1], n: i64[1]) -> i64: lambda i, j, k, l: " + text);
    REQUIRE(lambda);
    const auto range = rangeOf(lambda->body, ranges);
    return range ? std::to_string(range->lo) + ".." + std::to_string(range->hi)
                 : "unknown";
  };
  CHECK(rangeText("i * 2 - j") == "-2..6");
  CHECK(rangeText("-i") == "-3..0");
  CHECK(rangeText("i * l") == "0..24");
  CHECK(rangeText("(i - 5) // 2") == "-3..-1");
  CHECK(rangeText("(i - 5) % 3") == "0..2");
  CHECK(rangeText("i64(x[0])") == "-128..127");
  CHECK(rangeText("n[0]") == "unknown");
  CHECK(rangeText("n[0] % 7") == "0..6");
  CHECK(rangeText("i if k == 0 else 10") == "0..10");
  CHECK(rangeText("extent(x, 0)") == "0..9223372036854775807");
  CHECK(rangeText("extent(x, 0) + 1") == "unknown");
  CHECK(rangeText("i * 4611686018427387904") == "unknown");
}

TEST_CASE("simplified index arithmetic has the same values") {
  RandomLambda draw(3);
  for (int n = 0; n < 3000; ++n) {
    const ExprRef e = draw.index(4, 1 + n % 6);
    const ExprRef simple = simplify(e, ranges);
    Lambda scope;
    scope.outputs = {"i", "j", "k", "l"};
    INFO(toString(e, scope) << "  became  " << toString(simple, scope));
    const auto range = rangeOf(e, ranges);
    forEachPoint([&](const std::vector<int64_t> &point) {
      const int64_t value = valueAt(e, point);
      if (valueAt(simple, point) != value)
        FAIL("at " << point[0] << " " << point[1] << " " << point[2] << " "
                   << point[3]);
      if (range && (value < range->lo || value > range->hi))
        FAIL(value << " is not in " << range->lo << ".." << range->hi);
    });
  }
}
