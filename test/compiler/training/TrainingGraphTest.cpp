// Losses against their formulas, what the graph of a training step is, and what
// cannot be trained. Whole models against PyTorch are test/end_to_end/training.
#include "test/compiler/training/Trainer.h"
#include "test/compiler/training/WrittenModel.h"

#include <cmath>
#include <set>

using namespace smex;
using namespace smex::test;
using training::TrainingOptions;

namespace {

double lossOf(const std::string &model, const std::string &loss,
              std::map<std::string, Tensor> inputs,
              std::optional<int64_t> ignore = {}) {
  TrainingOptions options;
  options.loss = loss;
  options.ignoreIndex = ignore;
  auto built = trainingStepOf(model, options);
  if (!built)
    FAIL(built.error().message);
  return Trainer(std::move(*built)).step(inputs);
}

std::string errorOf(const std::string &model, const TrainingOptions &options) {
  auto built = trainingStepOf(model, options);
  REQUIRE(!built);
  return built.error().message;
}

TrainingOptions withLoss(const std::string &loss) {
  TrainingOptions options;
  options.loss = loss;
  return options;
}

} // namespace

TEST_CASE("losses are means over elements") {
  const std::map<std::string, Tensor> inputs = {
      {"x", floats({3}, {1, 1, 1})}, {"labels", floats({3}, {0.25f, 1, -1})}};
  CHECK(lossOf(vector, "mse", inputs) ==
        Approx((0.75 * 0.75 + 9 + 1.5 * 1.5) / 3));
  CHECK(lossOf(vector, "l1", inputs) == Approx((0.75 + 3 + 1.5) / 3));
  double expected = 0;
  for (size_t i = 0; i < 3; ++i)
    expected += std::log1p(std::exp(start[i])) - start[i] * target[i];
  CHECK(lossOf(vector, "bce_with_logits", inputs) == Approx(expected / 3));
}

TEST_CASE("cross entropy along an axis, without what is ignored") {
  const char *model = R"(
    "inputs": [{"name": "x", "type": "f32", "shape": [2, 3, 2]}],
    "parameters": [{"name": "w", "type": "f32", "shape": [], "values": 1}],
    "nodes": [{"op": "Mul", "inputs": ["x", "w"], "outputs": ["y"]}],
    "outputs": ["y"])";
  const std::vector<float> x = {1, 2, -1, 0.5f, 3, 0, -2, 100, 1, 1, 0, -100};
  const auto term = [&](int n, int d, int label) {
    double sum = 0;
    for (int c = 0; c < 3; ++c)
      sum += std::exp(double(x[size_t(n * 6 + c * 2 + d)]));
    return std::log(sum) - x[size_t(n * 6 + label * 2 + d)];
  };
  const auto loss = [&](std::vector<int64_t> labels,
                        std::optional<int64_t> ignore) {
    return lossOf(model, "cross_entropy:1",
                  {{"x", floats({2, 3, 2}, x)},
                   {"labels", integers({2, 2}, std::move(labels))}},
                  ignore);
  };
  const double all =
      (term(0, 0, 2) + term(0, 1, 0) + term(1, 0, 1) + term(1, 1, 2)) / 4;
  CHECK(loss({2, 0, 1, 2}, {}) == Approx(all));
  const double some = (term(0, 0, 2) + term(1, 1, 2)) / 2;
  CHECK(loss({2, -1, -1, 2}, -1) == Approx(some));
  CHECK(loss({2, -100, -100, 2}, {}) == Approx(some));
}

