#include "compiler/frontend/onnx/InputGraph.h"

#include "onnx.pb.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

using namespace smex;
using namespace smex::frontend;
using Json = nlohmann::json;

using Field = std::pair<const char *, std::string InputGraph::*>;
static constexpr std::initializer_list<Field> inputs = {
    {"edges", &InputGraph::edges},
    {"sources", &InputGraph::sources},
    {"destinations", &InputGraph::destinations}};
static constexpr std::initializer_list<Field> ends = {
    {"sources", &InputGraph::sourceNodes},
    {"destinations", &InputGraph::destinationNodes}};
static constexpr std::initializer_list<Field> batches = {
    {"graphs", &InputGraph::graphs}, {"graph_of", &InputGraph::graphOf}};

static constexpr std::initializer_list<Field> ofEdges = {
    {"values", &InputGraph::values}, {"added", &InputGraph::added}};

static Json toJson(const LoopRow &row) {
  switch (row.kind) {
  case LoopRow::Kind::Number:
    return row.number;
  case LoopRow::Kind::Mean:
    return "mean";
  case LoopRow::Kind::Parameter:
    break;
  }
  Json object;
  object["parameter"] = row.parameter;
  return object;
}

static constexpr const char *wrongLoopRows =
    "\"loop_rows\" must be an object that says for each input with a row per "
    "edge what self-loops have: a number, \"mean\", or {\"parameter\": NAME}";

/// Nothing where it says none.
static std::optional<LoopRow> loopRowOf(const Json &json) {
  if (json.is_number())
    return LoopRow{LoopRow::Kind::Number, json.get<double>()};
  if (json == "mean")
    return LoopRow{LoopRow::Kind::Mean};
  if (json.is_object() && json.size() == 1 && json.contains("parameter") &&
      json["parameter"].is_string())
    return LoopRow{LoopRow::Kind::Parameter, 0,
                   json["parameter"].get<std::string>()};
  return std::nullopt;
}

static Json toJson(const InputGraph &graph) {
  Json object;
  if (!graph.name.empty())
    object["name"] = graph.name;
  if (graph.isOfOneType())
    object["nodes"] = graph.sourceNodes;
  else
    for (const auto &[key, member] : ends)
      object["nodes"][key] = graph.*member;
  for (const auto &[key, member] : inputs)
    object[key] = graph.*member;
  object["self_loops"] = graph.selfLoops;
  if (!graph.types.empty()) {
    object["types"] = graph.types;
    object["relations"] = graph.relations;
  }
  if (!graph.graphs.empty())
    for (const auto &[key, member] : batches)
      object[key] = graph.*member;
  for (const auto &[key, member] : ofEdges)
    if (!(graph.*member).empty())
      object[key] = graph.*member;
  for (const auto &[input, row] : graph.loopRows)
    object["loop_rows"][input] = toJson(row);
  return object;
}

std::string InputGraph::addedName() const {
  if (!added.empty())
    return added;
  return (name.empty() ? "" : name + "/") + "added_self_loops";
}

bool InputGraph::needsAdded() const {
  return !added.empty() ||
         std::any_of(loopRows.begin(), loopRows.end(), [](const auto &entry) {
           return !(entry.second == LoopRow()); // zeros are there without it
         });
}

std::string frontend::toText(const std::vector<InputGraph> &graphs) {
  if (graphs.size() == 1)
    return toJson(graphs.front()).dump();
  Json list = Json::array();
  for (const InputGraph &graph : graphs)
    list.push_back(toJson(graph));
  return list.dump();
}

std::string frontend::wrongGraph(const InputGraph &graph) {
  if (graph.selfLoops && !graph.isOfOneType())
    return "\"self_loops\" are edges from a node to itself, and its edges lead "
           "from nodes of one type to nodes of another";
  if (graph.graphs.empty() != graph.graphOf.empty())
    return "\"graphs\" must be the name of a dimension, and \"graph_of\" that "
           "of an input: both, or none";
  if (!graph.graphs.empty() && !graph.isOfOneType())
    return "\"graphs\" are batches of nodes of one type, and its edges lead "
           "from nodes of one type to nodes of another";
  if (!graph.graphs.empty() &&
      (graph.graphs == graph.sourceNodes || graph.graphs == graph.edges))
    return "\"graphs\" must be a dimension of its own, and \"" + graph.graphs +
           "\" is that of its nodes or edges";
  if (graph.edges == graph.sourceNodes || graph.edges == graph.destinationNodes)
    return "\"edges\" must be a dimension of its own, and \"" + graph.edges +
           "\" is that of its nodes";
  if (!graph.selfLoops && (!graph.added.empty() || !graph.loopRows.empty()))
    return "\"added\" and \"loop_rows\" are for graphs with \"self_loops\"";
  for (const auto &[input, row] : graph.loopRows)
    if (!std::isfinite(row.number))
      return "\"loop_rows\" of \"" + input + "\" must be a finite number";
  if (!graph.types.empty() && !graph.values.empty())
    return "the numbers in the file are \"types\" of edges or \"values\" of "
           "them, not both";
  if (graph.types.empty() && graph.relations == 0)
    return "";
  if (graph.types.empty() || graph.relations < 1 ||
      graph.relations > std::numeric_limits<int32_t>::max())
    return "\"types\" must be the name of an input, and \"relations\" the "
           "number of types, from 1 to 2^31 - 1: both, or none";
  if (graph.selfLoops)
    return "edges that \"self_loops\" adds would be of no type: leave out one "
           "of \"self_loops\" and \"types\"";
  return "";
}

