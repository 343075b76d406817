// Models as JSON.
#include "test/compiler/frontend/evaluate.h"
#include "test/compiler/frontend/models.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::test;
using Catch::Matchers::Contains;

static const std::string models = "test/compiler/frontend/models";

TEST_CASE("every feature once") {
  frontend::ImportOptions options;
  options.dims = {{"batch", 2}, {"mask.0", 2}};
  // Copied: a test's files may be links, which external data must not be.
  const std::string folder = scratch("everything");
  for (const char *file : {"/everything.json", "/stored.npy"})
    std::filesystem::copy_file(models + file, folder + file);
  auto model = frontend::importModel(folder + "/everything.json", options);
  REQUIRE(model);
  CHECK(model->inputs.size() == 2);
  CHECK(model->outputNames == std::vector<std::string>{"y", "last", "all"});
  int drawn = 0, files = 0;
  for (const auto &parameter : model->parameters) {
    drawn += parameter.data.kind == frontend::ParameterData::Kind::Drawn;
    files += parameter.data.kind == frontend::ParameterData::Kind::File;
    CHECK_FALSE(parameter.constant);
  }
  CHECK(drawn == 1);
  CHECK(files == 1);
  std::map<std::string, Tensor> inputs;
  inputs["x"] = makeTensor({DType::F32, {2, 3}});
  inputs["mask"] = makeTensor({DType::Bool, {2, 4}});
  inputs["mask"].bytes.assign(8, std::byte(1));
  auto outputs = evaluate(*model, inputs);
  REQUIRE(outputs);
  // Drawn weights count as zero: softmax gives 1/4, twice tanh(2 * 1/4), times
  // the columns of [[1, 2], [3, 4]].
  const float half = 2 * std::tanh(0.5f);
  CHECK(outputs->at("y").data<float>()[0] == Approx(half * 4));
  CHECK(outputs->at("y").data<float>()[1] == Approx(half * 6));
  CHECK(outputs->at("last").data<float>()[1] == 12);
  CHECK(outputs->at("all").type.shape == std::vector<int64_t>{3, 2, 1});
}

static std::string errorIn(const std::string &json) {
  static const std::string folder = scratch("json");
  return errorOf(write(folder + "/m.json", json));
}

TEST_CASE("errors say where, and all at once") {
  const std::string head = R"({"format": "smex-model", "version": 1, )";
  const std::string error = errorIn(head + R"(
      "inputs": [{"name": "x", "type": "f33", "shape": [2]}, {"name": "z"}],
      "nodes": [{"op": "Relu", "inputs": "x", "outputs": ["y"], "colour": 3}],
      "parameters": [{"name": "w", "type": "f32", "shape": [2], "values": [1, 2, 3]},
                     {"name": "v", "type": "u8", "shape": [1], "values": [256]},
                     {"name": "u", "type": "f32", "shape": [-1], "drawn": 1},
                     {"name": "t", "type": "f32", "shape": [1]},
                     {"name": "s", "type": "f32", "shape": [1], "file": "../s.npy"}],
      "outputs": ["y"]})");
  CHECK_THAT(error, Contains("inputs[0].type: \"f33\" is no element type"));
  CHECK_THAT(error, Contains("inputs[1]: \"type\" is missing"));
  CHECK_THAT(error, Contains("nodes[0].inputs: must be a list"));
  CHECK_THAT(error, Contains("nodes[0]: \"colour\" is none of"));
  CHECK_THAT(error, Contains("parameters[0].values: holds 3 values"));
  CHECK_THAT(error,
             Contains("parameters[1].values[0]: is out of range for u8"));
  CHECK_THAT(error, Contains("parameters[2].shape: is impossible"));
  CHECK_THAT(
      error,
      Contains("parameters[3]: must have one of values, file and drawn"));
  CHECK_THAT(error, Contains("parameters[4].file: ") && Contains("outside"));
}

TEST_CASE("what is no model") {
  CHECK_THAT(errorIn("{"), Contains("parse error at line 1"));
  CHECK_THAT(errorIn("[]"), Contains("must be an object"));
  CHECK_THAT(errorIn("{}"), Contains("\"format\" must be"));
  CHECK_THAT(errorIn("\xff\xfe"), Contains("parse error"));
}

