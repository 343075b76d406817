// Gradients of operators on random shapes and attributes, against finite
// differences. The seed of a failure is printed.
#include "compiler/training/Adjoint.h"
#include "dialects/tdl/lambda/Interpreter.h"
#include "dialects/tdl/library/Library.h"
#include "test/compiler/training/FiniteDifferences.h"

#include <catch2/catch.hpp>

#include <iterator>

using namespace smex;

namespace {

class Random {
public:
  explicit Random(uint64_t seed) : random(seed) {}
  int64_t number(int64_t low, int64_t high) {
    return low + int64_t(random() % uint64_t(high - low + 1));
  }
  Tensor floats(std::vector<int64_t> shape) {
    Tensor tensor = makeTensor({DType::F32, std::move(shape)});
    for (int64_t i = 0; i < *elementCount(tensor.type.shape); ++i)
      tensor.data<float>()[i] = float(number(-1000, 1000)) / 700;
    return tensor;
  }
  Tensor indices(std::vector<int64_t> shape, int64_t below) {
    Tensor tensor = makeTensor({DType::I64, std::move(shape)});
    for (int64_t i = 0; i < *elementCount(tensor.type.shape); ++i)
      tensor.data<int64_t>()[i] = number(0, below - 1);
    return tensor;
  }

private:
  std::mt19937_64 random;
};

struct Use {
  std::string op;
  std::vector<Tensor> operands;
  tdl::Attributes attributes;
};

using List = std::vector<int64_t>;

/// What an output of a window has along a dimension; may be less than 1.
int64_t extentOf(int64_t in, int64_t kernel, int64_t stride, int64_t dilation,
                 int64_t pads) {
  const int64_t span = in + pads - dilation * (kernel - 1) - 1;
  return span < 0 ? 0 : span / stride + 1;
}

Use convolution(Random &r) {
  const int64_t spatial = r.number(1, 2), groups = r.number(1, 3);
  const int64_t m = groups * r.number(1, 2), c = groups * r.number(1, 3);
  List x = {r.number(1, 2), c}, w = {m, c / groups};
  List strides, dilations, pads, out;
  for (int64_t d = 0; d < spatial; ++d) {
    x.push_back(r.number(4, 7));
    w.push_back(r.number(1, 3));
    strides.push_back(r.number(1, 3));
    dilations.push_back(r.number(1, 2));
    pads.push_back(r.number(0, 2));
    out.push_back(extentOf(x.back(), w.back(), strides.back(), dilations.back(),
                           pads.back() + r.number(0, 1)));
  }
  return {"conv",
          {r.floats(x), r.floats(w)},
          {{"strides", strides},
           {"dilations", dilations},
           {"pads", pads},
           {"out", out}}};
}

Use matrixProduct(Random &r) {
  const int64_t m = r.number(1, 5), k = r.number(1, 5), n = r.number(1, 5);
  return {"matmul", {r.floats({m, k}), r.floats({k, n})}, {}};
}

Use normalization(Random &r) {
  const int64_t axis = r.number(0, 2);
  const char *ops[] = {"softmax", "log_softmax"};
  return {ops[r.number(0, 1)],
          {r.floats({r.number(1, 4), r.number(1, 4), r.number(1, 4)})},
          {{"axis", axis}}};
}

Use batchNormalization(Random &r) {
  const int64_t c = r.number(1, 4);
  return {"batch_norm_training",
          {r.floats({r.number(2, 4), c, r.number(2, 4)}), r.floats({c}),
           r.floats({c}), r.floats({c}), r.floats({c})},
          {}};
}

Use instanceNormalization(Random &r) {
  const int64_t c = r.number(1, 4);
  return {"instance_norm",
          {r.floats({r.number(1, 3), c, r.number(3, 5), r.number(2, 3)}),
           r.floats({c}), r.floats({c})},
          {}};
}

Use crossEntropy(Random &r) {
  const int64_t classes = r.number(2, 5);
  List x = {r.number(1, 4), classes, r.number(1, 3)};
  return {"cross_entropy",
          {r.floats(x), r.indices({x[0], x[2]}, classes)},
          {{"axis", int64_t(1)}, {"ignore", r.number(-1, classes)}}};
}

const std::vector<Use (*)(Random &)> makers = {
    convolution,        matrixProduct,         normalization,
    batchNormalization, instanceNormalization, crossEntropy};

} // namespace