std::string frontend::wrongTogether(const std::vector<InputGraph> &graphs) {
  if (graphs.empty())
    return "is a list of no graphs";
  for (size_t i = 0; i < graphs.size(); ++i) {
    const std::string &name = graphs[i].name;
    if (graphs.size() > 1 && !graphs[i].graphs.empty())
      return "\"graphs\" are batches of a model's only graph, and there are "
             "several";
    if (name.empty() && graphs.size() > 1)
      return "each of several graphs must have a \"name\"";
    // --graph NAME=FILE
    if (name.find('=') != std::string::npos)
      return "the name \"" + name + "\" has a \"=\" in it";
    for (size_t j = 0; j < i; ++j)
      if (graphs[j].name == name)
        return "two graphs are called \"" + name + "\"";
  }
  return "";
}

/// Whether all of these names are there.
static bool take(const Json &object, std::initializer_list<Field> fields,
                 InputGraph &graph) {
  for (const auto &[key, member] : fields) {
    if (!object.is_object() || !object.contains(key) ||
        !object[key].is_string())
      return false;
    graph.*member = object[key].get<std::string>();
  }
  return true;
}

static Result<InputGraph> graphOf(const Json &object) {
  InputGraph graph;
  bool complete = take(object, inputs, graph) && object.contains("nodes");
  if (complete && object["nodes"].is_string())
    graph.sourceNodes = graph.destinationNodes =
        object["nodes"].get<std::string>();
  else
    complete = complete && take(object["nodes"], ends, graph);
  if (!complete)
    return fail("must be an object with the names of \"nodes\" (or of those at "
                "both ends), \"edges\", \"sources\" and \"destinations\", or a "
                "list of such objects");
  if (object.contains("name") && object["name"].is_string())
    graph.name = object["name"].get<std::string>();
  if (object.contains("self_loops"))
    graph.selfLoops = object["self_loops"] == true;
  if (object.contains("types") && object["types"].is_string())
    graph.types = object["types"].get<std::string>();
  for (const auto &[key, member] : batches)
    if (object.contains(key) && object[key].is_string())
      graph.*member = object[key].get<std::string>();
  for (const auto &[key, member] : ofEdges)
    if (object.contains(key) && object[key].is_string())
      graph.*member = object[key].get<std::string>();
  if (object.contains("loop_rows")) {
    if (!object["loop_rows"].is_object())
      return fail(wrongLoopRows);
    for (const auto &item : object["loop_rows"].items()) {
      const auto row = loopRowOf(item.value());
      if (!row)
        return fail(wrongLoopRows);
      graph.loopRows[item.key()] = *row;
    }
  }
  if (object.contains("relations") && object["relations"].is_number_integer())
    graph.relations = object["relations"].get<int64_t>();
  if (const std::string wrong = wrongGraph(graph); !wrong.empty())
    return fail(wrong);
  return graph;
}

Result<std::vector<InputGraph>>
frontend::inputGraphs(const onnx::ModelProto &model) {
  std::vector<InputGraph> graphs;
  const auto &properties = model.metadata_props();
  const auto property =
      std::find_if(properties.begin(), properties.end(),
                   [](const auto &p) { return p.key() == graphKey; });
  if (property == properties.end())
    return graphs;
  Json declared = Json::parse(property->value(), nullptr, false);
  if (!declared.is_array())
    declared = Json::array({declared});
  for (const Json &object : declared) {
    auto graph = graphOf(object);
    if (!graph)
      return fail("metadata \"", graphKey, "\": ", graph.error().message);
    graphs.push_back(std::move(*graph));
  }
  if (const std::string wrong = wrongTogether(graphs); !wrong.empty())
    return fail("metadata \"", graphKey, "\": ", wrong);
  return graphs;
}
