#include "dialects/tdl/lambda/Lambda.h"
#include "test/compiler/frontend/evaluate.h"
#include "test/compiler/frontend/models.h"

#include <catch2/catch.hpp>

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

TEST_CASE("a long loop has few distinct lambdas") {
  std::set<std::string> texts;
  const frontend::Model model = runningSum(false);
  for (const auto &application : model.applications)
    texts.insert(tdl::toString(application.lambda));
  CHECK(model.applications.size() > 3 * kSteps);
  CHECK(texts.size() < 60);
}
