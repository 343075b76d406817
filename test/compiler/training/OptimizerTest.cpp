// Optimizers against their formulas, 16-bit floats among them.
// Whole models against PyTorch are test/end_to_end/training.
#include "test/compiler/training/Trainer.h"
#include "test/compiler/training/WrittenModel.h"

using namespace smex;
using namespace smex::test;
using training::TrainingOptions;

namespace {

/// Steps of `update(w, g, t)` in double, and of the training graph.
template <typename F>
void compareOptimizer(TrainingOptions options, F &&update) {
  options.loss = "mse";
  auto model = trainingStepOf(vector, options);
  if (!model)
    FAIL(model.error().message);
  Trainer trainer(std::move(*model));
  std::vector<double> w = start;
  for (int t = 1; t <= 5; ++t) {
    trainer.step({{"x", floats({3}, {1, 1, 1})},
                  {"labels", floats({3}, {0.25f, 1, -1})}});
    for (size_t i = 0; i < 3; ++i)
      update(i, w[i], 2 * (w[i] - target[i]) / 3, t);
    const std::vector<float> got = trainer.parameter("w");
    for (size_t i = 0; i < 3; ++i) {
      INFO(options.optimizer << ", step " << t << ", element " << i);
      CHECK(got[i] == Approx(w[i]).epsilon(2e-6).margin(1e-6));
    }
  }
}

} // namespace

TEST_CASE("optimizers take the steps that PyTorch's do") {
  TrainingOptions options;
  options.learningRate = 0.1;
  std::vector<double> a(3), b(3);
  SECTION("sgd") {
    options.weightDecay = 0.2;
    compareOptimizer(options, [&](size_t, double &w, double g, int) {
      w -= 0.1 * (g + 0.2 * w);
    });
  }
  SECTION("momentum") {
    options.optimizer = "momentum";
    options.momentum = 0.8;
    options.weightDecay = 0.2;
    compareOptimizer(options, [&](size_t i, double &w, double g, int) {
      a[i] = 0.8 * a[i] + g + 0.2 * w;
      w -= 0.1 * a[i];
    });
  }
  const auto adam = [&](double coupled, double decoupled) {
    compareOptimizer(
        options, [&, coupled, decoupled](size_t i, double &w, double g, int t) {
          g += coupled * w;
          w *= 1 - 0.1 * decoupled;
          a[i] = 0.9 * a[i] + 0.1 * g;
          b[i] = 0.999 * b[i] + 0.001 * g * g;
          w -= 0.1 * (a[i] / (1 - std::pow(0.9, t))) /
               (std::sqrt(b[i] / (1 - std::pow(0.999, t))) + 1e-8);
        });
  };
  SECTION("adam") {
    options.optimizer = "adam";
    options.weightDecay = 0.2;
    adam(0.2, 0);
  }
  SECTION("adamw, whose weights decay unless told otherwise") {
    options.optimizer = "adamw";
    adam(0, 0.01);
  }
  SECTION("adagrad") {
    options.optimizer = "adagrad";
    compareOptimizer(options, [&](size_t i, double &w, double g, int) {
      a[i] += g * g;
      w -= 0.1 * g / (std::sqrt(a[i]) + 1e-10);
    });
  }
}

