#include "dialects/tdl/lambda/Lambda.h"
#include "test/compiler/frontend/evaluate.h"
#include "test/compiler/frontend/models.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>

using namespace smex;

namespace {

constexpr int64_t kSteps = 300;

/// y[t] is the sum of x's elements up to t, or from t on.
frontend::Model runningSum(bool reversed) {
  test::OnnxModel model;
  model.input("zero", {"2"});
  model.input("x", {std::to_string(kSteps), "2"});
  model.output("y");
  auto &scan = model.node("Scan", {"zero", "x"}, {"last", "y"}, "scan");
  test::setInt(scan, "num_scan_inputs", 1);
  for (const char *name : {"scan_input_directions", "scan_output_directions"}) {
    auto *attribute = scan.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::INTS);
    attribute->add_ints(reversed);
  }
  auto *attribute = scan.add_attribute();
  attribute->set_name("body");
  attribute->set_type(onnx::AttributeProto::GRAPH);
  onnx::GraphProto &body = *attribute->mutable_g();
  body.add_input()->set_name("sum");
  body.add_input()->set_name("element");
  auto *add = body.add_node();
  add->set_op_type("Add");
  add->add_input("sum");
  add->add_input("element");
  add->add_output("next");
  auto *same = body.add_node();
  same->set_op_type("Neg");
  same->add_input("next");
  same->add_output("shown");
  body.add_output()->set_name("next");
  body.add_output()->set_name("shown");

  auto imported = frontend::importModel(
      model.save(test::scratch(reversed ? "backward" : "forward")), {});
  if (!imported)
    FAIL(imported.error().message);
  return std::move(*imported);
}

} // namespace

TEST_CASE("each iteration gets its element") {
  for (bool reversed : {false, true}) {
    CAPTURE(reversed);
    const frontend::Model model = runningSum(reversed);
    Tensor zero = makeTensor({DType::F32, {2}});
    Tensor x = makeTensor({DType::F32, {kSteps, 2}});
    Tensor expected = makeTensor({DType::F32, {kSteps, 2}});
    float sums[2] = {0, 0};
    for (int64_t i = 0; i < kSteps; ++i)
      for (int64_t k = 0; k < 2; ++k) {
        const int64_t at = 2 * (reversed ? kSteps - 1 - i : i) + k;
        x.data<float>()[at] = float(at % 37);
        sums[k] += float(at % 37);
        expected.data<float>()[at] = -sums[k];
      }
    const auto outputs = test::evaluate(model, {{"zero", zero}, {"x", x}});
    if (!outputs)
      FAIL(outputs.error().message);
    CHECK(test::difference(outputs->at("y"), expected) == "");
  }
}

TEST_CASE("a loop without an iteration collects nothing") {
  for (bool declared : {true, false}) {
    CAPTURE(declared);
    test::OnnxModel model;
    model.input("x", {"2"});
    model.parameter("n", {}, DType::I64).add_int64_data(0);
    auto &loop = model.node("Loop", {"n", "", "x"}, {"last", "all"}, "loop");
    auto *attribute = loop.add_attribute();
    attribute->set_name("body");
    attribute->set_type(onnx::AttributeProto::GRAPH);
    onnx::GraphProto &body = *attribute->mutable_g();
    for (const char *name : {"i", "goes_on", "state"})
      body.add_input()->set_name(name);
    for (const char *name : {"goes_on", "state", "state"})
      body.add_output()->set_name(name);
    if (declared) {
      auto &type =
          *body.mutable_output(2)->mutable_type()->mutable_tensor_type();
      type.set_elem_type(onnx::TensorProto::FLOAT);
      type.mutable_shape()->add_dim()->set_dim_value(2);
    }
    test::setInt(model.node("ReduceSum", {"all"}, {"sum"}, "sum"), "keepdims",
                 0);
    model.output("last");
    model.output("sum");
    const auto imported =
        frontend::importModel(model.save(test::scratch("nothing")), {});
    if (!declared) {
      REQUIRE(!imported);
      CHECK_THAT(imported.error().message,
                 Catch::Contains("its body does not say which type and shape "
                                 "\"state\" has"));
      continue;
    }
    if (!imported)
      FAIL(imported.error().message);
    Tensor x = makeTensor({DType::F32, {2}}),
           zero = makeTensor({DType::F32, {}});
    x.data<float>()[0] = 3;
    const auto outputs = test::evaluate(*imported, {{"x", x}});
    if (!outputs)
      FAIL(outputs.error().message);
    CHECK(test::difference(outputs->at("last"), x) == "");
    CHECK(test::difference(outputs->at("sum"), zero) == "");
  }
}

