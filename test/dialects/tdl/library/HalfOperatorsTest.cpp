// Operators of f16 and bf16: what is in between is neither rounded nor out of
// range, so that every result is its formula's, rounded once.
#include "test/dialects/tdl/library/Use.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace smex;
using namespace smex::tdl;

namespace {

using Numbers = std::vector<double>;
using Integers = std::vector<int64_t>;

/// From -amplitude to amplitude around a middle, no two neighbours alike.
Numbers spread(int64_t count, double amplitude, double middle = 0) {
  Numbers numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(middle +
                      amplitude * (double((i * 37) % 101) - 50) / 50.0);
  return numbers;
}

double sum(const Numbers &x, const std::function<double(double)> &of) {
  double all = 0;
  for (double each : x)
    all += of(each);
  return all;
}
double mean(const Numbers &x) {
  return sum(x, [](double v) { return v; }) / double(x.size());
}
double variance(const Numbers &x) {
  const double m = mean(x);
  return sum(x, [&](double v) { return (v - m) * (v - m); }) / double(x.size());
}
double squares(const Numbers &x) {
  return sum(x, [](double v) { return v * v; });
}

/// Holds an operator's first result to what `formula` makes of its operands
/// (as they are, rounded to 16 bits): half a unit of the last place, and a
/// little for the f32 that is in between.
void check(const std::string &op, const std::vector<Numbers> &operands,
           const std::vector<Integers> &shapes, const Attributes &attributes,
           const std::function<Numbers(const std::vector<Numbers> &)> &formula,
           double magnitude = 0) {
  for (DType type : {DType::F16, DType::BF16}) {
    std::vector<Tensor> tensors;
    std::vector<Numbers> rounded;
    std::vector<TensorType> types;
    for (size_t i = 0; i < operands.size(); ++i) {
      tensors.push_back(tensor(type, shapes[i], operands[i]));
      rounded.push_back(values(tensors.back()));
      types.push_back(tensors.back().type);
    }
    INFO(op << " of " << name(type));
    const auto instance = standardLibrary().instantiate(op, types, attributes);
    INFO((instance ? "" : instance.error().message));
    REQUIRE(instance);
    const auto results = evaluate(*instance, tensors);
    REQUIRE(results);
    CHECK(results->at(0).type.dtype == type);
    const Numbers got = values(results->at(0)), want = formula(rounded);
    REQUIRE(got.size() == want.size());
    const double unit = type == DType::F16 ? 0x1p-10 : 0x1p-7;
    const double least = type == DType::F16 ? 0x1p-24 : 0x1p-133;
    double worst = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      const double apart =
          std::fabs(got[i] - want[i]) /
          std::max(unit * std::max(std::fabs(want[i]), magnitude), least);
      worst = apart <= worst ? worst : apart; // also NaN
    }
    CHECK(worst < 0.51);
  }
}

/// Over the second of two dimensions.
void checkReduction(const std::string &op, const Numbers &x,
                    const std::function<double(const Numbers &)> &formula) {
  const auto count = int64_t(x.size());
  check(op, {x}, {{1, count}},
        {{"out", Integers{1}},
         {"over", Integers{count}},
         {"from", Integers{0, 1}}},
        [&](const std::vector<Numbers> &given) {
          return Numbers{formula(given[0])};
        });
}

/// An element-wise operator.
void checkMap(const std::string &op, const Numbers &x,
              const Attributes &attributes,
              const std::function<double(double)> &formula) {
  check(op, {x}, {{int64_t(x.size())}}, attributes,
        [&](const std::vector<Numbers> &given) {
          Numbers result;
          for (double v : given[0])
            result.push_back(formula(v));
          return result;
        });
}

/// (x - mean) / deviation * scale + bias.
Numbers normalized(const Numbers &x, double epsilon, const Numbers &scale,
                   const Numbers &bias) {
  const double m = mean(x), d = std::sqrt(variance(x) + epsilon);
  Numbers result;
  for (size_t i = 0; i < x.size(); ++i)
    result.push_back((x[i] - m) / d * scale[i % scale.size()] +
                     bias[i % bias.size()]);
  return result;
}

} // namespace

TEST_CASE("reductions: a sum that is no f16, of which a smaller number is "
          "made") {
  checkReduction("reduce_mean", Numbers(4096, 100), mean);
  checkReduction("reduce_mean", spread(70000, 3, 1), mean);
  checkReduction("reduce_l2", spread(1024, 100),
                 [](const Numbers &x) { return std::sqrt(squares(x)); });
  checkReduction("reduce_log_sum", Numbers(70000, 1.5), [](const Numbers &x) {
    return std::log(sum(x, [](double v) { return v; }));
  });
  checkReduction(
      "reduce_log_sum_exp", spread(70000, .01), [](const Numbers &x) {
        return std::log(sum(x, [](double v) { return std::exp(v); }));
      });
}

TEST_CASE("softmax over more classes than f16 has numbers for") {
  const Attributes axis = {{"axis", int64_t(1)}};
  const Numbers x = spread(70000, .01);
  for (bool logarithm : {false, true})
    check(logarithm ? "log_softmax" : "softmax", {x}, {{1, 70000}}, axis,
          [&](const std::vector<Numbers> &given) {
            const double all =
                sum(given[0], [](double v) { return std::exp(v); });
            Numbers result;
            for (double v : given[0])
              result.push_back(logarithm ? v - std::log(all)
                                         : std::exp(v) / all);
            return result;
          });
}