// One gradient is 0: with history in f16, Adam divides 0 by 1e-8, which is 0.
TEST_CASE("optimizers take the steps of 16-bit parameters in f32") {
  const std::vector<double> labels = {1, 1, -1};
  for (DType type : {DType::F16, DType::BF16})
    for (const char *optimizer : {"sgd", "momentum", "adam", "adagrad"}) {
      INFO(name(type) << ", " << optimizer);
      const auto rounded = [&](double value) {
        return double(type == DType::F16
                          ? halfToFloat(floatToHalf(float(value)))
                          : bfloatToFloat(floatToBfloat(float(value))));
      };
      std::string text = vector;
      for (size_t at; (at = text.find("f32")) != std::string::npos;)
        text.replace(at, 3, name(type));
      TrainingOptions options;
      options.loss = "mse";
      options.optimizer = optimizer;
      options.learningRate = 0.1;
      auto model = trainingStepOf(text, options);
      if (!model)
        FAIL(model.error().message);
      for (const frontend::Parameter &parameter : model->parameters)
        if (const auto &value = model->values[size_t(parameter.value)];
            value.name != "w" && isFloat(value.type.dtype)) {
          INFO(value.name);
          CHECK(value.type.dtype == DType::F32);
        }
      Trainer trainer(std::move(*model));
      std::vector<double> w = start, a(3), b(3);
      const std::string which = optimizer;
      for (int t = 1; t <= 5; ++t) {
        trainer.step({{"x", test::halves(type, {3}, {1, 1, 1})},
                      {"labels", test::halves(type, {3}, {1, 1, -1})}});
        const std::vector<float> got = trainer.parameter("w");
        for (size_t i = 0; i < 3; ++i) {
          const double g = 2 * (w[i] - labels[i]) / 3;
          a[i] = which == "adam"       ? 0.9 * a[i] + 0.1 * g
                 : which == "momentum" ? 0.9 * a[i] + g
                                       : a[i] + g * g;
          b[i] = 0.999 * b[i] + 0.001 * g * g;
          w[i] -=
              0.1 *
              (which == "sgd"        ? g
               : which == "momentum" ? a[i]
               : which == "adagrad"
                   ? g / (std::sqrt(a[i]) + 1e-10)
                   : a[i] / (1 - std::pow(0.9, t)) /
                         (std::sqrt(b[i] / (1 - std::pow(0.999, t))) + 1e-8));
          w[i] = rounded(w[i]);
          INFO("step " << t << ", element " << i);
          // Gradients are of 16 bits, too.
          const double unit = type == DType::F16 ? 0x1p-10 : 0x1p-7;
          CHECK(std::fabs(got[i] - w[i]) <= 8 * unit);
          if (i == 0)
            CHECK(got[i] == 1);
        }
      }
    }
}

// y = w / |w|, w = (2^-17, 0): dy[1] / dw[1] = 2^17 is no f16, times 2^-10 it
// is.
TEST_CASE("a slope that is no f16 is multiplied before it is rounded") {
  TrainingOptions options;
  options.loss = "given:loss";
  options.learningRate = 0x1p-9;
  auto model = trainingStepOf(R"(
    "inputs": [{"name": "x", "type": "f16", "shape": [2]}],
    "parameters": [{"name": "w", "type": "f16", "shape": [2], "values": [7.62939453125e-06, 0]}],
    "nodes": [{"op": "LpNormalization", "inputs": ["w"], "outputs": ["y"]},
              {"op": "Mul", "inputs": ["x", "y"], "outputs": ["z"]},
              {"op": "ReduceSum", "inputs": ["z"], "outputs": ["loss"], "attributes": {"keepdims": 0}}],
    "outputs": ["loss"])",
                              options);
  if (!model)
    FAIL(model.error().message);
  Trainer trainer(std::move(*model));
  trainer.step({{"x", test::halves(DType::F16, {2}, {0, 0x1p-10f})}});
  CHECK(trainer.parameter("w") == std::vector<float>{0x1p-17f, -0.25f});
}

// y = w * 2^-26, whose gradient no f16 is: without a scale it is 0.
TEST_CASE("a scaled loss has gradients that f16 has none of") {
  const char *small = R"(
    "inputs": [{"name": "x", "type": "f16", "shape": [1]}],
    "parameters": [{"name": "w", "type": "f16", "shape": [1], "values": [1]}],
    "nodes": [{"op": "Mul", "inputs": ["x", "w"], "outputs": ["a"]},
              {"op": "Mul", "inputs": ["a", "x"], "outputs": ["y"]}],
    "outputs": ["y"])";
  for (const char *optimizer : {"sgd", "momentum", "adam", "adagrad"})
    for (double scale : {1.0, 1024.0}) {
      INFO(optimizer << ", " << scale);
      TrainingOptions options;
      options.loss = "given:y";
      options.optimizer = optimizer;
      const bool scales = std::string(optimizer) != "sgd" &&
                          std::string(optimizer) != "momentum";
      options.learningRate = scales ? 0.5 : 0x1p25;
      options.lossScale = scale;
      auto model = trainingStepOf(small, options);
      if (!model)
        FAIL(model.error().message);
      Trainer trainer(std::move(*model));
      const double loss =
          trainer.step({{"x", test::halves(DType::F16, {1}, {0x1p-13f})}});
      CHECK(loss == 0); // the scale is not seen
      CHECK(trainer.parameter("w")[0] ==
            Approx(scale == 1 ? 1 : 0.5).epsilon(.5));
      CHECK((trainer.parameter("w")[0] < 1) == (scale != 1));
    }
  TrainingOptions options;
  options.loss = "given:y";
  for (double scale : {0.0, -1.0, 65536.0}) {
    options.lossScale = scale;
    CHECK(!trainingStepOf(small, options));
  }
}
