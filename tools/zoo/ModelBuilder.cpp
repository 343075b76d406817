#include "tools/zoo/ModelBuilder.h"

#include <cmath>

using namespace smex;
using namespace smex::zoo;

/// A tensor's bytes, and all weights', stay far from overflow.
constexpr int64_t mostElements = int64_t(1) << 48;

void ModelBuilder::define(const std::string &lambda) {
  operatorList.push_back(lambda);
}

int64_t ModelBuilder::count(const std::string &name, const Shape &shape) {
  int64_t elements = 1;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(elements, extent, &elements) ||
        elements > mostElements) {
      if (tooLarge.empty())
        tooLarge = name;
      return 0;
    }
  return elements;
}

Value ModelBuilder::image(const std::string &name, const Shape &shape) {
  count(name, shape);
  inputList.push_back({{"name", name}, {"type", real}, {"shape", shape}});
  return {name, shape[1]};
}

Value ModelBuilder::tokens(const std::string &name, const Shape &shape) {
  count(name, shape);
  inputList.push_back({{"name", name}, {"type", "i64"}, {"shape", shape}});
  return {name, 0};
}

void ModelBuilder::inputGraph(SelfLoops loops) {
  graph = {{"nodes", "nodes"},
           {"edges", "edges"},
           {"sources", "sources"},
           {"destinations", "destinations"},
           {"self_loops", loops == SelfLoops::Added}};
}

void ModelBuilder::typedGraph(int64_t relations) {
  inputGraph(SelfLoops::AsGiven);
  graph["types"] = "edge_types";
  graph["relations"] = relations;
}

std::string ModelBuilder::edgeValues(const std::string &name,
                                     std::optional<double> ofLoops) {
  graph["values"] = name;
  if (ofLoops)
    graph["loop_rows"] = {{name, *ofLoops}};
  return name;
}

Value ModelBuilder::edgeFeatures(const std::string &name, int64_t width,
                                 const std::string &relation) {
  const std::string edges = relation.empty() ? "edges" : relation + "_edges";
  inputList.push_back(
      {{"name", name}, {"type", real}, {"shape", {edges, width}}});
  return {name, width};
}

void ModelBuilder::batchOfGraphs() {
  graph["graphs"] = "graphs";
  graph["graph_of"] = "graph_of";
}

void ModelBuilder::relations(const std::vector<Relation> &list) {
  graph = Json::array();
  for (const auto &[name, from, to] : list)
    graph.push_back({{"name", name},
                     {"nodes", from == to ? Json(from)
                                          : Json({{"sources", from},
                                                  {"destinations", to}})},
                     {"edges", name + "_edges"},
                     {"sources", name + "/sources"},
                     {"destinations", name + "/destinations"}});
}

Value ModelBuilder::nodeTokens(const std::string &name) {
  inputList.push_back({{"name", name}, {"type", "i64"}, {"shape", {"nodes"}}});
  return {name, 0};
}

Value ModelBuilder::nodeFeatures(const std::string &name, int64_t width,
                                 const std::string &type) {
  inputList.push_back(
      {{"name", name}, {"type", real}, {"shape", {type, width}}});
  return {name, width};
}

std::string ModelBuilder::parameter(const std::string &name, const Shape &shape,
                                    const char *key, Json value, bool trained) {
  const int64_t elements = count(name, shape);
  if (trained)
    weightCount += elements;
  if (weightCount > mostElements && tooLarge.empty())
    tooLarge = name;
  Json parameter = {{"name", name}, {"type", real}, {"shape", shape}};
  parameter[key] = std::move(value);
  parameterList.push_back(std::move(parameter));
  return name;
}

std::string ModelBuilder::weight(const std::string &name, const Shape &shape,
                                 int64_t fanIn) {
  return parameter(name, shape, "drawn", 1 / std::sqrt(double(fanIn)), true);
}

