#include "compiler/frontend/onnx/InputGraph.h"

#include "compiler/frontend/onnx/Importer.h"
#include "dialects/tdl/lambda/Arithmetic.h"
#include "runtime/io/SparseMatrix.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

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

/// Edges in the order of their destinations: those of a node are together.
static std::vector<size_t> byDestination(const io::SparseMatrix &matrix) {
  std::vector<size_t> order(matrix.row.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(matrix.column[a], matrix.row[a]) <
           std::pair(matrix.column[b], matrix.row[b]);
  });
  return order;
}

/// The values of a matrix, each as the number of a type.
static Result<std::vector<int64_t>> typesOf(const io::SparseMatrix &matrix,
                                            int64_t relations,
                                            const std::string &file) {
  const DType dtype = matrix.values.type.dtype;
  const int64_t size = byteSize(dtype);
  std::vector<int64_t> types(matrix.row.size(), 1); // without values: all 1
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

static void addSelfLoops(io::SparseMatrix &matrix) {
  std::vector<bool> has(size_t(matrix.rows));
  for (size_t e = 0; e < matrix.row.size(); ++e)
    if (matrix.row[e] == matrix.column[e])
      has[size_t(matrix.row[e])] = true;
  for (size_t v = 0; v < has.size(); ++v)
    if (!has[v]) {
      matrix.row.push_back(int64_t(v));
      matrix.column.push_back(int64_t(v));
    }
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
  if (matrix->rows != matrix->columns)
    return errors.push_back(options.graph + ": is a matrix of " +
                            std::to_string(matrix->rows) + " x " +
                            std::to_string(matrix->columns) +
                            ", and a graph has as many rows as columns: a row "
                            "per source, a column per destination");
  files.push_back(options.graph);
  if (names.selfLoops)
    addSelfLoops(*matrix);
  const auto bindDim = [&](const std::string &dim, int64_t value) {
    dimsSeen.insert(dim);
    if (const int64_t known = dims.emplace(dim, value).first->second;
        known != value)
      error("dimension \"" + dim + "\" is " + std::to_string(known) +
            " elsewhere, and " + std::to_string(value) + " in " +
            options.graph);
  };
  bindDim(names.nodes, matrix->rows);
  bindDim(names.edges, matrix->entries());
  const std::vector<size_t> order = byDestination(*matrix);
  const auto bindInput = [&](const std::string &name,
                             const std::vector<int64_t> &ends) {
    Tensor tensor = makeTensor({DType::I64, {matrix->entries()}});
    for (size_t e = 0; e < order.size(); ++e)
      tensor.data<int64_t>()[e] = ends[order[e]];
    scope.values[name] = builder.addConstant(std::move(tensor), name);
    builder.setName(scope.values[name], name);
  };
  bindInput(names.sources, matrix->row);
  bindInput(names.destinations, matrix->column);
  if (names.types.empty())
    return;
  const auto types = typesOf(*matrix, names.relations, options.graph);
  if (!types)
    return errors.push_back(types.error().message);
  bindInput(names.types, *types);
}
