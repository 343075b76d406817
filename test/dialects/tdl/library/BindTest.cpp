// Operands and attributes of a use against an operator's declarations.
#include "test/dialects/tdl/library/Use.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::tdl;

namespace {
TensorType f32(std::vector<int64_t> shape) {
  return {DType::F32, std::move(shape)};
}
using Integers = std::vector<int64_t>;

const std::string split =
    "f(x[a...{k}, n, b...], y[b...]; k): lambda: len(a...) * 100 + len(b...)";
const std::string pool =
    "f(x[N, C, S...]; kernel..., strides... = repeat(1, len(S...))...):\n"
    "    lambda: sum(strides...) * 10 + sum(kernel...)";
} // namespace

TEST_CASE("extents bind names, packs and lengths") {
  CHECK(body("f(x[m, k], y[k, n]): lambda: m * 100 + k * 10 + n",
             {f32({2, 3}), f32({3, 4})}) == "lambda: 234");
  CHECK(body("f(x[a..., n], y[n, b...]): lambda: prod(a...) * 100 + prod(b...)",
             {f32({2, 3, 4}), f32({4, 5})}) == "lambda: 605");
  CHECK(body(split, {f32({2, 3, 4}), f32({4})}, {{"k", 1}}) == "lambda: 101");
  CHECK(body(split, {f32({2, 3, 4}), f32({})}, {{"k", 2}}) == "lambda: 200");
  // Two open packs in x, until y has given one of them.
  CHECK(body("f(x[a..., b...], y[b...]): lambda: len(a...)",
             {f32({2, 3, 4}), f32({4})}) == "lambda: 2");
  // A length from a dimension of a later operand.
  CHECK(body("f(x[a...{r}, b...], y[r]): lambda: len(a...)",
             {f32({2, 3, 4}), f32({1})}) == "lambda: 1");
  CHECK(body("f(x[3, n]): lambda: n", {f32({3, 4})}) == "lambda: 4");
  CHECK(body("f(x[n, d...]; n, d...): lambda: n", {f32({3, 4})},
             {{"n", 3}, {"d", Integers{4}}}) == "lambda: 3");
}

TEST_CASE("attributes") {
  const std::string one = "f(; a): lambda: a";
  CHECK(body(one, {}, {{"a", 3}}) == "lambda: 3");
  CHECK(body(one, {}, {{"a", 0.5}}) == "lambda: 0.5");
  CHECK(body("f(; to): lambda: cast(3, to)", {}, {{"to", DType::U8}}) ==
        "lambda: 3");
  CHECK(body("f(; mode): lambda: 1 if mode == \"floor\" else 2", {},
             {{"mode", std::string("floor")}}) == "lambda: 1");
  CHECK(body("f(; to): lambda: 1 if to == f32 else 2", {},
             {{"to", DType::F16}}) == "lambda: 2");
  CHECK(body("f(; p...): lambda: p[0] + p[-1]", {},
             {{"p", std::vector<double>{0.5, 0, 1}}}) == "lambda: 1.5");
  CHECK(body("f(; a = 1.5, b = true): lambda: a if b else 0", {}) ==
        "lambda: 1.5");
  CHECK(body("f(; flag): lambda: 1 if flag and not 0 else 2", {},
             {{"flag", 1}}) == "lambda: 1");
  // Defaults may use shapes, and shapes attributes.
  CHECK(body(pool, {f32({1, 1, 5, 5})}, {{"kernel", Integers{2, 3}}}) ==
        "lambda: 25");
  CHECK(body(pool, {f32({1, 1, 5, 5})},
             {{"kernel", Integers{2, 3}}, {"strides", Integers{4, 4}}}) ==
        "lambda: 85");
  CHECK(body("f(x[a...{axis}, b...]; axis = 1): lambda: len(b...)",
             {f32({1, 2, 3})}) == "lambda: 2");
}

