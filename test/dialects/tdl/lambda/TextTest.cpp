// Lambdas as text: what is printed is read back, and what is wrong is said.
#include "dialects/tdl/lambda/Lambda.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::tdl;

namespace {

std::string roundTrip(const std::string &text) {
  const auto lambda = parseLambda(text);
  if (!lambda)
    return lambda.error().message;
  const std::string printed = toString(*lambda);
  const auto again = parseLambda(printed);
  if (!again)
    return printed + " is not read back: " + again.error().message;
  CHECK(toString(*again) == printed);
  CHECK(equal(lambda->body, again->body));
  return printed;
}

std::string message(const std::string &text) {
  const auto lambda = parseLambda(text);
  return lambda ? "no error" : lambda.error().message;
}

} // namespace

TEST_CASE("lambdas are printed as they are written") {
  const std::string text = GENERATE(
      as<std::string>(),
      "(x: f32[2], b: f32[1]) -> f32: lambda i, j: x[i, j] + b[j]",
      "(a: f32[2], b: f32[2]) -> f32: lambda i, j: Sum(lambda k: a[i, k] * "
      "b[k, j])",
      "() -> f32: lambda i: 0.5", "() -> i64: lambda: 3",
      "() -> bool: lambda i, j: i == j", "(x: f32[0]) -> f32: lambda: x[]",
      "(x: f32[1]) -> f32: lambda: Max(lambda k: x[k])",
      "(x: f32[1]) -> f32: lambda i: (x[i - 1] else 0)",
      "(x: f32[1]) -> f32: lambda i: (x[i * 2 - 1] else -inf) * 2",
      "(x: f32[2], src: i64[1]) -> f32: lambda e, f: x[src[e], f]",
      "(x: f32[2], k: i32[1]) -> f32: lambda i, f: Sum(lambda e: x[e, f] where "
      "i64(k[e]) == i)",
      "(x: f32[1], r: i64[1]) -> f32: lambda v: Sum(lambda e: x[e] where r[v] "
      "<= e and e < r[v + 1])",
      "(x: bool[1]) -> bool: lambda i: not x[i] or i < 3 and x[i + 1]",
      "(x: bool[1]) -> bool: lambda i: (x[i] or i < 3) and xor(x[i], true)",
      "(x: f32[1]) -> f32: lambda i: x[i] if x[i] > 0 else exp(x[i]) - 1",
      "(x: f32[1], c: bool[1]) -> f32: lambda i: (x[i] if c[i] else 0) + 1",
      "(x: f32[1], c: bool[1]) -> f32: lambda i: 1 if c[i] else 0 if c[i + 1] "
      "else 2",
      "(x: i32[1]) -> i32: lambda i: bitand(x[i], 255) + shl(1, x[i]) - "
      "bitnot(x[i])",
      "(x: f32[1]) -> f32: lambda i: -x[i] ** 2 + (-x[i]) ** 2 + 2 ** -x[i] ** "
      "3",
      "(x: f32[1]) -> f32: lambda i: x[i] - (x[i] - x[i]) - x[i] / (x[i] * 2)",
      "(x: f32[1]) -> f32: lambda i: x[i] // 2 + x[i] % 3 + fmod(x[i], 4)",
      "(x: f32[1]) -> f32: lambda i: min(x[i], max(x[i], 1e-05)) * atan2(x[i], "
      "-0.0)",
      "(x: f32[2]) -> f32: lambda i: x[i, extent(x, 1) - 1]",
      "(x: f16[1]) -> f32: lambda i: f32(x[i]) * f32(i)",
      "(x: u64[1]) -> u64: lambda i: max(x[i], u64(-1))",
      "(x: i64[1]) -> i64: lambda i: max(x[i], -9223372036854775807 - 1)",
      "(x: f32[2]) -> f32: lambda i, j: @topk_values(x[i, :], 3, 1)[j]",
      "(x: f32[3]) -> i64: lambda i, j, k: @topk_indices(x[i, :, k], 3, 0)[j]",
      "(x: f64[2]) -> f64: lambda: @det(x[:, :])[]",
      "(x: f32[1]) -> f32: lambda i: erf(abs(x[i])) + floor(x[i]) + nan",
      "(x: f32[1]) -> bool: lambda i: isnan(x[i]) == isinf(x[i])",
      "() -> f64: lambda: 1e+300", "() -> f64: lambda: 5e-324",
      "() -> f64: lambda: 0.1", "() -> f32: lambda: 0.1",
      "() -> f32: lambda: 1.2345679e+20",
      "(x: i8[1]) -> f32: lambda i: exp(f32(2) if x[i] == 1 else 1.5)",
      "(x: i8[1]) -> bool: lambda i: (i8(1) if i < 2 else i8(3)) == i8(3)");
  CHECK(roundTrip(text) == text);
}

