// The lambdas that models become: library kernels, analyses and message passing
// recognize them by their text.
#include "test/compiler/frontend/models.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::test;

static std::vector<std::string> lambdas(const OnnxModel &m) {
  static int number = 0;
  auto model = frontend::importModel(
      m.save(scratch("lambdas" + std::to_string(++number))), {});
  if (!model)
    FAIL(model.error().message);
  std::vector<std::string> texts;
  for (const auto &a : model->applications)
    texts.push_back(toString(a.lambda));
  return texts;
}

using Texts = std::vector<std::string>;

TEST_CASE("products") {
  OnnxModel m;
  m.input("a", {"4", "3"});
  m.input("b", {"3", "5"});
  m.input("c", {"5"});
  m.input("t", {"5", "3"});
  m.node("MatMul", {"a", "b"}, {"x"});
  setInt(m.node("Gemm", {"a", "t", "c"}, {"y"}), "transB", 1);
  m.output("x");
  m.output("y");
  CHECK(lambdas(m) ==
        Texts{"(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: "
              "x0[i0, r0] * x1[r0, i1])",
              "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: "
              "x0[i0, r0] * x1[i1, r0])",
              "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: x0[i0, i1] + "
              "x1[i1]"});
}

TEST_CASE("a convolution and its bias") {
  OnnxModel m;
  m.input("x", {"1", "2", "5", "5"});
  m.input("w", {"4", "2", "3", "3"});
  m.input("b", {"4"});
  m.node("Conv", {"x", "w", "b"}, {"y"});
  m.output("y");
  CHECK(lambdas(m) ==
        Texts{"(x0: f32[4], x1: f32[4]) -> f32: lambda i0, i1, i2, i3: "
              "Sum(lambda r0, "
              "r1, r2: x0[i0, r0, i2 + r1, i3 + r2] * x1[i1, r0, r1, r2])",
              "(x0: f32[4], x1: f32[1]) -> f32: lambda i0, i1, i2, i3: x0[i0, "
              "i1, i2, "
              "i3] + x1[i1]"});
}

TEST_CASE("constants that are one number become part of the lambda") {
  OnnxModel m;
  m.input("x", {"2", "3"});
  auto &constant = m.node("Constant", {}, {"two"});
  auto *value = constant.add_attribute();
  value->set_name("value_float");
  value->set_type(onnx::AttributeProto::FLOAT);
  value->set_f(2);
  m.node("Pow", {"x", "two"}, {"p"});
  m.node("Mul", {"p", "two"}, {"y"});
  m.output("y");
  CHECK(lambdas(m) ==
        Texts{"(x0: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] * x0[i0, i1]",
              "(x0: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] * 2"});
}

TEST_CASE("weights stay weights, however they are reshaped") {
  OnnxModel m;
  m.input("x", {"2", "3", "4"});
  auto &w = m.parameter("w", {3});
  for (int i = 0; i < 3; ++i)
    w.add_float_data(1); // uniform, but training changes it
  m.ints("axes", {1});
  m.node("Unsqueeze", {"w", "axes"}, {"u"});
  m.node("Mul", {"x", "u"}, {"y"});
  m.output("y");
  auto model = frontend::importModel(m.save(scratch("weights")), {});
  REQUIRE(model);
  REQUIRE(model->parameters.size() == 1);
  CHECK(model->values[model->parameters[0].value].name == "w");
  CHECK_FALSE(model->parameters[0].constant);
  CHECK(model->applications.size() == 2);
}

TEST_CASE("shape arithmetic leaves nothing behind") {
  OnnxModel m;
  m.input("x", {"2", "3", "4"});
  m.ints("zero", {0});
  m.ints("minus", {-1});
  m.node("Shape", {"x"}, {"s"});
  m.node("Gather", {"s", "zero"}, {"batch"});
  setInt(m.node("Concat", {"batch", "minus"}, {"flat"}), "axis", 0);
  m.node("Reshape", {"x", "flat"}, {"y"});
  m.output("y");
  CHECK(lambdas(m) ==
        Texts{"(x0: f32[3]) -> f32: lambda i0, i1: x0[i0, i1 // 4, i1 % 4]"});
}

TEST_CASE("what does nothing is nothing") {
  OnnxModel m;
  m.input("x", {"2", "1", "3"});
  m.ints("shape", {2, 1, 3});
  m.node("Identity", {"x"}, {"a"});
  m.node("Dropout", {"a"}, {"b"});
  m.node("Reshape", {"b", "shape"}, {"c"});
  setInt(m.node("Cast", {"c"}, {"d"}), "to", 1);
  m.output("d");
  auto model = frontend::importModel(m.save(scratch("nothing")), {});
  REQUIRE(model);
  CHECK(model->applications.empty());
  CHECK(model->outputs == model->inputs);
  CHECK(model->outputNames == std::vector<std::string>{"d"});
}

TEST_CASE("before opset 12, dropout follows the run") {
  for (int opset : {7, 11, 12}) {
    OnnxModel m(opset);
    m.input("x", {"2", "3"});
    m.node("Dropout", {"x"}, {"y", "kept"});
    m.output("y");
    const std::string path = m.save(scratch("dropout"));
    for (bool training : {false, true}) {
      frontend::ImportOptions options;
      options.training = training;
      auto model = frontend::importModel(path, options);
      REQUIRE(model);
      CHECK(model->applications.empty() == (!training || opset == 12));
    }
  }
}

TEST_CASE(
    "a sum over edges, as exporters write it, is a preimage of vertices") {
  OnnxModel m;
  m.input("messages", {"7", "4"});
  m.input("vertices", {"5", "4"});
  m.input("to", {"7"}, DType::I64);
  m.ints("axes", {1});
  m.ints("shape", {7, 4});
  m.node("Unsqueeze", {"to", "axes"}, {"u"});
  m.node("Expand", {"u", "shape"}, {"at"});
  auto &scatter =
      m.node("ScatterElements", {"vertices", "at", "messages"}, {"y"});
  auto *reduction = scatter.add_attribute();
  reduction->set_name("reduction");
  reduction->set_type(onnx::AttributeProto::STRING);
  reduction->set_s("add");
  m.output("y");
  CHECK(lambdas(m) ==
        Texts{"(x0: f32[2], x1: i64[1]) -> f32: lambda i0, i1: Sum(lambda r0: "
              "x0[r0, "
              "i1] where (x1[r0] + 5 if x1[r0] < 0 else x1[r0]) == i0)",
              "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] + "
              "x1[i0, i1]"});
}