TEST_CASE("rows that do not count have no loss and no gradient") {
  // y = x w, two columns; the labels of the middle row are no numbers.
  const char *model = R"(
    "inputs": [{"name": "x", "type": "f32", "shape": [3, 1]}],
    "parameters": [{"name": "w", "type": "f32", "shape": [2], "values": [1, -2]}],
    "nodes": [{"op": "Mul", "inputs": ["x", "w"], "outputs": ["y"]}],
    "outputs": ["y"])";
  const float nan = std::nanf("");
  const std::vector<float> x = {1, 5, 3}, t = {0.5f, 1, nan, nan, 2, -4};
  const std::map<std::string, Tensor> inputs = {
      {"x", floats({3, 1}, x)},
      {"labels", floats({3, 2}, t)},
      {"counted", integers({3}, {1, 0, 1})}};
  const double w[] = {1, -2};
  for (const char *name : {"mse", "l1", "bce_with_logits"}) {
    INFO(name);
    const std::string loss = name;
    TrainingOptions options;
    options.loss = loss;
    options.counted = "counted";
    options.learningRate = 1;
    double expected = 0, gradient[2] = {};
    for (size_t row : {0, 2})
      for (size_t c = 0; c < 2; ++c) {
        const double y = double(x[row]) * w[c], label = double(t[row * 2 + c]);
        const double d = y - label;
        expected += loss == "mse"  ? d * d
                    : loss == "l1" ? std::fabs(d)
                                   : std::log1p(std::exp(y)) - y * label;
        gradient[c] += double(x[row]) / 4 *
                       (loss == "mse"  ? 2 * d
                        : loss == "l1" ? (d > 0) - (d < 0)
                                       : 1 / (1 + std::exp(-y)) - label);
      }
    auto built = trainingStepOf(model, options);
    if (!built)
      FAIL(built.error().message);
    Trainer trainer(std::move(*built));
    CHECK(trainer.step(inputs) == Approx(expected / 4));
    const std::vector<float> got = trainer.parameter("w");
    for (size_t c = 0; c < 2; ++c)
      CHECK(got[c] == Approx(w[c] - gradient[c]));
  }
  TrainingOptions options;
  options.counted = "counted";
  for (const char *loss : {"cross_entropy", "given:y"}) {
    options.loss = loss;
    const auto built = trainingStepOf(model, options);
    REQUIRE_FALSE(built);
    CHECK_THAT(built.error().message, Catch::Contains("--counted"));
  }
}

TEST_CASE("a model that computes its loss says which rows count") {
  const auto unread = [](const std::string &type) {
    return R"(
      "inputs": [{"name": "x", "type": "f32", "shape": [3]},
                 {"name": "rows", "type": ")" +
           type + R"(", "shape": [3]}],
      "parameters": [{"name": "w", "type": "f32", "shape": [1], "values": [2]}],
      "nodes": [{"op": "Mul", "inputs": ["x", "w"], "outputs": ["y"]},
                {"op": "ReduceSum", "inputs": ["y"], "outputs": ["loss"], "attributes": {"keepdims": 0}}],
      "outputs": ["loss"])";
  };
  TrainingOptions options = withLoss("given:loss");
  options.counted = "rows";
  CHECK(errorOf(unread("i64"), options) ==
        "--counted: nothing in the model reads input \"rows\", so that all "
        "rows count in its loss");
  CHECK(errorOf(unread("f32"), options) ==
        "--counted: input \"rows\" is f32[3]: integers are needed, 1 or 0 for "
        "each row");
  options.counted = "counted";
  CHECK_THAT(errorOf(unread("i64"), options),
             Catch::Contains("has no input \"counted\" to say which rows count "
                             "in it: give it one of integers"));
  // Of those that count, the mean of (w x)^2.
  const char *own = R"(
    "inputs": [{"name": "x", "type": "f32", "shape": [3]},
               {"name": "rows", "type": "i32", "shape": [3]}],
    "parameters": [{"name": "w", "type": "f32", "shape": [1], "values": [2]}],
    "nodes": [{"op": "Mul", "inputs": ["x", "w"], "outputs": ["y"]},
              {"op": "Mul", "inputs": ["y", "y"], "outputs": ["s"]},
              {"op": "Cast", "inputs": ["rows"], "outputs": ["k"], "attributes": {"to": {"type": "f32"}}},
              {"op": "Mul", "inputs": ["s", "k"], "outputs": ["t"]},
              {"op": "ReduceSum", "inputs": ["t"], "outputs": ["sum"], "attributes": {"keepdims": 0}},
              {"op": "ReduceSum", "inputs": ["k"], "outputs": ["count"], "attributes": {"keepdims": 0}},
              {"op": "Div", "inputs": ["sum", "count"], "outputs": ["loss"]}],
    "outputs": ["loss"])";
  options.counted = "rows";
  options.learningRate = 1;
  auto built = trainingStepOf(own, options);
  if (!built)
    FAIL(built.error().message);
  const frontend::InputRange &range = built->inputRanges.at(built->inputs[1]);
  CHECK((range.low == 1 && range.high == 1 && range.ignore == 0));
  Trainer trainer(std::move(*built));
  Tensor rows = makeTensor({DType::I32, {3}});
  rows.data<int32_t>()[0] = rows.data<int32_t>()[2] = 1;
  CHECK(trainer.step({{"x", floats({3}, {1, 5, 3})}, {"rows", rows}}) ==
        Approx(4 * (1 + 9) / 2.0));
  CHECK(trainer.parameter("w")[0] == Approx(2 - 2 * 2 * (1 + 9) / 2.0));
  // An input that finds elements of others has other numbers than these.
  const char *index = R"(
    "inputs": [{"name": "rows", "type": "i64", "shape": [3]}],
    "parameters": [{"name": "w", "type": "f32", "shape": [4], "values": [1, 2, 3, 4]}],
    "nodes": [{"op": "Gather", "inputs": ["w", "rows"], "outputs": ["y"]},
              {"op": "ReduceSum", "inputs": ["y"], "outputs": ["loss"], "attributes": {"keepdims": 0}}],
    "outputs": ["loss"])";
  CHECK_THAT(errorOf(index, options),
             Catch::Contains("input \"rows\" says which elements of another "
                             "tensor are read"));
}

