// Lambdas that share code, and that the code computes the same where operands
// are said to begin elsewhere: held to the interpreter.
#include "runtime/plan/KernelCode.h"
#include "compiler/emit/Kernels.h"
#include "dialects/tdl/lambda/Interpreter.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace smex;

namespace {

tdl::Lambda parse(const std::string &text) {
  auto lambda = tdl::parseLambda(text);
  INFO(text << (lambda ? "" : lambda.error().message));
  REQUIRE(lambda);
  return *lambda;
}

std::string code(const std::string &text) {
  return tdl::toString(plan::codeOf(parse(text)));
}

/// The text as all lambdas are printed.
std::string same(const std::string &text) { return tdl::toString(parse(text)); }

} // namespace

TEST_CASE("constants in coordinates are no part of the code") {
  const struct {
    const char *lambda, *code;
  } cases[] = {
      {"(x: f32[3]) -> f32: lambda i, j: x[7, i, j + 2]",
       "(x: f32[3]) -> f32: lambda i, j: x[0, i, j]"},
      {"(x: f32[1], y: f32[1]) -> f32: lambda i: x[i - 3] + y[i * 2 + 4]",
       "(x: f32[1], y: f32[1]) -> f32: lambda i: x[i] + y[i * 2]"},
      {"(x: f32[1]) -> f32: lambda i: x[i + 5] + x[i + 7]",
       "(x: f32[1]) -> f32: lambda i: x[i] + x[i + 2]"},
      {"(x: f32[1]) -> f32: lambda i: Sum(lambda k: x[i + k - 2] where k + 3 "
       "< i)",
       "(x: f32[1]) -> f32: lambda i: Sum(lambda k: x[i + k] where k + 3 < "
       "i)"},
      // The place of a row, not that of its number.
      {"(x: f32[2], s: i64[1]) -> f32: lambda e, f: x[s[e + 4], f + 1]",
       "(x: f32[2], s: i64[1]) -> f32: lambda e, f: x[s[e], f]"},
  };
  for (const auto &example : cases) {
    INFO(example.lambda);
    CHECK(code(example.lambda) == same(example.code));
  }
}

TEST_CASE("coordinates that are compared with extents stay") {
  for (const char *text :
       {"(x: f32[1]) -> f32: lambda i: x[i - 3] else f32(0)",
        "(x: f32[1], s: i64[1]) -> f32: lambda e: x[s[e] + 1]",
        // The gradient of a pooling: of the key's places, none is below 0.
        "(x: f32[1], k: i64[1]) -> f32: lambda i: Sum(lambda r: x[i - r + 1] "
        "where k[i - r + 1] == r)"}) {
    INFO(text);
    CHECK(code(text) == same(text));
  }
}

TEST_CASE("kernels of the same code have one symbol") {
  emit::KernelTable table({"x86-64-v3"});
  const auto symbol = [&](const char *text) {
    return table.kernelOf(tdl::toString(parse(text)), {4, 4}, {{8, 4, 4}})
        .symbol;
  };
  const std::string first =
      symbol("(x: f32[3]) -> f32: lambda i, j: x[2, i, j]");
  CHECK(symbol("(x: f32[3]) -> f32: lambda i, j: x[3, i, j]") == first);
  CHECK(symbol("(x: f32[3]) -> f32: lambda i, j: x[i, 3, j]") != first);
  REQUIRE(table.functions().size() == 2);
  CHECK(tdl::toString(table.functions()[0].lambda) ==
        same("(x: f32[3]) -> f32: lambda i, j: x[0, i, j]"));
}

TEST_CASE("the code computes the same on operands that begin elsewhere") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto draw = [&](int64_t low, int64_t high) {
      return low + int64_t(random() % uint64_t(high - low + 1));
    };
    const auto coordinate = [&](const char *variable) -> std::string {
      const int64_t factor = draw(0, 2);
      const int64_t constant = factor ? draw(-8, 30) : draw(0, 60);
      return std::to_string(factor) + " * " + variable + " + " +
             std::to_string(constant);
    };
    std::string body;
    for (int64_t reads = draw(1, 4); reads > 0; --reads) {
      const std::string at = "[" + coordinate("i") + ", " +
                             (draw(0, 5) ? coordinate("k") : "s[k]") + "]";
      const std::string read = (draw(0, 1) ? "x" : "y") + at;
      body += (body.empty() ? "" : " + ") +
              (draw(0, 6) ? read : "(" + read + " else 3.0)");
    }
    const tdl::Lambda lambda =
        parse("(x: f32[2], y: f32[2], s: i64[1]) -> f32: lambda i: Sum(lambda "
              "k: " +
              body + ")");
    INFO("seed " << seed << ": " << tdl::toString(lambda));

    constexpr int64_t side = 64;
    const plan::Shifts shifts = plan::shiftsOf(lambda);
    std::vector<float> numbers[2];
    std::vector<int64_t> places;
    std::vector<tdl::OperandView> views;
    for (size_t p = 0; p < 2; ++p) {
      // All that is read is at the shifts or beyond.
      Box box;
      for (int64_t shift : shifts[p])
        box.push_back({std::max<int64_t>(shift, 0), side});
      for (int64_t i = volume(box); i > 0; --i)
        numbers[p].push_back(float(draw(-9, 9)));
      views.push_back({{side, side},
                       box,
                       reinterpret_cast<const std::byte *>(numbers[p].data())});
    }
    for (int64_t i = 0; i < side; ++i)
      places.push_back(draw(0, side - 1));
    REQUIRE(shifts[2] == std::vector<int64_t>{0});
    views.push_back({{side},
                     {{0, side}},
                     reinterpret_cast<const std::byte *>(places.data())});
    const Box indices = {{8, 12}, {8, 15}};
    const auto expected = tdl::interpret(lambda, indices, views);
    INFO((expected ? "" : expected.error().message));
    REQUIRE(expected);

    for (size_t p = 0; p < views.size(); ++p)
      for (size_t d = 0; d < views[p].box.size(); ++d) {
        // Extents grow so that no coordinate is beyond them.
        views[p].shape[d] += std::max<int64_t>(-shifts[p][d], 0);
        views[p].box[d].lo -= shifts[p][d];
        views[p].box[d].hi -= shifts[p][d];
      }
    const auto actual = tdl::interpret(plan::codeOf(lambda), indices, views);
    INFO((actual ? "" : actual.error().message));
    REQUIRE(actual);
    REQUIRE(actual->bytes == expected->bytes);
  }
}
