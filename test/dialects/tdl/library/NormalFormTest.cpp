// The applications that templates become.
#include "test/dialects/tdl/library/Use.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::tdl;

namespace {
TensorType f32(std::vector<int64_t> shape) {
  return {DType::F32, std::move(shape)};
}
TensorType i32(std::vector<int64_t> shape) {
  return {DType::I32, std::move(shape)};
}
using Integers = std::vector<int64_t>;
} // namespace

TEST_CASE("an outermost reduction stays in its lambda") {
  CHECK(expanded("matmul(a[m, k], b[k, n]): lambda i < m, j < n: Sum(lambda p "
                 "< k: a[i, p] * b[p, j])",
                 {f32({2, 3}), f32({3, 4})}) ==
        "t0 = (x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: "
        "Sum(lambda r0: x0[i0, r0] * x1[r0, i1]) of x0 x1 over 2 4 3\n");
  CHECK(expanded("f(x[n]; last): lambda: (Max(lambda k < n: x[k]) if last else "
                 "Min(lambda k < n: x[k]))",
                 {f32({3})}, {{"last", 0}}) ==
        "t0 = (x0: f32[1]) -> f32: lambda: "
        "Min(lambda r0: x0[r0]) of x0 over 3\n");
}

TEST_CASE("other reductions become applications of their own") {
  CHECK(expanded("norm(x[n, c]): lambda i < n, j < c: x[i, j] / Sum(lambda k < "
                 "c: x[i, k])",
                 {f32({2, 3})}) ==
        "t0 = (x0: f32[2]) -> f32: lambda i0: Sum(lambda r0: x0[i0, r0]) of x0 "
        "over 2 3\n"
        "t1 = (x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: x0[i0, i1] / "
        "x1[i0] of x0 t0 over 2 3\n");
  // Inside another reduction: over the outer indices that it uses.
  CHECK(expanded("f(x[n, c], y[c]): lambda i < n: Sum(lambda j < c: y[j] * "
                 "Max(lambda k < c: x[i, k] - y[j]))",
                 {f32({2, 3}), f32({3})}) ==
        "t0 = (x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: Max(lambda r0: "
        "x0[i0, r0] - x1[i1]) of x0 x1 over 2 3 3\n"
        "t1 = (x0: f32[1], x1: f32[2]) -> f32: lambda i0: Sum(lambda r0: "
        "x0[r0] * x1[i0, r0]) of x1 t0 over 2 3\n");
  CHECK(
      expanded("f(x[n]): lambda i < n: x[i] - Sum(lambda k < n: x[k])",
               {f32({3})}) ==
      "t0 = (x0: f32[1]) -> f32: lambda: Sum(lambda r0: x0[r0]) of x0 over 3\n"
      "t1 = (x0: f32[1], x1: f32[0]) -> f32: lambda i0: x0[i0] - x1[] of x0 t0 "
      "over 3\n");
  CHECK(expanded("f(x[n], at[n]): lambda i < n: x[Sum(lambda k < n: at[k] "
                 "where i64(at[k]) < i)]",
                 {f32({3}), i32({3})}) ==
        "t0 = (x0: i32[1]) -> i32: lambda i0: Sum(lambda r0: x0[r0] where "
        "i64(x0[r0]) < i0) of x1 over 3 3\n"
        "t1 = (x0: f32[1], x1: i32[1]) -> f32: lambda i0: x0[i64(x1[i0])] of "
        "x0 t0 over 3\n");
}