std::string ModelBuilder::glorot(const std::string &name, const Shape &shape,
                                 int64_t in, int64_t out) {
  return parameter(name, shape, "drawn", std::sqrt(6 / double(in + out)), true);
}

std::string ModelBuilder::filled(const std::string &name, const Shape &shape,
                                 double number) {
  return parameter(name, shape, "values", number, true);
}

std::string ModelBuilder::statistic(const std::string &name, const Shape &shape,
                                    double number) {
  return parameter(name, shape, "values", number, false);
}

std::string ModelBuilder::integers(const std::string &name,
                                   const std::vector<int64_t> &values) {
  return node("Constant", name, {}, 0, {{"value_ints", values}}).name;
}

std::string ModelBuilder::integer(const std::string &name, int64_t value) {
  return node("Constant", name, {}, 0, {{"value_int", value}}).name;
}

std::string ModelBuilder::constant(const std::string &name, double number) {
  if (real == "f32")
    return node("Constant", name, {}, 0, {{"value_float", number}}).name;
  const Json value = {
      {"type", real}, {"shape", Json::array()}, {"values", number}};
  return node("Constant", name, {}, 0, {{"value", value}}).name;
}

std::string ModelBuilder::training() {
  asksTraining = true;
  return "training";
}

Value ModelBuilder::node(const std::string &op, const std::string &name,
                         const std::vector<std::string> &inputs, int64_t width,
                         Json attributes) {
  return nodeWith({}, op, name, inputs, width, std::move(attributes));
}

Value ModelBuilder::nodeWith(const std::vector<std::string> &furtherOutputs,
                             const std::string &op, const std::string &name,
                             const std::vector<std::string> &inputs,
                             int64_t width, Json attributes) {
  std::vector<std::string> outputs = {name};
  outputs.insert(outputs.end(), furtherOutputs.begin(), furtherOutputs.end());
  Json node = {{"op", op}, {"name", name}};
  if (!inputs.empty())
    node["inputs"] = inputs;
  node["outputs"] = outputs;
  if (!attributes.empty())
    node["attributes"] = std::move(attributes);
  nodeList.push_back(std::move(node));
  return {name, width};
}

Json ModelBuilder::body(const std::vector<std::string> &inputs,
                        const std::function<std::vector<Value>()> &build) {
  std::vector<Json> outer;
  std::swap(outer, nodeList);
  std::vector<std::string> outputs;
  for (const Value &value : build())
    outputs.push_back(value.name);
  std::swap(outer, nodeList);
  return {
      {"graph", {{"inputs", inputs}, {"nodes", outer}, {"outputs", outputs}}}};
}

void ModelBuilder::output(const std::string &name, const Value &value) {
  node("Identity", name, {value.name}, value.width);
  outputList.push_back(name);
}

/// `"key": [` and a line for each, or nothing at all.
template <typename List>
static void append(std::string &out, const char *key, const List &list) {
  if (list.empty())
    return;
  out += ",\n  \"" + std::string(key) + "\": [";
  const char *separator = "\n    ";
  for (const auto &item : list) {
    out += separator + Json(item).dump();
    separator = ",\n    ";
  }
  out += "\n  ]";
}

Result<std::string> ModelBuilder::text(const std::string &doc) const {
  if (!tooLarge.empty())
    return Error{"\"" + tooLarge +
                     "\" would have more than 2^48 elements, alone or with all "
                     "weights before it: choose smaller sizes",
                 Fault::Usage};
  std::string out = "{\n  \"format\": \"smex-model\",\n  \"version\": 1,\n  "
                    "\"opset\": 23,\n  \"doc\": " +
                    Json(doc).dump();
  if (!graph.is_null())
    out += ",\n  \"graph\": " + graph.dump();
  if (asksTraining)
    out += ",\n  \"training\": " + Json("training").dump();
  append(out, "inputs", inputList);
  append(out, "parameters", parameterList);
  append(out, "nodes", nodeList);
  append(out, "outputs", outputList);
  append(out, "operators", operatorList);
  return out + "\n}\n";
}