TEST_CASE("gradients of random uses of operators") {
  test::FiniteDifferences differences{7};
  int uses = 0;
  for (uint64_t seed = 0; seed < 240; ++seed) {
    Random random(seed);
    const Use use = makers[seed % makers.size()](random);
    std::vector<TensorType> types;
    for (const Tensor &tensor : use.operands)
      types.push_back(tensor.type);
    INFO("seed " << seed << ", " << use.op);
    const auto instance =
        tdl::standardLibrary().instantiate(use.op, types, use.attributes);
    if (!instance)
      FAIL(instance.error().message);
    std::vector<Tensor> results;
    results.reserve(instance->applications.size());
    ++uses;
    for (const tdl::Application &application : instance->applications) {
      std::vector<const Tensor *> operands;
      for (int source : application.operands)
        operands.push_back(source >= 0 ? &use.operands[size_t(source)]
                                       : &results[size_t(~source)]);
      auto result =
          tdl::interpret(application.lambda, application.extents, operands);
      if (!result)
        FAIL(result.error().message);
      if (isFloat(application.lambda.result))
        CHECK(differences.check(application.lambda, application.extents,
                                operands) == "");
      results.push_back(std::move(*result));
    }
  }
  CHECK(uses == 240);
  CHECK(differences.gradients > 500);
  CHECK(differences.large == 0);
}

TEST_CASE("gradients of messages along edges go the other way along them") {
  // x: a row per source, w: one per destination, m: one per edge.
  const std::string operands =
      "(x: f32[2], w: f32[1], m: f32[1], src: i64[1], dst: i64[1]) -> f32: ";
  const std::string term = "x[src[e], f] * m[e] * w[v]";
  test::FiniteDifferences differences{11};
  for (const std::string reducer : {"Sum", "Max", "Prod"})
    for (uint64_t seed = 0; seed < 10; ++seed) {
      INFO(reducer << ", seed " << seed);
      Random r(seed);
      const int64_t sources = r.number(1, 5), nodes = r.number(1, 5),
                    edges = r.number(1, 12), features = r.number(1, 3);
      const auto lambda =
          tdl::parseLambda(operands + "lambda v, f: " + reducer +
                           "(lambda e: " + term + " where dst[e] == v)");
      if (!lambda)
        FAIL(lambda.error().message);
      const std::vector<Tensor> tensors = {
          r.floats({sources, features}), r.floats({nodes}), r.floats({edges}),
          r.indices({edges}, sources), r.indices({edges}, nodes)};
      std::vector<const Tensor *> pointers;
      analysis::Shapes shapes;
      for (const Tensor &tensor : tensors) {
        pointers.push_back(&tensor);
        shapes.push_back(tensor.type.shape);
      }
      const List extents = {nodes, features, edges};
      CHECK(differences.check(*lambda, extents, pointers) == "");
      if (reducer != "Sum")
        continue;
      // No gradient goes through edges times nodes.
      for (int operand : {0, 1, 2}) {
        const auto made = training::adjoint(*lambda, extents, shapes, operand);
        REQUIRE(made);
        for (const tdl::Application &application : made->applications)
          for (size_t i = 0, seen = 0; i < application.extents.size(); ++i)
            if (application.lambda.indexCount() > application.lambda.rank() &&
                int(i) >= application.lambda.rank())
              CHECK(++seen <= 2); // edges, and perhaps features
      }
    }
  CHECK(differences.gradients > 60);
  CHECK(differences.large == 0);
}