TEST_CASE("what does not match is said") {
  const std::string product = "matmul(a[m, k], b[k, n]): lambda: 1";
  CHECK(message(product, {f32({2, 3})}) ==
        "t.tdl:1:1: matmul: takes 2 operands, got 1");
  CHECK(message(product, {f32({2, 3}), f32({4, 5})}) ==
        "t.tdl:1:19: matmul: k is 3 in a and 4 in b");
  CHECK(message(product, {f32({2, 3}), f32({3})}) ==
        "t.tdl:1:17: matmul: b has rank 1, 2 expected");
  CHECK(message("f(x[n, d...]): lambda: 1", {f32({})}) ==
        "t.tdl:1:3: f: x has rank 0, at least 1 expected");
  CHECK(message("f(x[n, n]): lambda: 1", {f32({2, 3})}) ==
        "t.tdl:1:8: f: n is 2 in x and 3 in x");
  CHECK(message("f(x[d...], y[d...]): lambda: 1", {f32({2, 3}), f32({2, 4})}) ==
        "t.tdl:1:14: f: d[1] is 3 in x and 4 in y");
  CHECK(message("f(x[d...], y[d...]): lambda: 1", {f32({2, 3}), f32({2})}) ==
        "t.tdl:1:12: f: y has rank 1, 2 expected");
  CHECK(message("f(x[d...], y[d...{1}, n]): lambda: 1",
                {f32({2, 3}), f32({2, 4})}) ==
        "t.tdl:1:14: f: d has 2 dimensions in x and 1 in y");
  CHECK(message("f(x[4]): lambda: 1", {f32({3})}) ==
        "t.tdl:1:5: f: dimension 0 of x is 3, not 4");
  CHECK(message("f(x[n]; n): lambda: 1", {f32({3})}, {{"n", 4}}) ==
        "t.tdl:1:5: f: n is 4 in the attributes and 3 in x");
  CHECK(message(split, {f32({2, 3, 4}), f32({4})}, {{"k", 4}}) ==
        "t.tdl:1:5: f: the length of a is 4, and x has rank 3");
  CHECK(message(split, {f32({2, 3, 4}), f32({4})}, {{"k", -1}}) ==
        "t.tdl:1:5: f: the length of a is -1, and x has rank 3");
  CHECK(message(split, {f32({2, 3, 4}), f32({4})}, {{"k", 0.5}}) ==
        "t.tdl:1:10: f: the length of a pack must be a known integer, got 0.5");
  CHECK(message("f(x[a..., b...]): lambda: 1", {f32({2, 3})}) ==
        "t.tdl:1:3: f: the lengths of the packs in the shape of x are not "
        "given: at most one may be left open");
  CHECK(message("f(x[n]): lambda: 1", {f32({-3})}) ==
        "t.tdl:1:3: f: x is f32[-3], which is no shape that fits in memory");
  CHECK(message("f(x[n, m]): lambda: 1",
                {f32({int64_t(1) << 40, int64_t(1) << 40})}) ==
        "t.tdl:1:3: f: x is f32[1099511627776, 1099511627776], which is no "
        "shape that fits in memory");
}

TEST_CASE("wrong attributes are said") {
  CHECK(message("f(; a): lambda: 1", {}) ==
        "t.tdl:1:5: f: attribute 'a' is missing");
  CHECK(message("f(): lambda: 1", {}, {{"a", 1}}) ==
        "t.tdl:1:1: f: there is no attribute 'a'");
  CHECK(message("f(; a): lambda: 1", {}, {{"a", Integers{1}}}) ==
        "t.tdl:1:5: f: attribute 'a' is a single value");
  CHECK(message("f(; a...): lambda: 1", {}, {{"a", 1}}) ==
        "t.tdl:1:5: f: attribute 'a' is a list");
  CHECK(message("f(; a = [1, 2]): lambda: 1", {}) ==
        "t.tdl:1:9: f: a list gives several values where one is needed");
  CHECK(message("f(; n): lambda i < n: 1", {}, {{"n", -1}}) ==
        "t.tdl:1:20: f: the extent of 'i' must be a known integer, not "
        "negative, got -1");
  CHECK(message("f(; n): lambda i < n: 1", {}, {{"n", 2.0}}) ==
        "t.tdl:1:20: f: the extent of 'i' must be a known integer, not "
        "negative, got 2");
  CHECK(message("f(; n): lambda i < n / 2: 1", {}, {{"n", 4}}) ==
        "t.tdl:1:22: f: the extent of 'i' must be a known integer, not "
        "negative, got 2");
  CHECK(message("f(; n): lambda i < n * n: 1", {}, {{"n", int64_t(1) << 40}}) ==
        "t.tdl:1:22: f: 1099511627776 * 1099511627776 overflows");
  CHECK(message("f(; n): lambda i < n, j < n: 1", {},
                {{"n", int64_t(1) << 40}}) ==
        "t.tdl:1:9: f: the extents of the lambda overflow: i64[1099511627776, "
        "1099511627776]");
  CHECK(message("f(x[n]): lambda i < x[0]: 1", {f32({2})}) ==
        "t.tdl:1:21: f: the extent of 'i' must be a known integer, not "
        "negative, got a value of type f32");
  CHECK(message("f(; s): lambda: s", {}, {{"s", std::string("a")}}) ==
        "t.tdl:1:17: f: expected a number, got the string \"a\"");
}