TEST_CASE("chains") {
  CHECK(expanded("softmax(x[a...{axis}, c, b...]; axis):\n"
                 "    m = lambda i... < a..., k... < b...: Max(lambda j < c: "
                 "x[i..., j, k...])\n"
                 "    e = lambda i... < a..., j < c, k... < b...: exp(x[i..., "
                 "j, k...] - m[i..., k...])\n"
                 "    s = lambda i... < a..., k... < b...: Sum(lambda j < c: "
                 "e[i..., j, k...])\n"
                 "    return lambda i... < a..., j < c, k... < b...: e[i..., "
                 "j, k...] / s[i..., k...]\n",
                 {f32({2, 3})}, {{"axis", 1}}) ==
        "t0 = (x0: f32[2]) -> f32: lambda i0: Max(lambda r0: x0[i0, r0]) of x0 "
        "over 2 3\n"
        "t1 = (x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: exp(x0[i0, i1] - "
        "x1[i0]) of x0 t0 over 2 3\n"
        "t2 = (x0: f32[2]) -> f32: lambda i0: Sum(lambda r0: x0[i0, r0]) of t1 "
        "over 2 3\n"
        "t3 = (x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: x0[i0, i1] / "
        "x1[i0] of t1 t2 over 2 3\n");
  // What is known may be named; what nobody needs is left out; what is said
  // twice is done once.
  CHECK(
      expanded("f(x[d...]):\n"
               "    n = prod(d...)\n"
               "    r... = reverse(d...)...\n"
               "    unused = lambda: Sum(lambda k... < d...: x[k...])\n"
               "    a = lambda i... < r...: x[reverse(i...)...] / n\n"
               "    b = lambda i... < r...: x[reverse(i...)...] / n\n"
               "    return a, x, lambda: Max(lambda k... < r...: a[k...] - "
               "b[k...])\n",
               {f32({2, 3})}) ==
      "t0 = (x0: f32[2]) -> f32: lambda i0, i1: x0[i1, i0] / 6 of x0 over 3 2\n"
      "t1 = (x0: f32[2]) -> f32: lambda: Max(lambda r0, r1: x0[r0, r1] - "
      "x0[r0, r1]) of t0 over 3 2\n"
      "-> t0 x0 t1\n");
  CHECK(expanded("f(x[n]): return x", {f32({2})}) == "-> x0\n");
}

TEST_CASE("operands are those that are read, each once, in order") {
  CHECK(
      expanded("f(x[n], y[n], z[n]): lambda i < n: z[i] + x[i] * z[n - 1 - i]",
               {f32({3}), f32({3}), f32({3})}) ==
      "t0 = (x0: f32[1], x1: f32[1]) -> f32: lambda i0: x0[i0] + x1[i0] * x0[2 "
      "- i0] of x2 x0 over 3\n");
  CHECK(expanded("f(x[n, m], at[n]): lambda i < n, j < m: x[at[i], j]",
                 {f32({3, 4}), i32({3})}) ==
        "t0 = (x0: f32[2], x1: i32[1]) -> f32: lambda i0, i1: x0[i64(x1[i0]), "
        "i1] of x0 x1 over 3 4\n");
}

TEST_CASE("opaque functions are whole bodies") {
  const std::string topk = "topk(x[a..., n, b...]; a..., k): lambda i... < "
                           "a..., j < k, l... < b...: ";
  CHECK(expanded("f(x[n, m]; k): lambda i < n, j < k: @topk_values(x[i, :], k, "
                 "true)[j]",
                 {f32({2, 5})}, {{"k", 3}}) ==
        "t0 = (x0: f32[2]) -> f32: lambda i0, i1: @topk_values(x0[i0, :], 3, "
        "1)[i1] of x0 over 2 3\n");
  CHECK(expanded("f(x[n, m]; k): lambda i < n: x[i, @topk_indices(x[i, :], k, "
                 "true)[0]] * 2",
                 {f32({2, 5})}, {{"k", 3}}) ==
        "t0 = (x0: f32[2]) -> i64: lambda i0: @topk_indices(x0[i0, :], 3, "
        "1)[0] of x0 over 2\n"
        "t1 = (x0: f32[2], x1: i64[1]) -> f32: lambda i0: x0[i0, x1[i0]] * 2 "
        "of x0 t0 over 2\n");
  CHECK(
      expanded("f(x[n, n]): lambda: Max(lambda k < 2: @det(x[:, :])[])",
               {f32({2, 2})}) ==
      "t0 = (x0: f32[2]) -> f32: lambda: @det(x0[:, :])[] of x0 over\n"
      "t1 = (x0: f32[0]) -> f32: lambda: Max(lambda r0: x0[]) of t0 over 2\n");
  CHECK(expanded("f(x[b..., n, n]): lambda i... < b...: @det(x[i..., :, :])[]",
                 {f32({3, 2, 2})}) == "t0 = (x0: f32[3]) -> f32: lambda i0: "
                                      "@det(x0[i0, :, :])[] of x0 over 3\n");
}