TEST_CASE("other ways to write the same") {
  CHECK(roundTrip("(x : f32 [1])->f32:lambda i:x[1+i]# comment\n") ==
        "(x: f32[1]) -> f32: lambda i: x[i + 1]");
  CHECK(roundTrip("() -> i64: lambda i: 2 * i + 1 + 3 * (i - 2)") ==
        "() -> i64: lambda i: i * 5 - 5");
  CHECK(roundTrip("(x: f32[1]) -> f32: lambda i: x[i] else 0 * 2") ==
        "(x: f32[1]) -> f32: lambda i: (x[i] else 0) * 2");
  CHECK(roundTrip("(x: f32[1]) -> f32: lambda i: x[i] else -x[0] else 1") ==
        "(x: f32[1]) -> f32: lambda i: (x[i] else -(x[0] else 1))");
  CHECK(
      roundTrip(
          "(x: f32[1], c: bool[1]) -> f32: lambda i: x[i] if c[i] else x[0]") ==
      "(x: f32[1], c: bool[1]) -> f32: lambda i: x[i] if c[i] else x[0]");
  CHECK(roundTrip("(x: f32[1], c: bool[1]) -> f32: lambda i: x[i] if (c[i] "
                  "else false) else x[0]") ==
        "(x: f32[1], c: bool[1]) -> f32: lambda i: x[i] if (c[i] else false) "
        "else x[0]");
  CHECK(roundTrip("(x: f32[1]) -> f32: lambda i: x[i] * (1 + 2) ** 2 / 8") ==
        "(x: f32[1]) -> f32: lambda i: x[i] * 9 / 8");
  CHECK(roundTrip("(x: f32[1]) -> f32: lambda i: x[i] * (1 / 2)") ==
        "(x: f32[1]) -> f32: lambda i: x[i] * 0.5");
  CHECK(roundTrip(
            "(x: f32[1]) -> f32: lambda i: x[i] * (1 / 2 if i < 1 else 2)") ==
        "(x: f32[1]) -> f32: lambda i: x[i] * (0.5 if i < 1 else 2)");
  CHECK(roundTrip("(x: i8[1]) -> i8: lambda i: x[i8(1)] + 2.0") ==
        "(x: i8[1]) -> i8: lambda i: x[1] + 2");
  CHECK(roundTrip("(x: f32[1]) -> f32: lambda i: x[x_]") ==
        "lambda:1:33: there is no index variable 'x_'");
}

TEST_CASE("canonical names") {
  const auto lambda = parseLambda("(data: f32[2], w: f32[2]) -> f32: lambda n, "
                                  "m: Sum(lambda c, d: data[n, c] * w[c, m])");
  REQUIRE(lambda);
  CHECK(toString(canonicalize(*lambda)) ==
        "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: "
        "Sum(lambda r0, r1: x0[i0, r0] * x1[r0, i1])");
}

