// Operators as text: what a library says about them, and what is refused before
// they are used.
#include "test/dialects/tdl/library/Use.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::tdl;

namespace {
std::string refused(const std::string &text) {
  Library library;
  const Status added = library.add("t.tdl", text);
  return added ? "no error" : added.error().message;
}
} // namespace

TEST_CASE("a library describes its operators") {
  Library library;
  REQUIRE(library.add("a.tdl",
                      "# About this file.\n"
                      "\n"
                      "# Nothing below zero.\n"
                      "# Really.\n"
                      "relu(x[d...]):\n"
                      "    lambda i... < d...: max(x[i...], 0) # the end\n"
                      "\n"
                      "# Words of the language may be names of operators.\n"
                      "and(a[n], b[n]; p, q..., r = 1 + 1, s... = [1, 2]): "
                      "lambda i < n: a[i] and b[i]\n"
                      "# Nothing follows.\n"));
  CHECK(library.contains("relu"));
  CHECK_FALSE(library.contains("tanh"));
  CHECK(library.names() == std::vector<std::string>{"and", "relu"});
  CHECK(library.source("relu") == "# Nothing below zero.\n"
                                  "# Really.\n"
                                  "relu(x[d...]):\n"
                                  "    lambda i... < d...: max(x[i...], 0)");
  CHECK(library.source("and").substr(0, 8) == "# Words ");
  CHECK(library.source("tanh").empty());
  CHECK(library.operandNames("and") == std::vector<std::string>{"a", "b"});
  CHECK(library.attributeNames("and") ==
        std::vector<std::string>{"p", "q...", "r = 1 + 1", "s... = [1, 2]"});
  CHECK(library.attributeNames("tanh").empty());

  const Status again = library.add("b.tdl", "\nrelu(x[n]): lambda i < n: x[i]");
  REQUIRE_FALSE(again);
  CHECK(again.error().message ==
        "b.tdl:2:1: operator 'relu' is defined twice, see a.tdl:5");
  const auto unknown = library.instantiate("tanh", {}, {});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message == "there is no operator 'tanh'");
}

TEST_CASE("definitions say where gradients go") {
  const auto instance =
      use("f(x[n]; first):\n"
          "    m = first lambda: Max(lambda i < n: x[i])\n"
          "    l = lambda: Min(lambda i < n: x[i])\n"
          "    d = detached lambda: Max(lambda i < n: x[i] * first)\n"
          "    n2 = first\n"
          "    return lambda: m[] + l[] + d[] + n2\n",
          {{DType::F32, {4}}}, {{"first", int64_t(2)}});
  REQUIRE(instance);
  REQUIRE(instance->applications.size() == 4);
  CHECK(instance->applications[0].ties == Ties::First);
  CHECK(instance->applications[1].ties == Ties::Shared);
  CHECK(instance->applications[2].detached);
  CHECK_FALSE(instance->applications[0].detached);
}