TEST_CASE("numbers of several digits have one gradient for each") {
  test::FiniteDifferences differences{13};
  const std::string read[] = {
      // of three digits, in two orders, and of four
      "(x: f32[3]) -> f32: lambda i: x[i // 12, i // 4 % 3, i % 4]",
      "(x: f32[3]) -> f32: lambda i: x[i % 4, i // 12, i // 4 % 3]",
      "(x: f32[4]) -> f32: lambda i: x[i // 60, i // 12 % 5, i // 4 % 3, i % "
      "4]",
      // of which some are lost: elements are read several times
      "(x: f32[2]) -> f32: lambda i: x[i // 12, i // 4 % 3]",
      "(x: f32[2]) -> f32: lambda i: x[i // 12, i % 4]",
      "(x: f32[2]) -> f32: lambda i: x[i // 4 % 3, i % 4]",
      // and whose divisors say nothing of one another
      "(x: f32[2]) -> f32: lambda i: x[i // 10, i // 4 % 3]",
  };
  const List shapes[] = {{5, 3, 4}, {4, 5, 3}, {2, 5, 3, 4}, {5, 3},
                         {5, 4},    {3, 4},    {6, 3}};
  for (size_t n = 0; n < std::size(read); ++n) {
    INFO(read[n]);
    const auto lambda = tdl::parseLambda(read[n]);
    REQUIRE(lambda);
    Random r(n);
    const Tensor x = r.floats(shapes[n]);
    const int64_t extent = shapes[n].size() == 4 ? 120 : 60;
    CHECK(differences.check(*lambda, {extent}, {&x}) == "");
  }
  CHECK(differences.gradients == int(std::size(read)));
  // All digits known, nothing is summed over.
  const auto lambda = tdl::parseLambda(read[2]);
  const auto made = training::adjoint(*lambda, {120}, {{2, 5, 3, 4}}, 0);
  REQUIRE(made);
  CHECK(made->applications.back().extents.size() == 4);
}

TEST_CASE("slopes that cancel are none") {
  // As of an edge that leads to where it comes from, x[dst] - x[src].
  const auto lambda = tdl::parseLambda(
      "(x: f32[2]) -> f32: lambda v, j: (x[0, j] else 0) if j < 4 else (x[0, j "
      "- 4] else 0) - (x[0, j - 4] else 0)");
  REQUIRE(lambda);
  Random r(1);
  const Tensor x = r.floats({1, 4});
  test::FiniteDifferences differences{14};
  CHECK(differences.check(*lambda, {1, 8}, {&x}) == "");
  CHECK(differences.gradients == 1);
  const auto none =
      tdl::parseLambda("(x: f32[1]) -> f32: lambda i: x[i] - x[i]");
  REQUIRE(none);
  const auto made = training::adjoint(*none, {4}, {{4}}, 0);
  REQUIRE(made);
  CHECK(made->results.empty());
}

TEST_CASE("elements that an opaque function chooses take its gradient") {
  test::FiniteDifferences differences{12};
  for (const std::string largest : {"0", "1"})
    for (const std::string body :
         {"(x: f32[2]) -> f32: lambda i, j: @topk_values(x[i, :], 3, ",
          "(x: f32[2]) -> f32: lambda j, i: @topk_values(x[:, i], 3, "}) {
      const auto lambda = tdl::parseLambda(body + largest + ")[j]");
      REQUIRE(lambda);
      const bool isRow = body.find("[i, :]") != std::string::npos;
      Random r(3);
      const Tensor x = r.floats(isRow ? List{4, 7} : List{7, 4});
      CHECK(differences.check(*lambda, isRow ? List{4, 3} : List{3, 4}, {&x}) ==
            "");
    }
  CHECK(differences.gradients == 4);
  CHECK(differences.refused.empty());

  // Of equal elements the first is chosen, and no other one has a gradient.
  const auto lambda =
      tdl::parseLambda("(x: f32[1]) -> f32: lambda j: @topk_values(x[:], 2, "
                       "1)[j]");
  const auto made = training::adjoint(*lambda, {2}, {{5}}, 0);
  REQUIRE(made);
  const auto floats = [](std::vector<float> values) {
    Tensor tensor = makeTensor({DType::F32, {int64_t(values.size())}});
    std::copy(values.begin(), values.end(), tensor.data<float>());
    return tensor;
  };
  const Tensor x = floats({1, 4, 2, 4, 4}), y = floats({4, 4}),
               dy = floats({10, 100});
  const Tensor *operands[] = {&x, &y, &dy};
  std::vector<Tensor> results;
  results.reserve(made->applications.size());
  for (const tdl::Application &each : made->applications) {
    std::vector<const Tensor *> read;
    for (int source : each.operands)
      read.push_back(source >= 0 ? operands[source]
                                 : &results[size_t(~source)]);
    auto value = tdl::interpret(each.lambda, each.extents, read);
    REQUIRE(value);
    results.push_back(std::move(*value));
  }
  REQUIRE(made->results.size() == 1);
  const Tensor &gradient = results[size_t(~made->results[0])];
  CHECK(
      std::vector<float>(gradient.data<float>(), gradient.data<float>() + 5) ==
      std::vector<float>{0, 10, 0, 100, 0});
}
