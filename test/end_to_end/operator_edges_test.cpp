// Operators at their edges through the whole product: the values of
// test/compiler/frontend/models/operators/edges_*.json, whose operands are
// inputs here, so that nothing is computed when compiling; and the gradients of
// test/compiler/training/models/edges_*.json.
#include "test/compiler/training/Edges.h"
#include "test/end_to_end/Harness.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

using namespace smex;
using Json = nlohmann::json;

namespace {

std::string write(const Json &model) {
  const std::string path = test::scratchFolder() + "/model.json";
  std::ofstream(path) << model;
  return path;
}

bool startsWith(const std::string &text, const std::string &prefix) {
  return text.rfind(prefix, 0) == 0;
}

/// What the file's parameters hold, by name.
std::map<std::string, Tensor> parametersOf(Json model) {
  model["nodes"] = Json::array();
  model["outputs"] = Json::array();
  for (const Json &parameter : model["parameters"])
    model["outputs"].push_back(parameter["name"]);
  const auto imported = frontend::importModel(write(model), {});
  if (!imported)
    FAIL(imported.error().message);
  auto values = test::evaluate(*imported, {});
  if (!values)
    FAIL(values.error().message);
  return std::move(*values);
}

/// Parameters become inputs, but for those called "const ..".
Json withInputs(Json model) {
  Json inputs = Json::array(), kept = Json::array(), outputs = Json::array();
  for (Json parameter : model["parameters"]) {
    const std::string name = parameter["name"];
    if (startsWith(name, "expected "))
      continue;
    if (startsWith(name, "const ")) {
      kept.push_back(parameter);
      continue;
    }
    parameter.erase("values");
    inputs.push_back(parameter);
  }
  for (const Json &output : model["outputs"])
    if (!startsWith(output, "expected "))
      outputs.push_back(output);
  model["inputs"] = inputs;
  model["parameters"] = kept;
  model["outputs"] = outputs;
  return model;
}

/// Models of a few nodes each: hundreds at once would take long to partition.
std::vector<Json> partsOf(const Json &model) {
  constexpr size_t most = 12;
  const Json &nodes = model.at("nodes");
  std::vector<Json> parts;
  for (size_t first = 0; first < nodes.size(); first += most) {
    Json part = model;
    part["nodes"] = Json::array();
    std::set<std::string> used;
    for (size_t i = first; i < std::min(first + most, nodes.size()); ++i) {
      part["nodes"].push_back(nodes[i]);
      for (const char *list : {"inputs", "outputs"})
        for (const Json &name : nodes[i].at(list))
          used.insert(name.get<std::string>());
    }
    part["parameters"] = Json::array();
    for (const Json &parameter : model.at("parameters"))
      if (used.count(parameter.at("name").get<std::string>()))
        part["parameters"].push_back(parameter);
    part["outputs"] = Json::array();
    for (const Json &output : model.at("outputs"))
      if (used.count(output.get<std::string>()))
        part["outputs"].push_back(output);
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<std::string> edgesIn(const std::string &folder) {
  std::vector<std::string> files;
  for (const auto &file : std::filesystem::directory_iterator(folder))
    if (startsWith(file.path().filename(), "edges_"))
      files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

void checkPart(const Json &part, const std::map<std::string, Tensor> &known,
               int64_t gpus) {
  auto model = frontend::importModel(write(withInputs(part)), {});
  if (!model)
    FAIL(model.error().message);
  std::map<std::string, Tensor> inputs;
  for (int input : model->inputs) {
    const std::string &name = model->values[size_t(input)].name;
    inputs[name] = known.at(name);
  }
  const auto outputs = test::runPartitioned(*model, inputs, gpus);
  if (!outputs)
    FAIL(outputs.error().message);
  REQUIRE(!outputs->empty());
  for (const auto &[name, value] : *outputs) {
    INFO(name);
    CHECK(test::difference(value, known.at("expected " + name)) == "");
  }
}

} // namespace

TEST_CASE("operators at their edges") {
  const auto files = edgesIn("test/compiler/frontend/models/operators");
  CHECK(files.size() > 4);
  for (const std::string &file : files)
    for (int64_t gpus : {1, 3}) {
      INFO(file << ", " << gpus << " GPUs");
      Json model;
      std::ifstream(file) >> model;
      const std::map<std::string, Tensor> known = parametersOf(model);
      for (const Json &part : partsOf(model))
        checkPart(part, known, gpus);
    }
}

TEST_CASE("gradients at their edges") {
  const auto files = edgesIn("test/compiler/training/models");
  CHECK(files.size() > 2);
  for (const std::string &file : files)
    for (int64_t gpus : {1, 3}) {
      // Slopes of one element each are cut alike whatever they are.
      if (gpus > 1 && file.find("kinks") != std::string::npos)
        continue;
      INFO(file << ", " << gpus << " GPUs");
      int compared = 0;
      CHECK(test::gradientDifferences(
                file,
                [&](const auto &model, const auto &inputs) {
                  return test::runPartitioned(model, inputs, gpus);
                },
                compared) == "");
      CHECK(compared > 10);
    }
}