TEST_CASE("syntax errors of operators") {
  CHECK(refused("") == "no error");
  CHECK(refused("  f(x[n]): lambda: 1") ==
        "t.tdl:1:3: an operator starts in the first column");
  CHECK(refused("(x)") == "t.tdl:1:1: an operator starts in the first column");
  CHECK(refused("f") == "t.tdl:1:2: expected '(', got the end");
  CHECK(refused("f(3)") == "t.tdl:1:3: expected an operand, got '3'");
  CHECK(refused("f(x)") == "t.tdl:1:4: expected '[', got ')'");
  CHECK(refused("f(x[)") == "t.tdl:1:5: expected a dimension, got ')'");
  CHECK(refused("f(x[n") == "t.tdl:1:6: expected ',' or ']', got the end");
  CHECK(refused("f(x[2*h])") == "t.tdl:1:6: expected ',' or ']', got '*'");
  CHECK(refused("f(x[f32])") ==
        "t.tdl:1:5: 'f32' can't be the name of a dimension");
  CHECK(refused("f(x[n...{1)") == "t.tdl:1:11: expected '}', got ')'");
  CHECK(refused("f(x[] y[])") ==
        "t.tdl:1:7: expected ',', ';' or ')', got 'y'");
  CHECK(refused("f(;)") == "t.tdl:1:4: expected an attribute, got ')'");
  CHECK(refused("f(; a b)") == "t.tdl:1:7: expected ',' or ')', got 'b'");
  CHECK(refused("f(; a = )") == "t.tdl:1:9: expected a value, got ')'");
  CHECK(refused("f() lambda: 1") == "t.tdl:1:5: expected ':', got 'lambda'");
  CHECK(refused("f():") ==
        "t.tdl:1:5: expected 'lambda', 'return' or a definition, got the end");
  CHECK(refused("f(): 3") ==
        "t.tdl:1:6: expected 'lambda', 'return' or a definition, got '3'");
  CHECK(refused("f(): a") == "t.tdl:1:7: expected '=', got the end");
  CHECK(refused("f(): a = lambda: 1\n lambda: 1") ==
        "t.tdl:2:2: expected 'return', got 'lambda'");
  CHECK(refused("f(): return") == "t.tdl:1:12: expected a result, got the end");
  CHECK(refused("f(): return lambda: 1, 3") ==
        "t.tdl:1:24: expected a result, got '3'");
  CHECK(refused("f(): lambda: 1, lambda: 2") ==
        "t.tdl:1:15: expected the end of the operator, got ','");
  CHECK(refused("f(): lambda: 1 2") ==
        "t.tdl:1:16: expected the end of the operator, got '2'");
  // An error stays within its operator.
  CHECK(
      refused(
          "f(x[n]): lambda i < n: max(x[i], 0\ng(x[n]): lambda i < n: x[i]") ==
      "t.tdl:2:1: expected ',' or ')', got the next operator");
  CHECK(refused("f(): lambda if: 1") ==
        "t.tdl:1:13: 'if' can't be the name of an index variable");
  CHECK(refused("f(): lambda i <: 1") ==
        "t.tdl:1:16: expected a value, got ':'");
  CHECK(refused("f(): lambda i < 3 + : 1") ==
        "t.tdl:1:21: expected a value, got ':'");
  CHECK(refused("f(): lambda: 1 @") ==
        "t.tdl:1:16: expected the end of the operator, got '@'");
}

