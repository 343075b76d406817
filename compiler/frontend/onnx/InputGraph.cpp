#include "compiler/frontend/onnx/InputGraph.h"

#include "compiler/frontend/onnx/Importer.h"
#include "runtime/graph/Bind.h"
#include "runtime/graph/Change.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace smex;
using namespace smex::frontend;

using Field = std::pair<const char *, std::string InputGraph::*>;
static constexpr Field fields[] = {{"nodes", &InputGraph::nodes},
                                   {"edges", &InputGraph::edges},
                                   {"sources", &InputGraph::sources},
                                   {"destinations", &InputGraph::destinations}};

std::string frontend::toText(const InputGraph &graph) {
  nlohmann::json json;
  for (const auto &[key, member] : fields)
    json[key] = graph.*member;
  json["self_loops"] = graph.selfLoops;
  return json.dump();
}

Result<std::optional<InputGraph>>
frontend::inputGraph(const onnx::ModelProto &model) {
  std::optional<InputGraph> found;
  for (const auto &property : model.metadata_props()) {
    if (property.key() != graphKey)
      continue;
    const auto json = nlohmann::json::parse(property.value(), nullptr, false);
    found.emplace();
    for (const auto &[key, member] : fields) {
      if (!json.is_object() || !json.contains(key) || !json[key].is_string())
        return fail("metadata \"", graphKey,
                    "\": must be an object with the names of \"nodes\", "
                    "\"edges\", \"sources\" and \"destinations\"");
      (*found).*member = json[key].get<std::string>();
    }
    if (json.contains("self_loops"))
      found->selfLoops = json["self_loops"] == true;
  }
  return found;
}

void Importer::bindGraph(Scope &scope) {
  const auto declared = inputGraph(*model);
  if (!declared)
    return error(declared.error().message);
  if (options.graph.empty())
    return;
  if (!*declared)
    return error("has no graph to bind with --graph; a model says which of its "
                 "inputs are one (compiler/frontend/json/README.md)");
  const InputGraph &names = **declared;
  auto graph = graph::readGraph(options.graph);
  if (!graph)
    return errors.push_back(graph.error().message);
  files.push_back(options.graph);
  if (names.selfLoops)
    graph = graph::withSelfLoops(*graph).graph;
  const auto bindDim = [&](const std::string &dim, int64_t value) {
    dimsSeen.insert(dim);
    if (const int64_t known = dims.emplace(dim, value).first->second;
        known != value)
      error("dimension \"" + dim + "\" is " + std::to_string(known) +
            " elsewhere, and " + std::to_string(value) + " in " +
            options.graph);
  };
  bindDim(names.nodes, graph->nodes());
  bindDim(names.edges, graph->edges());
  graph::Ends ends = graph::endsOf(*graph);
  const auto bindInput = [&](const std::string &name, Tensor &tensor) {
    scope.values[name] = builder.addConstant(std::move(tensor), name);
    builder.setName(scope.values[name], name);
  };
  bindInput(names.sources, ends.sources);
  bindInput(names.destinations, ends.destinations);
}

/// What the plan needs to know to bind the graph when it runs. Nothing where
/// it is bound already, or where what the model says does not fit its inputs.
std::optional<GraphInputs> Importer::openGraph(const Model &result) const {
  const auto declared = inputGraph(*model);
  if (!options.graph.empty() || !declared || !*declared)
    return std::nullopt;
  const InputGraph &names = **declared;
  const auto nodes = dims.find(names.nodes), edges = dims.find(names.edges);
  if (nodes == dims.end() || edges == dims.end())
    return std::nullopt;
  const auto isEnds = [&](const std::string &name) {
    return std::any_of(
        result.inputs.begin(), result.inputs.end(), [&](int input) {
          const Value &value = result.values[size_t(input)];
          return value.name == name &&
                 value.type == TensorType{DType::I64, {edges->second}};
        });
  };
  if (!isEnds(names.sources) || !isEnds(names.destinations))
    return std::nullopt;
  return GraphInputs{names.sources, names.destinations, nodes->second,
                     names.selfLoops};
}
