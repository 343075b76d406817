#include "dialects/tdl/analysis/Linear.h"

#include "dialects/tdl/lambda/Interpreter.h"
#include "test/dialects/tdl/analysis/Lambdas.h"

#include <random>

using namespace smex;
using namespace smex::analysis;

namespace {

const std::vector<std::string> kLinear = {
    "(x: i32[2], y: i32[2]) -> i32: lambda i, j: x[i, j] + y[i, j]",
    "(x: i32[2], y: i32[2]) -> i32: lambda i, j: x[i, j] - 3 * y[i, j]",
    "(x: i32[2]) -> i32: lambda i, j: -x[i, j]",
    "(x: i32[2], y: i32[2]) -> i32: lambda i, j: "
    "x[i, j] if i < j else y[i, j] * 2",
    "(x: i32[2]) -> i32: lambda i, j: x[i, j] if i < 1 else 0",
    "(x: i32[2]) -> i32: lambda i, j: x[i, j] * i32(i + j)",
    "(x: i32[2], y: i32[2], z: i32[2]) -> i32: lambda i, j: "
    "(x[i, j] + y[i, j]) * 2 - (z[i, j] - x[i, j])",
};

const std::vector<std::string> kOthers = {
    "(x: i32[2]) -> i32: lambda i, j: x[i, j] + 1",
    "(x: i32[2], y: i32[2]) -> i32: lambda i, j: x[i, j] * y[i, j]",
    "(x: i32[2]) -> i32: lambda i, j: x[i, j] * x[i, j]",
    "(x: i32[2]) -> i32: lambda i, j: x[i, j] // 2",
    "(x: i32[2], y: i32[2]) -> i32: lambda i, j: max(x[i, j], y[i, j])",
    "(x: i32[2]) -> i32: lambda i, j: x[i, j] if x[i, j] > 0 else 0",
    "(x: i32[2]) -> i32: lambda i, j: abs(x[i, j])",
    "(x: i32[2]) -> i32: lambda i, j: i32(i)",
    "() -> i32: lambda i, j: 0",
    // Other places than the result's are in other hands.
    "(x: i32[2]) -> i32: lambda i, j: x[j, i]",
    "(x: i32[2], y: i32[1]) -> i32: lambda i, j: x[i, j] + y[j]",
    "(x: i32[2]) -> i32: lambda i, j: (x[i, j] else 0)",
    // Of another type, it is rounded.
    "(x: f32[2]) -> f16: lambda i, j: f16(x[i, j])",
    "(x: i32[2]) -> i32: lambda i, j: Sum(lambda k: x[i, k])",
};

Tensor drawn(std::mt19937 &random) {
  Tensor tensor = makeTensor({DType::I32, {3, 4}});
  for (int i = 0; i < 12; ++i)
    tensor.data<int32_t>()[i] = int32_t(random() % 100) - 50;
  return tensor;
}

/// Whether the lambda of two lists of operands, added up, is the sum of both.
bool addsUp(const tdl::Lambda &lambda, std::mt19937 &random) {
  std::vector<Tensor> a, b, both;
  std::vector<const Tensor *> ofA, ofB, ofBoth;
  for (size_t k = 0; k < lambda.operands.size(); ++k) {
    a.push_back(drawn(random));
    b.push_back(drawn(random));
    both.push_back(a.back());
    tdl::combine(Reducer::Sum, both.back(), b.back());
  }
  for (size_t k = 0; k < lambda.operands.size(); ++k) {
    ofA.push_back(&a[k]);
    ofB.push_back(&b[k]);
    ofBoth.push_back(&both[k]);
  }
  auto sum = tdl::interpret(lambda, {3, 4}, ofA);
  const auto other = tdl::interpret(lambda, {3, 4}, ofB);
  const auto whole = tdl::interpret(lambda, {3, 4}, ofBoth);
  REQUIRE((sum && other && whole));
  tdl::combine(Reducer::Sum, *sum, *other);
  return std::equal(sum->data<int32_t>(), sum->data<int32_t>() + 12,
                    whole->data<int32_t>());
}

} // namespace

TEST_CASE("linear maps: of sums, the sum of what they are of the terms") {
  std::mt19937 random(7);
  for (const std::string &text : kLinear) {
    CAPTURE(text);
    CHECK(isLinearMap(parse(text)));
    for (int i = 0; i < 10; ++i)
      CHECK(addsUp(parse(text), random));
  }
  CHECK(isLinearMap(parse("(x: f32[1]) -> f32: lambda i: x[i] / 3")));
}

TEST_CASE("other lambdas") {
  for (const std::string &text : kOthers) {
    CAPTURE(text);
    CHECK_FALSE(isLinearMap(parse(text)));
  }
}