TEST_CASE("syntax errors say where and what") {
  CHECK(message("") == "lambda:1:1: expected '(', got the end");
  CHECK(message("(x") == "lambda:1:3: expected ':', got the end");
  CHECK(message("(x: f33[1])") == "lambda:1:5: expected a type, got 'f33'");
  CHECK(message("(x: f32[])") == "lambda:1:9: expected a rank, got ']'");
  CHECK(message("(x: f32[1000000])") == "lambda:1:9: the rank is too large");
  CHECK(message("(x: f32[1]") ==
        "lambda:1:11: expected ',' or ')', got the end");
  CHECK(message("(lambda: f32[1])") ==
        "lambda:1:2: 'lambda' can't be the name of an operand");
  CHECK(message("(_: f32[1])") ==
        "lambda:1:2: '_' can't be the name of an operand");
  CHECK(message("(3: f32[1])") == "lambda:1:2: expected an operand, got '3'");
  CHECK(message("(x: f32[1], x: f32[1]) -> f32: lambda: 1") ==
        "lambda:1:13: the name 'x' is given twice");
  CHECK(message("() f32: lambda: 1") == "lambda:1:4: expected '->', got 'f32'");
  CHECK(message("() -> f32: 1") == "lambda:1:12: expected 'lambda', got '1'");
  CHECK(message("() -> f32: lambda i, i: 1") ==
        "lambda:1:22: the name 'i' is given twice");
  CHECK(message("() -> f32: lambda i j: 1") ==
        "lambda:1:21: expected '<', ',' or ':', got 'j'");
  CHECK(message("() -> f32: lambda i... < 3: 1") ==
        "lambda:1:19: packs and extents belong in templates");
  CHECK(message("() -> f32: lambda i < 3: 1") ==
        "lambda:1:19: packs and extents belong in templates");
  CHECK(message("() -> f32: lambda: 1 1") ==
        "lambda:1:22: expected the end, got '1'");
  CHECK(message("() -> f32: lambda: (1") ==
        "lambda:1:22: expected ')', got the end");
  CHECK(message("() -> f32: lambda: min(1, 2") ==
        "lambda:1:28: expected ',' or ')', got the end");
  CHECK(message("(x: f32[1]) -> f32: lambda: x[0") ==
        "lambda:1:32: expected ',' or ']', got the end");
  CHECK(message("() -> f32: lambda: if") ==
        "lambda:1:20: expected a value, got 'if'");
  CHECK(message("() -> f32: lambda: 1 if true") ==
        "lambda:1:29: expected 'else', got the end");
  CHECK(message("() -> bool: lambda: 1 < 2 < 3") ==
        "lambda:1:27: comparisons don't chain: write a < b and b < c");
  CHECK(message("() -> f32: lambda: Sum(1)") ==
        "lambda:1:24: expected 'lambda', got '1'");
  CHECK(message("() -> f32: lambda: Sum(lambda: 1)") ==
        "lambda:1:20: a reduction needs an index variable");
  CHECK(message("() -> f32: lambda: @3()") ==
        "lambda:1:21: expected an opaque function, got '3'");
  CHECK(message("(x: f32[1]) -> f32: lambda: @det(x[:])") ==
        "lambda:1:39: expected '[', got the end");
  CHECK(message("() -> f32: lambda: 1 $ 2") ==
        "lambda:1:22: unexpected character '$'");
  CHECK(message("() -> f32: lambda: \x01") == "lambda:1:20: unexpected byte 1");
  CHECK(message("() -> f32: lambda: \xff") ==
        "lambda:1:20: unexpected byte 255");
  CHECK(message("() -> f32: lambda: 12ab") ==
        "lambda:1:20: expected a number, got 12a");
  CHECK(message("() -> f32:\n lambda: 99999999999999999999") ==
        "lambda:2:10: number 99999999999999999999 is out of range");
  CHECK(message("() -> f32: lambda: 1e999") ==
        "lambda:1:20: number 1e999 is out of range");
  CHECK(message("() -> f32: lambda: \"abc") ==
        "lambda:1:20: the string does not end on its line");
}

