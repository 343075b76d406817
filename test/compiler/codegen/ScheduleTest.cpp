// Which schedule the shape of a lambda asks for, and that sizes are data: a
// processor of other sizes gets the same forms.
#include "compiler/codegen/cpu/Schedule.h"
#include "compiler/codegen/cpu/Prefetch.h"
#include "compiler/codegen/expression/Conditions.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::codegen;

namespace {

tdl::Lambda parse(const std::string &text) {
  auto lambda = tdl::parseLambda(text);
  INFO(text << (lambda ? "" : lambda.error().message));
  REQUIRE(lambda);
  return *lambda;
}

} // namespace

TEST_CASE("the shape of a lambda decides how its loops run") {
  const struct {
    const char *lambda, *schedule;
  } cases[] = {
      {"(x: f32[2]) -> f32: lambda i, j: exp(x[i, j])", "generic order [0, 1]"},
      {"(x: f32[2]) -> f32: lambda i, j: x[j, i] * f32(3)",
       "squares along 0 order [0, 1] tiles [64]"},
      {"(x: f64[2]) -> f64: lambda i, j: x[j, i] * f64(3)",
       "squares along 0 order [0, 1] tiles [32]"},
      {"(x: f32[2]) -> f32: lambda j: x[j // 64, j % 64]",
       "digits along 0 order [0] tiles [64]"},
      {"(x: f32[1]) -> f32: lambda i: x[i] if i < 3 else f32(0)",
       "loops order [0]"},
      {"(x: f32[2], s: i64[1]) -> f32: lambda e, h: x[s[e], h]",
       "gather along 1 order [0, 1] tiles [64] vector 8 ahead 8"},
      {"(x: f32[2]) -> f32: lambda i: Sum(lambda j: x[i, j])",
       "lanes order [1] tiles [256] lanes 32"},
      {"(x: f64[2]) -> f64: lambda i: Sum(lambda j: x[i, j])",
       "lanes order [1] tiles [256] lanes 16"},
      {"(x: f32[2]) -> f32: lambda j: Sum(lambda i: x[i, j])",
       "tile along 0 order [1] tiles [1024]"},
      {"(x: f32[2], y: f32[2]) -> f32: lambda e: Sum(lambda r: x[e, r] * "
       "y[e, r])",
       "dots along 1 order [1] tiles [2] vector 8 lanes 32 ahead 8"},
      {"(x: f32[2], s: i64[1]) -> f32: lambda f: Sum(lambda k: x[s[k], f])",
       "rows along 0 order [1] tiles [8, 4, 2, 1] vector 8 ahead 8 to 64"},
      {"(x: f32[2], s: i64[1], a: f32[1]) -> f32: lambda f: "
       "Sum(lambda k: exp(a[s[k]]) * x[s[k], f])",
       "rows along 0 order [1] tiles [8, 4, 2, 1] vector 8 coefficients 64 "
       "ahead 8 to 64"},
      {"(a: f32[2], s: i64[1]) -> f32: lambda h: "
       "Sum(lambda k: exp(a[s[k], h]))",
       "tile along 0 order [1] tiles [8] vector 8 coefficients 64"},
      {"(x: f32[1], k: i64[1]) -> f32: lambda i: Sum(lambda e: x[e] where "
       "k[e] == i)",
       "scatter order [1] tiles [8192]"},
      {"(x: f32[1]) -> f32: lambda i: Sum(lambda k: x[k] where k <= i)",
       "scan along 0 order [1] tiles [1024]"},
  };
  for (const auto &example : cases) {
    INFO(example.lambda);
    CHECK(toString(chooseSchedule(parse(example.lambda))) == example.schedule);
  }
}

TEST_CASE("rows of the next segment are asked for where its list is there") {
  const auto sees = [](const char *text) {
    const tdl::Lambda lambda = parse(text);
    return seesPastSegments(termOf(lambda), lambda.rank());
  };
  CHECK(sees("(x: f32[2], row: i64[1], s: i64[1], w: f32[1]) -> f32: "
             "lambda v, f: Sum(lambda e: x[s[e], f] * w[e] where row[v] <= e "
             "and (e < row[v + 1] and s[e] != 2))"));
  // s may have three elements.
  CHECK_FALSE(sees("(x: f32[2], s: i64[1]) -> f32: lambda f: "
                   "Sum(lambda e: x[s[e], f] where e < 3)"));
  // What is no number of an edge leads nowhere.
  CHECK_FALSE(sees("(x: f32[2], row: i64[1], s: i64[1], k: i64[1]) -> f32: "
                   "lambda v, f: Sum(lambda e: x[s[k[e]], f] where row[v] <= e "
                   "and e < row[v + 1])"));
}

TEST_CASE("sizes are the processor's") {
  Processor wide;
  wide.vector = 16;
  wide.laneBytes = 256;
  wide.blocks = {16, 4, 1};
  wide.ahead = 20;
  CHECK(toString(chooseSchedule(
            parse("(x: f32[2], s: i64[1]) -> f32: lambda f: Sum(lambda k: "
                  "x[s[k], f])"),
            wide)) == "rows along 0 order [1] tiles [16, 4, 1] vector 16 "
                      "ahead 20 to 64");
  CHECK(toString(chooseSchedule(
            parse("(x: f32[2]) -> f32: lambda i: Sum(lambda j: x[i, j])"),
            wide)) == "lanes order [1] tiles [256] lanes 64");
}