TEST_CASE("a long loop has few distinct lambdas") {
  std::set<std::string> texts;
  const frontend::Model model = runningSum(false);
  for (const auto &application : model.applications)
    texts.insert(tdl::toString(application.lambda));
  CHECK(model.applications.size() > 3 * kSteps);
  CHECK(texts.size() < 60);
}

namespace {

/// Scan of opset 8 over two sequences of four numbers: sums up to each, and the
/// last ones. Lengths are a constant, or an input.
frontend::Model sumsOfSequences(bool known, bool reversed,
                                std::vector<int64_t> lengths) {
  test::OnnxModel model(8);
  if (known)
    model.ints("lengths", lengths);
  else
    model.input("lengths", {"2"}, DType::I64);
  model.input("zero", {"2", "1"});
  model.input("x", {"2", "4", "1"});
  model.output("last");
  model.output("y");
  auto &scan =
      model.node("Scan", {"lengths", "zero", "x"}, {"last", "y"}, "scan");
  test::setInt(scan, "num_scan_inputs", 1);
  auto *attribute = scan.add_attribute();
  attribute->set_name("directions");
  attribute->set_type(onnx::AttributeProto::INTS);
  attribute->add_ints(reversed);
  attribute = scan.add_attribute();
  attribute->set_name("body");
  attribute->set_type(onnx::AttributeProto::GRAPH);
  onnx::GraphProto &body = *attribute->mutable_g();
  body.add_input()->set_name("sum");
  body.add_input()->set_name("element");
  auto *add = body.add_node();
  add->set_op_type("Add");
  add->add_input("sum");
  add->add_input("element");
  add->add_output("next");
  auto *same = body.add_node();
  same->set_op_type("Identity");
  same->add_input("next");
  same->add_output("shown");
  body.add_output()->set_name("next");
  body.add_output()->set_name("shown");
  auto imported =
      frontend::importModel(model.save(test::scratch("lengths")), {});
  if (!imported)
    FAIL(imported.error().message);
  return std::move(*imported);
}

Tensor reals(std::vector<int64_t> shape, const std::vector<float> &values) {
  Tensor tensor = makeTensor({DType::F32, std::move(shape)});
  std::copy(values.begin(), values.end(), tensor.data<float>());
  return tensor;
}

} // namespace

TEST_CASE("sequences of a Scan end where their lengths say") {
  std::map<std::string, Tensor> inputs = {
      {"zero", reals({2, 1}, {0, 100})},
      {"x", reals({2, 4, 1}, {1, 2, 3, 4, 10, 20, 30, 40})}};
  const auto check = [&](const frontend::Model &model,
                         const std::vector<float> &last,
                         const std::vector<float> &y) {
    const auto outputs = test::evaluate(model, inputs);
    if (!outputs)
      FAIL(outputs.error().message);
    CHECK(test::difference(outputs->at("last"), reals({2, 1}, last)) == "");
    CHECK(test::difference(outputs->at("y"), reals({2, 4, 1}, y)) == "");
  };
  check(sumsOfSequences(true, false, {3, 4}), {6, 200},
        {1, 3, 6, 0, 110, 130, 160, 200});
  check(sumsOfSequences(true, true, {3, 0}), {6, 100},
        {3, 5, 6, 0, 0, 0, 0, 0});
  Tensor lengths = makeTensor({DType::I64, {2}});
  lengths.data<int64_t>()[0] = 1;
  lengths.data<int64_t>()[1] = 2;
  inputs["lengths"] = lengths;
  check(sumsOfSequences(false, false, {}), {1, 130},
        {1, 0, 0, 0, 110, 130, 0, 0});
}