TEST_CASE("a parameter with several readers sums their gradients") {
  // loss = mean((w x + w)^2), x = 1: dw = 8 w / 3 per element.
  auto model = trainingStepOf(R"(
    "inputs": [{"name": "x", "type": "f32", "shape": [3]}],
    "parameters": [{"name": "w", "type": "f32", "shape": [3], "values": [1, -2, 0.5]}],
    "nodes": [{"op": "Mul", "inputs": ["x", "w"], "outputs": ["a"]},
              {"op": "Add", "inputs": ["a", "w"], "outputs": ["y"]}],
    "outputs": ["y"])",
                              [] {
                                TrainingOptions options = withLoss("mse");
                                options.learningRate = 0.25;
                                return options;
                              }());
  REQUIRE(model);
  Trainer trainer(std::move(*model));
  trainer.step(
      {{"x", floats({3}, {1, 1, 1})}, {"labels", floats({3}, {0, 0, 0})}});
  const std::vector<float> got = trainer.parameter("w");
  for (size_t i = 0; i < 3; ++i)
    CHECK(got[i] == Approx(start[i] * (1 - 0.25 * 8 / 3)));
}

TEST_CASE("what sums have in common is no reason to compute them twice") {
  // Of the gradients by b and c, and of those by s and t, one is a multiple of
  // the other.
  auto model = trainingStepOf(R"(
    "inputs": [{"name": "x", "type": "f32", "shape": [3, 2]}],
    "parameters": [{"name": "b", "type": "f32", "shape": [2], "values": [1, 2]},
                   {"name": "c", "type": "f32", "shape": [2], "values": [0.5, 3]},
                   {"name": "s", "type": "f32", "shape": [2], "values": [2, -1]},
                   {"name": "t", "type": "f32", "shape": [2], "values": [4, 1]}],
    "nodes": [{"op": "Mul", "inputs": ["x", "s"], "outputs": ["p"]},
              {"op": "Mul", "inputs": ["p", "t"], "outputs": ["q"]},
              {"op": "Add", "inputs": ["q", "b"], "outputs": ["u"]},
              {"op": "Sub", "inputs": ["u", "c"], "outputs": ["y"]}],
    "outputs": ["y"])",
                              withLoss("mse"));
  REQUIRE(model);
  int sums = 0;
  for (const frontend::Application &application : model->applications)
    sums += application.lambda.reducer == tdl::Reducer::Sum;
  CHECK(sums <= 5); // the loss, one per parameter at most
  Trainer trainer(std::move(*model));
  trainer.step({{"x", floats({3, 2}, {1, 2, 3, 4, 5, 6})},
                {"labels", floats({3, 2}, {0, 0, 0, 0, 0, 0})}});
  // y = x s t + b - c, dy = y / 3; a learning rate of 0.001.
  const double x[3][2] = {{1, 2}, {3, 4}, {5, 6}};
  const double s[2] = {2, -1}, t[2] = {4, 1}, b[2] = {1, 2}, c[2] = {0.5, 3};
  for (int j = 0; j < 2; ++j) {
    double db = 0, ds = 0;
    for (int i = 0; i < 3; ++i) {
      const double dy = (x[i][j] * s[j] * t[j] + b[j] - c[j]) / 3;
      db += dy;
      ds += dy * x[i][j] * t[j];
    }
    CHECK(trainer.parameter("b")[j] == Approx(b[j] - 0.001 * db));
    CHECK(trainer.parameter("c")[j] == Approx(c[j] + 0.001 * db));
    CHECK(trainer.parameter("s")[j] == Approx(s[j] - 0.001 * ds));
  }
}