TEST_CASE("names must be known, new and of the right kind") {
  const auto inBody = [](const std::string &body) {
    return refused("f(x[d..., n], y[]; a, p...):\n  " + body);
  };
  CHECK(inBody("lambda i... < d..., j < n: x[i..., j] * y[] + a") ==
        "no error");
  CHECK(inBody("lambda: q") == "t.tdl:2:11: f: unknown name 'q'");
  CHECK(inBody("lambda: q[0]") == "t.tdl:2:11: f: unknown name 'q'");
  CHECK(inBody("lambda i < n: (q)...") ==
        "t.tdl:2:20: f: '...' gives several values where one is needed");
  CHECK(inBody("lambda i < n: x[(q)...]") == "t.tdl:2:20: f: unknown name 'q'");
  CHECK(inBody("lambda i < q: 1") == "t.tdl:2:14: f: unknown name 'q'");
  CHECK(inBody("lambda i < i: 1") == "t.tdl:2:14: f: unknown name 'i'");
  CHECK(inBody("return q") == "t.tdl:2:10: f: unknown name 'q'");
  CHECK(inBody("return n") == "t.tdl:2:10: f: 'n' is no tensor");
  CHECK(inBody("lambda: d") == "t.tdl:2:11: f: 'd' is a pack: write d...");
  CHECK(inBody("lambda: max(d, 1)") ==
        "t.tdl:2:15: f: 'd' is a pack: write d...");
  CHECK(inBody("lambda: x[n...]") == "t.tdl:2:13: f: 'n' is no pack");
  CHECK(inBody("lambda: x") ==
        "t.tdl:2:11: f: 'x' is a tensor: read it with [...]");
  CHECK(inBody("lambda: n[0]") ==
        "t.tdl:2:11: f: only tensors and packs have elements");
  CHECK(inBody("lambda: (n + 1)[0]") ==
        "t.tdl:2:14: f: only tensors and packs have elements");
  CHECK(inBody("lambda: reverse(d...)") ==
        "t.tdl:2:11: f: 'reverse' gives a pack: write reverse(...)...");
  CHECK(inBody("lambda i... < d...: x[reverse(i + d)..., 0]") ==
        "t.tdl:2:33: f: 'i' is a pack: write i...");
  CHECK(inBody("lambda: [1, 2]") ==
        "t.tdl:2:11: f: a list gives several values where one is needed");
  CHECK(inBody("lambda: foo(1)") ==
        "t.tdl:2:11: f: there is no function 'foo'");
  CHECK(inBody("lambda: @foo(x[:])[]") ==
        "t.tdl:2:11: f: there is no opaque function 'foo'; there are: "
        "topk_values, topk_indices, nonzero_places, unique_numbers, "
        "unsuppressed_boxes, det, bits_bool, bits_i8, bits_i16, bits_i32, "
        "bits_i64, bits_u8, bits_u16, bits_u32, bits_u64, bits_f16, bits_bf16, "
        "bits_f32, bits_f64");
  CHECK(inBody("lambda n < 3: 1") ==
        "t.tdl:2:10: f: the name 'n' is given twice");
  CHECK(inBody("lambda i < 3, i < 3: 1") ==
        "t.tdl:2:17: f: the name 'i' is given twice");
  CHECK(inBody("lambda i < 3: Sum(lambda i < 3: 1)") ==
        "t.tdl:2:28: f: the name 'i' is given twice");
  CHECK(inBody("lambda i: 1") == "t.tdl:2:10: f: 'i' needs an extent: i < ...");
  CHECK(inBody("lambda i < d...: 1") ==
        "t.tdl:2:15: f: '...' gives several values where one is needed");
  CHECK(inBody("lambda i... < n: 1") ==
        "t.tdl:2:17: f: the extents of the pack 'i' must be spread: d...");
  CHECK(inBody("a = lambda: 1 return a") ==
        "t.tdl:2:3: f: the name 'a' is given twice");
  CHECK(inBody("b = lambda: b[] return b") ==
        "t.tdl:2:15: f: unknown name 'b'");
  CHECK(inBody("b = d... return y") ==
        "t.tdl:2:8: f: '...' gives several values where one is needed");
  CHECK(inBody("b... = d return y") ==
        "t.tdl:2:10: f: 'd' is a pack: write d...");
  CHECK(refused("f(x[n], x[m]): lambda: 1") ==
        "t.tdl:1:9: f: the name 'x' is given twice");
  CHECK(refused("f(x[x]): lambda: 1") ==
        "t.tdl:1:5: f: 'x' is a tensor elsewhere");
  CHECK(refused("f(x[n, n...]): lambda: 1") ==
        "t.tdl:1:8: f: 'n' is a single value elsewhere");
  CHECK(refused("f(x[n]; n...): lambda: 1") ==
        "t.tdl:1:5: f: 'n' is a pack elsewhere");
  CHECK(refused("f(x[n...{q}]): lambda: 1") ==
        "t.tdl:1:10: f: unknown name 'q'");
  CHECK(refused("f(; a = q): lambda: 1") == "t.tdl:1:9: f: unknown name 'q'");
  CHECK(refused("f(; a, a): lambda: 1") ==
        "t.tdl:1:8: f: the name 'a' is given twice");
}

TEST_CASE("files too deep are refused") {
  std::string text = "f(x[n]): lambda i < n: ";
  for (int i = 0; i < 100000; ++i)
    text += "(1 + ";
  CHECK(refused(text).find("nesting deeper than 200") != std::string::npos);
}
