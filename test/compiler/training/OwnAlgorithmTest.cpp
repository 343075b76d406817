// Models that carry their training: TrainingInfoProto and the Gradient
// operator.
#include "test/compiler/frontend/models.h"
#include "test/compiler/training/Trainer.h"
#include "test/compiler/training/TrainingStep.h"

using namespace smex;

namespace {

/// loss = mean((x w)^2), and an algorithm that takes w to w - rate * dw.
test::OnnxModel ownModel() {
  test::OnnxModel made;
  auto *domain = made.proto.add_opset_import();
  domain->set_domain("ai.onnx.preview.training");
  domain->set_version(1);
  made.input("x", {"3"});
  auto &w = made.parameter("w", {3});
  for (float value : {1.f, -2.f, 0.5f})
    w.add_float_data(value);
  made.node("Mul", {"x", "w"}, {"y"});
  made.node("Mul", {"y", "y"}, {"squares"});
  auto *keep = made.node("ReduceMean", {"squares"}, {"loss"}).add_attribute();
  keep->set_name("keepdims");
  keep->set_type(onnx::AttributeProto::INT);
  keep->set_i(0);
  made.output("loss");

  auto *info = made.proto.add_training_info();
  auto &algorithm = *info->mutable_algorithm();
  auto *rate = algorithm.add_initializer();
  rate->set_name("rate");
  rate->set_data_type(onnx::TensorProto::FLOAT);
  rate->add_float_data(0.25f);
  const auto node = [&](const char *op, std::vector<std::string> inputs,
                        const char *output) {
    auto *added = algorithm.add_node();
    added->set_op_type(op);
    for (std::string &input : inputs)
      added->add_input(std::move(input));
    added->add_output(output);
    return added;
  };
  auto *gradient = node("Gradient", {"w"}, "dw");
  gradient->set_domain("ai.onnx.preview.training");
  auto *xs = gradient->add_attribute();
  xs->set_name("xs");
  xs->set_type(onnx::AttributeProto::STRINGS);
  xs->add_strings("w");
  auto *y = gradient->add_attribute();
  y->set_name("y");
  y->set_type(onnx::AttributeProto::STRING);
  y->set_s("loss");
  node("Mul", {"rate", "dw"}, "change");
  node("Sub", {"w", "change"}, "w_next");
  auto *binding = info->add_update_binding();
  binding->set_key("w");
  binding->set_value("w_next");
  return made;
}

Result<frontend::Model> import(const test::OnnxModel &model, bool own) {
  const std::string path = test::write(test::scratch("own") + "/model.onnx",
                                       model.proto.SerializeAsString());
  frontend::ImportOptions options;
  options.training = true;
  options.ownAlgorithm = own;
  return frontend::importModel(path, options);
}

} // namespace

TEST_CASE("a model's own algorithm trains it") {
  auto model = import(ownModel(), true);
  if (!model)
    FAIL(model.error().message);
  auto built = test::withTrainingStep(std::move(*model), {});
  REQUIRE(built);
  REQUIRE(built->updates.size() == 1);
  test::Trainer trainer(std::move(*built));
  std::vector<double> w = {1, -2, 0.5};
  const std::vector<float> x = {1, 2, -1};
  for (int step = 0; step < 3; ++step) {
    double loss = 0;
    for (size_t i = 0; i < 3; ++i)
      loss += x[i] * w[i] * x[i] * w[i] / 3;
    CHECK(trainer.step({{"x", test::floats({3}, x)}}) == Approx(loss));
    for (size_t i = 0; i < 3; ++i)
      w[i] -= 0.25 * 2 * x[i] * x[i] * w[i] / 3;
    const std::vector<float> got = trainer.parameter("w");
    for (size_t i = 0; i < 3; ++i)
      CHECK(got[i] == Approx(w[i]));
  }
}

TEST_CASE("it is left aside where a loss is given") {
  auto model = import(ownModel(), false);
  REQUIRE(model);
  CHECK(model->updates.empty());
  training::TrainingOptions options;
  options.loss = "given:loss";
  auto built = test::withTrainingStep(std::move(*model), options);
  REQUIRE(built);
  CHECK(built->updates.size() == 1);
}

TEST_CASE("an algorithm that binds what is not there is refused") {
  auto made = ownModel();
  auto *binding =
      made.proto.mutable_training_info(0)->mutable_update_binding(0);
  binding->set_value("nothing");
  auto model = import(made, true);
  REQUIRE(!model);
  CHECK(model.error().message.find("\"w\" is to become \"nothing\"") !=
        std::string::npos);
  binding->set_value("loss");
  model = import(made, true);
  REQUIRE(!model);
  CHECK(model.error().message.find("\"w\" cannot become \"loss\"") !=
        std::string::npos);
}