TEST_CASE("normalizations of large numbers") {
  const Numbers x = spread(1024, 300, 100), scale = {1.5}, bias = {0.25};
  const double epsilon = 1e-5;
  const auto formula = [&](const std::vector<Numbers> &given) {
    return normalized(given[0], epsilon, given[1], given[2]);
  };
  // What cancels is as exact as what it is made of.
  check("instance_norm", {x, scale, bias}, {{1, 1, 1024}, {1}, {1}}, {},
        formula, .01);
  check("group_norm", {x, scale, bias}, {{1, 1, 1024}, {1}, {1}},
        {{"G", int64_t(1)}}, formula, .01);
  check("batch_norm_training", {x, scale, bias, {0}, {1}},
        {{1, 1, 1024}, {1}, {1}, {1}, {1}}, {}, formula, .01);
  check(
      "layer_norm", {x, spread(1024, 1)}, {{1, 1024}, {1024}},
      {{"axis", int64_t(1)}},
      [&](const std::vector<Numbers> &given) {
        return normalized(given[0], epsilon, given[1], {0});
      },
      .01);
  check("rms_norm", {x, spread(1024, 1)}, {{1, 1024}, {1024}},
        {{"axis", int64_t(1)}}, [&](const std::vector<Numbers> &given) {
          const double r = std::sqrt(squares(given[0]) / 1024 + epsilon);
          Numbers result;
          for (size_t i = 0; i < 1024; ++i)
            result.push_back(given[0][i] / r * given[1][i]);
          return result;
        });
  check("lp_normalization", {x}, {{1, 1024}}, {{"axis", int64_t(1)}},
        [&](const std::vector<Numbers> &given) {
          Numbers result;
          for (double v : given[0])
            result.push_back(v / std::sqrt(squares(given[0])));
          return result;
        });
  check(
      "batch_norm", {spread(64, 30, 10), {1.7}, {.3}, {9.1}, {1234}},
      {{1, 1, 64}, {1}, {1}, {1}, {1}}, {},
      [&](const std::vector<Numbers> &given) {
        Numbers result;
        for (double v : given[0])
          result.push_back((v - given[3][0]) /
                               std::sqrt(given[4][0] + epsilon) * given[1][0] +
                           given[2][0]);
        return result;
      },
      .01);
}

TEST_CASE("pooling of a window whose sum is no f16") {
  const Attributes window = {{"kernel", Integers{900}},
                             {"strides", Integers{1}},
                             {"dilations", Integers{1}},
                             {"pads", Integers{0}},
                             {"out", Integers{1}}};
  const Numbers x = spread(900, 3, 100);
  check("average_pool", {x}, {{1, 1, 900}}, window,
        [](const std::vector<Numbers> &given) {
          return Numbers{mean(given[0])};
        });
  check("lp_pool", {x}, {{1, 1, 900}}, window,
        [](const std::vector<Numbers> &given) {
          return Numbers{std::sqrt(squares(given[0]))};
        });
}

TEST_CASE("activations, far out and near 0") {
  const Numbers x = spread(101, 18), small = spread(101, .05);
  for (const Numbers &numbers : {x, small}) {
    checkMap("sigmoid", numbers, {},
             [](double v) { return 1 / (1 + std::exp(-v)); });
    checkMap("swish", numbers, {},
             [](double v) { return v / (1 + std::exp(-v)); });
    checkMap("leaky_relu", numbers, {},
             [](double v) { return v > 0 ? v : double(.01f) * v; });
    checkMap("hard_swish", numbers, {}, [](double v) {
      return v * std::min(std::max(v / 6 + .5, 0.0), 1.0);
    });
  }
  // Where f32 cancels nothing.
  const Numbers moderate = spread(101, 3, 2);
  checkMap("softplus", moderate, {},
           [](double v) { return std::log(1 + std::exp(v)); });
  checkMap("gelu", moderate, {},
           [](double v) { return .5 * v * (1 + std::erf(v * std::sqrt(.5))); });
  checkMap("mish", moderate, {},
           [](double v) { return v * std::tanh(std::log(1 + std::exp(v))); });
  checkMap("selu", moderate, {}, [](double v) {
    return 1.0507009873554805 *
           (v > 0 ? v : 1.6732632423543772 * (std::exp(v) - 1));
  });
}

TEST_CASE("one operation, or one reduction, stays a lambda of 16 bits") {
  const TensorType matrix = {DType::F16, {8, 8}};
  for (const char *op : {"add", "matmul", "relu", "transpose"}) {
    const bool isUnary =
        op != std::string("add") && op != std::string("matmul");
    const auto instance = standardLibrary().instantiate(
        op,
        isUnary ? std::vector<TensorType>{matrix}
                : std::vector<TensorType>{matrix, matrix},
        op == std::string("transpose") ? Attributes{{"perm", Integers{1, 0}}}
                                       : Attributes{});
    INFO(op << (instance ? "" : instance.error().message));
    REQUIRE(instance);
    REQUIRE(instance->applications.size() == 1);
    CHECK(toString(instance->applications[0].lambda).find("f32") ==
          std::string::npos);
  }
}

TEST_CASE("what is between the lambdas of an operator of 16 bits is f32, "
          "results are as they are declared") {
  CHECK(expanded("op(x[n]):\n"
                 "    s = lambda: Sum(lambda i < n: x[i])\n"
                 "    return lambda i < n: x[i] / s[], s\n",
                 {{DType::F16, {4}}}) ==
        "t0 = (x0: f16[1]) -> f32: lambda: Sum(lambda r0: f32(x0[r0])) of x0 "
        "over 4\n"
        "t1 = (x0: f16[1], x1: f32[0]) -> f16: lambda i0: f16(f32(x0[i0]) / "
        "x1[]) of x0 t0 over 4\n"
        "t2 = (x0: f32[0]) -> f16: lambda: f16(x0[]) of t0 over\n"
        "-> t1 t2\n");
}