TEST_CASE("errors of meaning") {
  CHECK(message("() -> f32: lambda: y") ==
        "lambda:1:20: there is no index variable 'y'");
  CHECK(message("() -> f32: lambda: y[0]") ==
        "lambda:1:20: there is no operand 'y'");
  CHECK(message("() -> f32: lambda: (1)[0]") ==
        "lambda:1:21: only operands can be read");
  CHECK(message("() -> f32: lambda: f(1)") ==
        "lambda:1:20: there is no function 'f'");
  CHECK(message("() -> f32: lambda: exp(1, 2)") ==
        "lambda:1:20: exp takes one value, got 2");
  CHECK(message("() -> f32: lambda: max(1)") ==
        "lambda:1:20: max takes two values or more, got 1");
  CHECK(message("() -> f32: lambda: fmod(1)") ==
        "lambda:1:20: fmod takes two values, got 1");
  CHECK(message("(x: f32[1]) -> f32: lambda: x") ==
        "lambda:1:29: 'x' is a tensor: read it with [...]");
  CHECK(message("(x: f32[2]) -> f32: lambda i: x[i]") ==
        "lambda:1:31: 'x' has rank 2, read with 1 index");
  CHECK(message("(x: f32[1]) -> f32: lambda i: x[:]") ==
        "lambda:1:31: ':' stands for a dimension of an argument of an opaque "
        "function only");
  CHECK(message("(x: f32[1]) -> f32: lambda i: x[1:2]") ==
        "lambda:1:33: packs and lists belong in templates");
  CHECK(message("(x: f32[1]) -> f32: lambda i: x[i...]") ==
        "lambda:1:34: packs and lists belong in templates");
  CHECK(message("(x: f32[1]) -> f32: lambda i: x[0.5]") ==
        "lambda:1:31: expected an integer as index, got 0.5");
  CHECK(message("(x: f32[1]) -> f32: lambda i: x[x[0]]") ==
        "lambda:1:31: expected an integer as index, got a value of type f32");
  CHECK(message("(x: f32[1]) -> f32: lambda i: x[i] + i") ==
        "lambda:1:36: f32 and i64 don't mix: cast one of them");
  CHECK(message("(x: i8[1]) -> i8: lambda i: x[i] + 200") ==
        "lambda:1:34: 200 does not fit i8");
  CHECK(message("(x: i8[1]) -> i8: lambda i: x[i] * 0.5") ==
        "lambda:1:34: expected i8, got 0.5");
  CHECK(message("(x: i8[1]) -> f32: lambda i: x[i]") ==
        "lambda:1:30: expected f32, got a value of type i8");
  CHECK(message("(x: i8[1]) -> i8: lambda i: exp(x[i])") ==
        "lambda:1:29: 'exp' is not defined for i8");
  CHECK(message("(x: bool[1]) -> bool: lambda i: x[i] + x[i]") ==
        "lambda:1:38: '+' is not defined for bool");
  CHECK(message("(x: f32[1]) -> f32: lambda i: x[i] if x[i] else 0") ==
        "lambda:1:31: expected bool, got a value of type f32");
  CHECK(message("(x: f32[1]) -> bool: lambda i: x[i] and true") ==
        "lambda:1:37: 'and' takes conditions, got a value of type f32");
  CHECK(message("(x: f32[1]) -> bool: lambda i: not x[i]") ==
        "lambda:1:32: 'not' is not defined for f32");
  CHECK(message("() -> bool: lambda i: i < \"a\"") ==
        "lambda:1:25: expected i64, got the string \"a\"");
  CHECK(message("() -> f32: lambda i: f32") ==
        "lambda:1:22: expected f32, got the type f32");
  CHECK(message("() -> i64: lambda: 9223372036854775807 + 1") ==
        "lambda:1:40: 9223372036854775807 + 1 overflows");
  CHECK(message("() -> i64: lambda: 10 ** 30") ==
        "lambda:1:23: 10 ** 30 overflows");
  CHECK(message("() -> i64: lambda: 1 // 0") ==
        "lambda:1:22: division of 1 by zero");
  CHECK(message("() -> i64: lambda: -(-9223372036854775807 - 1)") ==
        "lambda:1:20: -(-9223372036854775808) overflows");
  CHECK(message("() -> f32: lambda i: 1 + Sum(lambda k: 2)") ==
        "lambda:1:26: a reduction must be the whole value of a lambda");
  CHECK(message("(x: bool[1]) -> bool: lambda: Sum(lambda k: x[k])") ==
        "lambda:1:45: Sum is not defined for bool");
  CHECK(message("(x: f32[1]) -> f32: lambda: Sum(lambda k: x[k] where x[k])") ==
        "lambda:1:54: expected bool, got a value of type f32");
  CHECK(message("(x: f32[1]) -> f32: lambda i: extent(x, 1)") ==
        "lambda:1:41: operand 'x' has no dimension 1");
  CHECK(message("(x: f32[1]) -> f32: lambda i: extent(y, 1)") ==
        "lambda:1:38: there is no operand 'y'");
  CHECK(message("(x: f32[1]) -> f32: lambda i: extent(x)") ==
        "lambda:1:31: expected extent(operand, dimension)");
}