TEST_CASE("gradients read results where these tell enough") {
  // The gradient of max(w x, 0) reads the result, that of exp(..), too: what
  // they are applied to need not be kept.
  for (const char *op : {"Relu", "Exp", "Sqrt", "Tanh"}) {
    auto model = trainingStepOf(R"(
    "inputs": [{"name": "x", "type": "f32", "shape": [3]}],
    "parameters": [{"name": "w", "type": "f32", "shape": [3], "values": [1, 2, 3]}],
    "nodes": [{"op": "Mul", "inputs": ["x", "w"], "outputs": ["a"]},
              {"op": ")" + std::string(op) +
                                    R"(", "inputs": ["a"], "outputs": ["y"]}],
    "outputs": ["y"])",
                                withLoss("mse"));
    REQUIRE(model);
    int readers = 0;
    for (const frontend::Application &application : model->applications)
      for (int operand : application.operands)
        readers += model->values[size_t(operand)].name == "a";
    INFO(op);
    CHECK(readers == 1);
  }
}

TEST_CASE("a frozen parameter is not trained") {
  TrainingOptions options = withLoss("mse");
  options.freeze = {"w"};
  CHECK(errorOf(vector, options).find("nothing to train") != std::string::npos);
  options.freeze = {"v"};
  CHECK(errorOf(vector, options) ==
        "the model has no parameter \"v\" to freeze");
}

TEST_CASE("what has no gradient is said") {
  const auto message = [](const std::string &model, const std::string &loss) {
    return errorOf(model, withLoss(loss));
  };
  CHECK(message(vector, "hinge") ==
        "no loss \"hinge\"; there are cross_entropy[:AXIS], mse, l1, "
        "bce_with_logits and given:NAME");
  CHECK(
      message(vector, "cross_entropy:1") ==
      "loss \"cross_entropy:1\": output \"y\" is f32[3], it has no such axis");
  CHECK(message(vector, "cross_entropy:x") ==
        "loss \"cross_entropy:x\": the axis is no number");
  CHECK(message(vector, "given:z") ==
        "the model has no value \"z\" to take as its loss");
  CHECK(message(vector, "given:y") ==
        "loss \"y\" is f32[3]: one float is needed");
  CHECK(message(R"(
    "inputs": [{"name": "x", "type": "f32", "shape": [3]}],
    "parameters": [{"name": "w", "type": "f32", "shape": [3], "values": [1, 2, 3]}],
    "nodes": [{"op": "Mul", "inputs": ["x", "w"], "outputs": ["a"]},
              {"op": "ArgMax", "inputs": ["a"], "outputs": ["y"]}],
    "outputs": ["y"])",
                "mse") == "output \"y\" is i64[1]: a loss needs a float");
  CHECK(message(R"(
    "inputs": [{"name": "x", "type": "f32", "shape": [3]}],
    "parameters": [{"name": "w", "type": "f32", "shape": [3], "values": [1, 2, 3]}],
    "nodes": [{"op": "Mul", "inputs": ["x", "w"], "outputs": ["a"]},
              {"op": "Floor", "inputs": ["a"], "outputs": ["y"]}],
    "outputs": ["y"])",
                "mse")
            .find("nothing to train") != std::string::npos);
  CHECK(message(R"(
    "inputs": [{"name": "x", "type": "f32", "shape": [2, 2]}],
    "parameters": [{"name": "w", "type": "f32", "shape": [2, 2], "values": [1, 2, 3, 4]}],
    "nodes": [{"op": "Mul", "name": "scale", "inputs": ["x", "w"], "outputs": ["a"]},
              {"op": "Det", "name": "volume", "inputs": ["a"], "outputs": ["y"]}],
    "outputs": ["y"])",
                "mse") == "node \"volume\": cannot be trained through: @det "
                          "has no gradient");
}

TEST_CASE("values that training adds get names of their own") {
  // A value of the model has a name that training would give.
  TrainingOptions options;
  options.loss = "mse";
  const auto model = trainingStepOf(R"(
    "inputs": [{"name": "x", "type": "f32", "shape": [3]}],
    "parameters": [{"name": "w", "type": "f32", "shape": [3], "values": [1, -2, 0.5]}],
    "nodes": [
      {"op": "Mul", "inputs": ["x", "w"], "outputs": ["gradient of w_2"]},
      {"op": "Mul", "inputs": ["gradient of w_2", "w"], "outputs": ["b"]},
      {"op": "Mul", "inputs": ["b", "w"], "outputs": ["y"]}],
    "outputs": ["y"])",
                                    options);
  REQUIRE(model);
  std::set<std::string> names;
  for (const frontend::Value &value : model->values) {
    CAPTURE(value.name);
    CHECK(names.insert(value.name).second);
  }
  for (const char *name : {"gradient of w", "gradient of w_2",
                           "gradient of w_3", "gradient of w_4"})
    CHECK(names.count(name) == 1);
}
