#include "compiler/frontend/onnx/InputGraph.h"

#include "compiler/frontend/onnx/Importer.h"
#include "dialects/tdl/lambda/Arithmetic.h"
#include "runtime/graph/Change.h"
#include "runtime/graph/Rows.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

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
  if (!graph.types.empty()) {
    json["types"] = graph.types;
    json["relations"] = graph.relations;
  }
  return json.dump();
}

std::string frontend::wrongTypes(const InputGraph &graph) {
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
    if (json.contains("types") && json["types"].is_string())
      found->types = json["types"].get<std::string>();
    if (json.contains("relations") && json["relations"].is_number_integer())
      found->relations = json["relations"].get<int64_t>();
    if (const std::string wrong = wrongTypes(*found); !wrong.empty())
      return fail("metadata \"", graphKey, "\": ", wrong);
  }
  return found;
}

/// The values of a matrix, each as the number of a type.
static Result<graph::Numbers> typesOf(const io::SparseMatrix &matrix,
                                      int64_t relations,
                                      const std::string &file) {
  const DType dtype = matrix.values.type.dtype;
  const int64_t size = byteSize(dtype);
  graph::Numbers types(matrix.row.size(), 1); // without values: all 1
  for (size_t e = 0; e < types.size(); ++e) {
    double value = 1;
    if (!matrix.values.bytes.empty())
      value = tdl::convert(dtype, DType::F64,
                           tdl::load(dtype, &matrix.values.bytes[e * size]))
                  .real;
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    if (!(value >= 0 && value < double(relations)) ||
        value != std::floor(value))
      return fail(file, ": the edge from ", matrix.row[e], " to ",
                  matrix.column[e], " has the value ", text,
                  ", and the model takes types of edges from it: whole numbers "
                  "from 0 to ",
                  relations - 1);
    types[e] = int64_t(value);
  }
  return types;
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
  auto matrix = io::readSparseMatrix(options.graph);
  if (!matrix)
    return errors.push_back(matrix.error().message);
  Result<graph::Numbers> types = graph::Numbers();
  if (!names.types.empty())
    types = typesOf(*matrix, names.relations, options.graph);
  if (!types)
    return errors.push_back(types.error().message);
  auto graph = graph::fromMatrix(std::move(*matrix), options.graph);
  if (!graph)
    return errors.push_back(graph.error().message);
  files.push_back(options.graph);
  // Of 10^8 edges, a list of ends is 1 GB: none is kept longer than needed.
  if (names.selfLoops)
    graph = graph::withSelfLoops(std::move(*graph)).graph;
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
  const graph::Numbers order = graph::canonicalOrder(*graph);
  boundGraph.emplace();
  boundGraph->nodes = graph->nodes();
  const auto bindInput = [&](const std::string &name, graph::Numbers values) {
    Tensor tensor = makeTensor({DType::I64, {int64_t(order.size())}});
    for (size_t e = 0; e < order.size(); ++e)
      tensor.data<int64_t>()[e] = values[size_t(order[e])];
    auto bound = std::make_shared<const Tensor>(std::move(tensor));
    scope.values[name] = builder.addConstant(bound, name);
    builder.setName(scope.values[name], name);
    return bound;
  };
  auto [sources, destinations] = std::move(*graph).takeEnds();
  boundGraph->sources = bindInput(names.sources, std::move(sources));
  boundGraph->destinations =
      bindInput(names.destinations, std::move(destinations));
  if (!names.types.empty())
    bindInput(names.types, std::move(*types));
}

/// What the plan needs to know to bind the graph when it runs. Nothing where
/// it is bound already, or where what the model says does not fit its inputs.
std::optional<GraphInputs> Importer::openGraph(const Model &result) const {
  const auto declared = inputGraph(*model);
  if (!options.graph.empty() || !declared || !*declared ||
      !(*declared)->types.empty())
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