TEST_CASE("whether the model is trained is a known input") {
  const std::string folder = scratch("mode");
  const auto text = [](const std::string &mode) {
    return R"({
    "format": "smex-model", "version": 1, "training": )" +
           mode + R"(,
    "inputs": [{"name": "x", "type": "f32", "shape": [4]}],
    "parameters": [{"name": "ratio", "type": "f32", "shape": [], "values": 0.5}],
    "nodes": [{"op": "Dropout", "inputs": ["x", "ratio", "mode"], "outputs": ["y"]}],
    "outputs": ["y"]})";
  };
  const std::string path = write(folder + "/m.json", text("\"mode\""));
  frontend::ImportOptions options;
  for (bool training : {false, true}) {
    options.training = training;
    const auto model = frontend::importModel(path, options);
    REQUIRE(model);
    CHECK(model->inputs.size() == 1); // the mode is none
    CHECK(model->applications.empty() == !training);
  }
  // The user's word counts.
  options.constants["mode"] = folder + "/false.pb";
  onnx::TensorProto no;
  no.set_data_type(onnx::TensorProto::BOOL);
  no.add_int32_data(0);
  write(options.constants["mode"], no.SerializeAsString());
  const auto model = frontend::importModel(path, options);
  REQUIRE(model);
  CHECK(model->applications.empty());
  CHECK_THAT(errorOf(write(folder + "/bad.json", text("1"))),
             Contains("training: must be text"));
  CHECK_THAT(errorOf(write(folder + "/twice.json", text("\"x\""))),
             Contains("\"x\""));
}

TEST_CASE("an attribute may be the value of a dimension") {
  const auto model = [](const std::string &dimension,
                        const std::string &rest = "") {
    return R"({"format": "smex-model", "version": 1,
    "inputs": [{"name": "x", "type": "f32", "shape": ["rows", 2]}],
    "operators": "first(x[N, M]; count): lambda n < count, m < M: 2 * x[n, m]",
    "nodes": [{"op": "first", "inputs": ["x"], "outputs": ["y"],
               "attributes": {"count": {"dimension": ")" +
           dimension + R"("}}}], "outputs": ["y"])" + rest + "}";
  };
  const std::string path =
      write(scratch("dimension") + "/m.json", model("rows"));
  frontend::ImportOptions options;
  options.dims = {{"rows", 5}};
  const auto imported = frontend::importModel(path, options);
  REQUIRE(imported);
  CHECK(imported->applications.front().extents[0] == 5);
  write(path, model("columns"));
  CHECK_THAT(errorOf(path, options),
             Contains("attribute \"count\": the model has no dimension "
                      "\"columns\""));
  CHECK_THAT(errorIn(model("rows", R"(, "functions": [{"name": "f",
      "inputs": ["a"], "outputs": ["b"], "nodes": [{"op": "first",
      "inputs": ["a"], "outputs": ["b"],
      "attributes": {"count": {"dimension": "rows"}}}]}])")),
             Contains("functions[0].nodes[0].attributes.count: a function "
                      "knows no dimension"));
}

TEST_CASE("operators of a file of lambdas") {
  const std::string folder = scratch("ops");
  const std::string model = write(folder + "/m.json", R"({
    "format": "smex-model", "version": 1,
    "inputs": [{"name": "x", "type": "f32", "shape": [4]}],
    "nodes": [{"op": "halve", "inputs": ["x"], "outputs": ["y"]}],
    "outputs": ["y"]})");
  CHECK_THAT(errorOf(model), Contains("--ops FILE"));
  frontend::ImportOptions options;
  options.opsFiles = {
      write(folder + "/ops.tdl",
            "halve(x[d...]): lambda i... < d...: x[i...] / 2\n")};
  auto imported = frontend::importModel(model, options);
  REQUIRE(imported);
  CHECK(imported->applications.size() == 1);
  CHECK(imported->files.size() == 2);
  write(options.opsFiles[0], "halve(x[d...]: nonsense");
  CHECK_THAT(errorOf(model, options), Contains("ops.tdl:1:"));
}