TEST_CASE("reductions over nothing, or under a known condition") {
  const std::string sum = "f(x[a..., b...]; a..., t): lambda i... < a...: "
                          "Sum(lambda k... < b...: x[i..., k...] where t)";
  CHECK(body(sum, {f32({2, 3})}, {{"a", Integers{2}}, {"t", 1}}) ==
        "lambda i0: Sum(lambda r0: x0[i0, r0])");
  CHECK(body(sum, {f32({2, 3})}, {{"a", Integers{2, 3}}, {"t", 1}}) ==
        "lambda i0, i1: x0[i0, i1]");
  CHECK(body(sum, {f32({2, 3})}, {{"a", Integers{2}}, {"t", 0}}) ==
        "lambda i0: 0");
  CHECK(body("f(x[]; p...): lambda: Max(lambda k... < p...: x[] where x[] < 3)",
             {f32({})},
             {{"p", Integers{}}}) == "lambda: x0[] if x0[] < 3 else -inf");
}

TEST_CASE("what is known decides") {
  const std::string f = "f(x[d...]; mode): lambda i... < d...: x[i...] if mode "
                        "== \"none\" else x[i..., 0, 0, 0]";
  CHECK(body(f, {f32({2})}, {{"mode", std::string("none")}}) ==
        "lambda i0: x0[i0]");
  CHECK(body(f, {f32({2})}, {{"mode", std::string("other")}}) ==
        "t.tdl:1:70: f: 'x' has rank 1, read with 4 indices");
  CHECK(body("f(x[n]): lambda i < n: x[i] if n > 3 and x[9, 9] > 0 else 0",
             {f32({2})}) == "lambda i0: 0");
  // So do ranges: of conditions, divisions, and reads that can't fail.
  CHECK(body("f(x[n]): lambda i < n: x[i] if i < n else 0", {f32({2})}) ==
        "lambda i0: x0[i0]");
  CHECK(body("f(x[n]; k): lambda i < n: (x[i + k] else 9)", {f32({4})},
             {{"k", 0}}) == "lambda i0: x0[i0]");
  CHECK(body("f(x[n]; k): lambda i < n: (x[i + k] else 9)", {f32({4})},
             {{"k", 1}}) == "lambda i0: (x0[i0 + 1] else 9)");
  CHECK(body("f(x[n]; k): lambda i < n: (x[i + k] else 9)", {f32({4})},
             {{"k", 4}}) == "lambda i0: 9");
  CHECK(body("f(x[n]; k): lambda i < n: (x[i + k] else 9)", {f32({4})},
             {{"k", -9}}) == "lambda i0: 9");
}

TEST_CASE("convolutions say no more than they must") {
  const std::string conv =
      "conv(x[N, C, S...], w[M, G, K...]; strides..., dilations..., pads..., "
      "out...):\n"
      "    lambda n < N, m < M, o... < out...:\n"
      "        Sum(lambda c < G, k... < K...:\n"
      "            (x[n, m // (M // (C // G)) * G + c, (o*strides + "
      "k*dilations - pads)...] else 0) * w[m, c, k...])\n";
  const auto with = [&](Integers x, Integers w, int64_t stride,
                        int64_t dilation, int64_t pad, int64_t out) {
    return body(conv, {f32(x), f32(w)},
                {{"strides", Integers{stride}},
                 {"dilations", Integers{dilation}},
                 {"pads", Integers{pad}},
                 {"out", Integers{out}}});
  };
  CHECK(with({1, 4, 8}, {6, 4, 3}, 1, 1, 1, 8) ==
        "lambda i0, i1, i2: Sum(lambda r0, r1: (x0[i0, r0, i2 + r1 - 1] else "
        "0) * x1[i1, r0, r1])");
  CHECK(with({1, 4, 8}, {6, 4, 3}, 1, 1, 0, 6) ==
        "lambda i0, i1, i2: Sum(lambda r0, r1: x0[i0, r0, i2 + r1] * x1[i1, "
        "r0, r1])");
  CHECK(with({1, 4, 8}, {6, 2, 3}, 2, 2, 1, 3) ==
        "lambda i0, i1, i2: Sum(lambda r0, r1: (x0[i0, i1 // 3 * 2 + r0, i2 * "
        "2 + r1 * 2 - 1] else 0) * x1[i1, r0, r1])");
  CHECK(with({1, 4, 8}, {4, 1, 3}, 1, 1, 0, 6) == // depthwise
        "lambda i0, i1, i2: Sum(lambda r0, r1: x0[i0, i1 + r0, i2 + r1] * "
        "x1[i1, r0, r1])");
  CHECK(with({1, 4, 8}, {1, 4, 3}, 1, 1, 0, 6) == // one output channel
        "lambda i0, i1, i2: Sum(lambda r0, r1: x0[i0, r0, i2 + r1] * x1[i1, "
        "r0, r1])");
}

