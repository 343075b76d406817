#include "test/end_to_end/EdgeParts.h"

#include "test/compiler/frontend/evaluate.h"
#include "test/end_to_end/Harness.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>

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
    throw std::runtime_error(imported.error().message);
  auto values = test::evaluate(*imported, {});
  if (!values)
    throw std::runtime_error(values.error().message);
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

} // namespace

std::vector<std::string> test::edgesIn(const std::string &folder) {
  std::vector<std::string> files;
  for (const auto &file : std::filesystem::directory_iterator(folder))
    if (startsWith(file.path().filename(), "edges_"))
      files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

void test::visitEdgeParts(
    const std::string &file,
    const std::function<void(const frontend::Model &,
                             const std::map<std::string, Tensor> &,
                             const std::map<std::string, Tensor> &)> &use) {
  Json whole;
  std::ifstream(file) >> whole;
  const std::map<std::string, Tensor> known = parametersOf(whole);
  for (const Json &part : partsOf(whole)) {
    auto model = frontend::importModel(write(withInputs(part)), {});
    if (!model)
      throw std::runtime_error(model.error().message);
    std::map<std::string, Tensor> inputs;
    for (int input : model->inputs) {
      const std::string &name = model->values[size_t(input)].name;
      inputs[name] = known.at(name);
    }
    use(*model, inputs, known);
  }
}
