#include "runtime/plan/RowSlices.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::plan;

static tdl::Lambda lambdaOf(const std::string &text) {
  auto lambda = tdl::parseLambda(text);
  INFO(text << (lambda ? "" : lambda.error().message));
  REQUIRE(lambda);
  return std::move(*lambda);
}

/// A sum over segments, of a term with these operands.
static std::string sum(const std::string &term, const std::string &operands,
                       const std::string &reducer = "Sum") {
  return "(row: i64[1], s: i64[1], " + operands +
         ") -> f32: lambda v, f: " + reducer + "(lambda e: " + term +
         " where row[v] <= e and e < row[v + 1])";
}

TEST_CASE("rows that data says the place of are told from others") {
  const auto isSliced = [](const std::string &text) {
    const auto found = rowSlices(lambdaOf(text));
    if (found) {
      CHECK(found->variable == 1);
      CHECK(found->operand == 2);
      CHECK(found->term == 2);
    }
    return bool(found);
  };
  CHECK(isSliced(sum("x[s[e], f]", "x: f32[2]")));
  CHECK(isSliced(sum("-x[s[e], f]", "x: f32[2]", "Max")));
  CHECK(isSliced(sum("w[e] * x[s[e], f] - x[v, f] * y[v, f]",
                     "x: f32[2], w: f32[1], y: f32[2]")));
  // All is read along the terms anyway, once.
  CHECK_FALSE(isSliced(sum("x[e, f]", "x: f32[2]")));
  CHECK_FALSE(isSliced(sum("x[s[e], f] * y[e, f]", "x: f32[2], y: f32[2]")));
  // Which rows are copied?
  CHECK_FALSE(isSliced(sum("x[s[e], f] * y[s[e], f]", "x: f32[2], y: f32[2]")));
  // A slice has not all that is read.
  CHECK_FALSE(isSliced(sum("x[s[e], f] * x[s[e], 0]", "x: f32[2]")));
  CHECK_FALSE(isSliced(sum("x[s[e], f + 1]", "x: f32[2]")));
  CHECK_FALSE(isSliced(sum("x[f, s[e]]", "x: f32[2]")));
  // Each slice would compute it.
  CHECK_FALSE(
      isSliced(sum("exp(a[s[e]]) * x[s[e], f]", "x: f32[2], a: f32[1]")));
  CHECK_FALSE(rowSlices(lambdaOf("(x: f32[2], s: i64[1]) -> f32: lambda v, f: "
                                 "x[s[v], f]")));
}

TEST_CASE("slices are as wide as two lines of a cache, or scratch allows") {
  const tdl::Lambda lambda = lambdaOf(sum("x[s[e], f]", "x: f32[2]"));
  const RowSlices slices = *rowSlices(lambda);
  const auto elements = [&](int64_t nodes, int64_t features, int64_t edges,
                            int64_t scratch) {
    return sliceElements(slices, lambda, {nodes, features, edges},
                         {nodes, features}, scratch);
  };
  const int64_t much = int64_t(1) << 40, nodes = 65536;
  CHECK(elements(nodes, 256, 5000000, much) == 32);
  CHECK(elements(nodes, 256, 5000000, nodes * 127) == 16);
  CHECK(elements(nodes, 256, 5000000, nodes * 63) == 0);
  CHECK(elements(nodes, 127, 5000000, much) == 0);
  CHECK(elements(nodes, 128, 8 * nodes, much) == 32);
  CHECK(elements(nodes, 128, 8 * nodes - 1, much) == 0);
  CHECK(elements(4095, 128, 5000000, much) == 0); // a cache has it
  CHECK(elements(2 * nodes, 128, 5000000, much) == 32);
  CHECK(elements(2 * nodes + 1, 128, 5000000, much) == 0); // none has
  CHECK(sliceScratch(slices, lambda, {nodes, 256, 5000000}, {nodes, 256}) ==
        nodes * 128);
  CHECK(sliceScratch(slices, lambda, {nodes, 64, 5000000}, {nodes, 64}) == 0);
}