TEST_CASE("reductions over some dimensions") {
  const std::string keep =
      "f(x[d...]; axes...):\n"
      "    r... = range(len(d...))...\n"
      "    return lambda i... < (1 if contains(axes..., r) else d)...:\n"
      "        Sum(lambda k... < permute(d..., axes...)...:\n"
      "            x[(k[find(axes..., r)] if contains(axes..., r) else "
      "i)...])\n";
  CHECK(expanded(keep, {f32({2, 3, 4})}, {{"axes", Integers{2, 0}}}) ==
        "t0 = (x0: f32[3]) -> f32: lambda i0, i1, i2: Sum(lambda r0, r1: "
        "x0[r1, i1, r0]) of x0 over 1 3 1 4 2\n");
}

TEST_CASE("types") {
  CHECK(
      body("f(x[n], y[n]): lambda i < n: x[i] + y[i]", {f32({2}), i32({2})}) ==
      "t.tdl:1:35: f: f32 and i32 don't mix: cast one of them");
  CHECK(body("f(x[n], y[n]): lambda i < n: x[i] + cast(y[i], x)",
             {f32({2}), i32({2})}) == "lambda i0: x0[i0] + f32(x1[i0])");
  CHECK(body("f(x[n]): lambda i < n: x[i] * i", {f32({2})}) ==
        "t.tdl:1:29: f: f32 and i64 don't mix: cast one of them");
  CHECK(body("f(x[n]): lambda i < n: x[i] / n + (1 if i > 0 else 2)",
             {f32({2})}) == "lambda i0: x0[i0] / 2 + (1 if i0 > 0 else 2)");
  CHECK(body("f(x[n]): lambda i < n: 1 if x[i] > 0 else 0", {f32({2})}) ==
        "lambda i0: 1 if x0[i0] > 0 else 0");
  CHECK(body("f(x[n]): lambda: Sum(lambda k < n: x[k] > 0)", {f32({2})}) ==
        "t.tdl:1:18: f: Sum is not defined for bool");
  CHECK(body("f(x[n]): lambda: \"a\"", {f32({2})}) ==
        "t.tdl:1:18: f: expected a number, got the string \"a\"");
  CHECK(body("f(x[n]; a): lambda i < n: (x[i] else a)", {f32({2})},
             {{"a", DType::F32}}) ==
        "t.tdl:1:38: f: expected f32, got the type f32");
}

TEST_CASE("definitions must be known") {
  CHECK(body("f(x[n]):\n a = x[0]\n return x", {f32({2})}) ==
        "t.tdl:2:2: f: 'a' is not known: make it a lambda");
  CHECK(body("f(x[n]):\n a = [1, 2]\n return x", {f32({2})}) ==
        "t.tdl:2:6: f: a list gives several values where one is needed");
  CHECK(
      body(
          "f(x[n]):\n a = n * 2\n b... = [a, 1]\n return lambda: sum(b...) + a",
          {f32({2})}) == "lambda: 9");
}