TEST_CASE("errors of opaque functions") {
  const std::string x = "(x: f32[2], n: i8[2]) -> f32: lambda i, j: ";
  CHECK(message(x + "@nope(x[i, :])[j]") ==
        "lambda:1:44: there is no opaque function 'nope'");
  CHECK(message(x + "@topk_values(x[i, :], 3)[j]") ==
        "lambda:1:44: 'topk_values' takes 1 slice and 2 constants");
  CHECK(message(x + "@topk_values()[j]") ==
        "lambda:1:44: 'topk_values' takes 1 slice and 2 constants");
  CHECK(message(x + "@topk_values(3, 1, 1)[j]") ==
        "lambda:1:57: expected a slice of a tensor, such as x[i, :]");
  CHECK(message(x + "@topk_values(x[:, :], 3, 1)[j]") ==
        "lambda:1:57: 'topk_values' takes a slice with 1 whole dimensions, got "
        "2");
  CHECK(message(x + "@topk_values(x[:], 3, 1)[j]") ==
        "lambda:1:57: 'x' has rank 2, sliced with 1 indices");
  CHECK(message(x + "@topk_values(x[i, :], i, 1)[j]") ==
        "lambda:1:44: 'k' of 'topk_values' must be a constant");
  CHECK(message(x + "@topk_values(x[i, :], 3, 1)[]") ==
        "lambda:1:44: the result of 'topk_values' has rank 1");
  CHECK(message(x + "@det(n[:, :])[]") ==
        "lambda:1:49: 'det' is not defined for i8");
  CHECK(message(x + "@topk_values(x[i, :], 3, 1)[j] + 1") ==
        "lambda:1:75: '@topk_values' must be the whole body");
}

TEST_CASE("deep nesting is refused, not followed") {
  const auto nested = [](size_t depth, const std::string &open,
                         const std::string &close) {
    std::string text = "(x: f32[1]) -> f32: lambda i: ";
    for (size_t i = 0; i < depth; ++i)
      text += open;
    text += "x[i]";
    for (size_t i = 0; i < depth; ++i)
      text += close;
    return message(text);
  };
  const auto isRefused = [](const std::string &text) {
    return text.find("nesting deeper than 200") != std::string::npos ||
           text.find("grows too large") != std::string::npos;
  };
  CHECK(nested(150, "(", ")") == "no error");
  CHECK(nested(150, "exp(", ")") == "no error");
  for (size_t depth : {300, 100000}) {
    CHECK(isRefused(nested(2 * depth, "(", ")")));
    CHECK(isRefused(nested(depth, "exp(", ")")));
    CHECK(isRefused(nested(depth, "-", "")));
    CHECK(isRefused(nested(depth, "1 + ", "")));
    CHECK(isRefused(nested(depth, "2 ** ", "")));
    CHECK(isRefused(nested(depth, "", " * x[i]")));
    CHECK(isRefused(nested(depth, "x[i] if true else ", "")));
    CHECK(isRefused(nested(depth, "not ", "")));
    CHECK(isRefused(nested(depth, "x[", "]")));
    CHECK(isRefused(nested(depth, "x[i] else ", "")));
    CHECK(isRefused(nested(depth, "[", "]")));
    CHECK(isRefused(nested(depth, "Sum(lambda k: ", ")")));
  }
}

TEST_CASE("what only hand-made lambdas can get wrong") {
  Lambda good = *parseLambda("(x: f32[1]) -> f32: lambda i: x[i]");
  const auto verified = [&](auto change) {
    Lambda lambda = good;
    change(lambda);
    const Status status = verify(lambda);
    return status ? std::string("valid") : status.error().message;
  };
  const ExprRef i = indexVar(0);
  CHECK(verified([](Lambda &) {}) == "valid");
  CHECK(verified([](Lambda &l) { l.body = nullptr; }) ==
        "the lambda has no body");
  CHECK(verified([](Lambda &l) { l.result = DType::F64; }) ==
        "the body has type f32, the result f64");
  CHECK(verified([](Lambda &l) { l.outputs = {}; }) ==
        "there is no index variable 0");
  CHECK(verified([](Lambda &l) { l.reductions = {"k"}; }) ==
        "index variables of a reduction, but no reducer");
  CHECK(verified([](Lambda &l) { l.reducer = Reducer::Sum; }) ==
        "a reduction needs index variables of its own");
  CHECK(verified([](Lambda &l) { l.guard = constant(1, DType::Bool); }) ==
        "a guard ('where') needs a reducer");
  CHECK(verified([&](Lambda &l) {
          l.reducer = Reducer::Sum;
          l.reductions = {"k"};
          l.guard = i;
        }) == "the guard has type i64, not bool");
  CHECK(verified([](Lambda &l) { l.outputs = {"x"}; }) ==
        "the name 'x' is given twice");
  CHECK(verified([](Lambda &l) { l.outputs = {"a b"}; }) ==
        "'a b' can't be a name");
  CHECK(verified([](Lambda &l) { l.operands[0].rank = -1; }) ==
        "operand 'x' has a negative rank");
  CHECK(verified([](Lambda &l) { l.operands[0].type = DType::F16; }) ==
        "operand 'x' is read as f32");
  CHECK(verified([&](Lambda &l) { l.body = read(0, DType::F32, {}); }) ==
        "operand 'x' has rank 1, read with 0 indices");
  CHECK(verified([&](Lambda &l) { l.body = read(1, DType::F32, {i}); }) ==
        "there is no operand 1");
  CHECK(verified([&](Lambda &l) { l.body = read(0, DType::F32, {nullptr}); }) ==
        "an index of 'x' is missing");
  CHECK(verified([&](Lambda &l) { l.body = read(0, DType::F32, {l.body}); }) ==
        "an index has type f32, not i64");
  CHECK(verified([&](Lambda &l) { l.body = read(0, DType::F32, {i}, i); }) ==
        "'else' of operand 'x' has type i64");
  CHECK(verified([&](Lambda &l) {
          l.body = cast(DType::F32, extentOf(0, 1));
        }) == "operand 'x' has no dimension 1");
  CHECK(verified([&](Lambda &l) {
          l.body = binary(BinaryOp::Add, l.body, i);
        }) == "'+' is not defined for f32 and i64");
  CHECK(verified([&](Lambda &l) { l.body = unary(UnaryOp::Not, l.body); }) ==
        "'not' is not defined for f32");
  CHECK(verified([&](Lambda &l) { l.body = select(i, l.body, l.body); }) ==
        "valid");
  CHECK(verified([&](Lambda &l) {
          l.body = select(i, l.body, constant(0.5, DType::F32));
        }) == "'if' chooses between different types");
  CHECK(verified([&](Lambda &l) {
          l.body = opaque("det", DType::F32, {}, {{0, {nullptr}}}, {});
        }) == "wrong rank of a slice of 'det'");
  CHECK(verified([&](Lambda &l) {
          l.reducer = Reducer::Sum;
          l.reductions = {"k"};
          l.body =
              opaque("topk_values", DType::F32, {1, 1}, {{0, {nullptr}}}, {i});
        }) == "an opaque function can't be reduced in the same lambda");
  CHECK(verified([&](Lambda &l) {
          for (int n = 0; n < 300; ++n)
            l.body = unary(UnaryOp::Exp, l.body);
        }) == "the expression is too large");
}
