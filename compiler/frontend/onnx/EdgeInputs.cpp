// Inputs with a row per edge of a graph: those whose first dimension is its
// edges. Whoever gives them has the edges in the order of the graph's files,
// without the self-loops that are added; what these have, the model says.
#include "compiler/frontend/onnx/Importer.h"
#include "runtime/graph/Part.h"

#include <algorithm>
#include <cmath>

using namespace smex;
using namespace smex::frontend;

/// Bound with the graph, in the order of the model's edges.
static bool isOfGraph(const InputGraph &names, const std::string &input) {
  return input == names.sources || input == names.destinations ||
         input == names.types || input == names.values || input == names.added;
}

/// The model's inputs with features of edges. What it says of its graphs is
/// sound.
std::vector<std::string> Importer::edgeInputs(const InputGraph &names) const {
  const auto declared = inputGraphs(*model);
  std::vector<std::string> inputs;
  for (const auto &input : model->graph().input()) {
    const auto &shape = input.type().tensor_type().shape();
    const bool isBound = std::any_of(declared->begin(), declared->end(),
                                     [&](const InputGraph &other) {
                                       return isOfGraph(other, input.name());
                                     });
    if (shape.dim_size() > 0 && shape.dim(0).dim_param() == names.edges &&
        !isBound)
      inputs.push_back(input.name());
  }
  return inputs;
}

/// Whether an input has features of the edges of some graph.
bool Importer::isOfEdges(const std::string &input) const {
  const auto declared = inputGraphs(*model);
  return declared &&
         std::any_of(declared->begin(), declared->end(),
                     [&](const InputGraph &names) {
                       const auto inputs = edgeInputs(names);
                       return std::find(inputs.begin(), inputs.end(), input) !=
                              inputs.end();
                     });
}

/// What --constant has given, in the order of the model's edges.
void Importer::bindEdgeConstants(const InputGraph &names,
                                 const BoundGraph &bound, Scope &scope) {
  for (const std::string &input : edgeInputs(names)) {
    const auto given = edgeConstants.find(input);
    if (given == edgeConstants.end())
      continue;
    const auto &[valueFile, value] = given->second;
    if (bound.share)
      error("input \"" + input +
            "\" has a row per edge of a graph that the plan "
            "is given when it runs, and is no constant: give it then, too");
    else if (value.type.shape[0] != bound.fileEdges)
      error("input \"" + input + "\": " + valueFile + " is " +
            toString(value.type) + ", and a row for each of " +
            std::to_string(bound.fileEdges) + " edges is expected");
    else if (auto rows = graph::gatherRows(value, *bound.edgeRows); !rows)
      error("input \"" + input + "\": " + rows.error().message);
    else {
      scope.values[input] = builder.addConstant(std::move(*rows), input);
      builder.setName(scope.values[input], input);
    }
  }
}

/// Rows of edges that nobody could bring into the model's order are refused.
void Importer::checkEdgeInputs() {
  const auto declared = inputGraphs(*model);
  if (!declared)
    return; // bindGraphs says so
  for (const InputGraph &names : *declared) {
    const auto shares = [&](const InputGraph &other) {
      return other.edges == names.edges;
    };
    const bool several =
        std::count_if(declared->begin(), declared->end(), shares) > 1;
    for (const std::string &input : edgeInputs(names)) {
      if (options.graphs.empty() && options.constants.count(input) &&
          !(options.constants.count(names.sources) &&
            options.constants.count(names.destinations)))
        error("input \"" + input +
              "\" has a row per edge of a graph that the plan is given when it "
              "runs, and is no constant: give it then, too");
      if (several)
        error("input \"" + input + "\" has a row per edge, and \"" +
              names.edges +
              "\" is the number of edges of several graphs: give each graph a "
              "dimension of its own");
    }
    for (const auto &input : model->graph().input()) {
      const auto &shape = input.type().tensor_type().shape();
      for (int d = 1; d < shape.dim_size(); ++d)
        if (shape.dim(d).dim_param() == names.edges)
          error("input \"" + input.name() + "\" has the edges, \"" +
                names.edges + "\", as its dimension " + std::to_string(d) +
                ": make them its first one, so that it has a row per edge");
    }
    for (const auto &input : model->graph().input())
      if (names.added.empty() && names.needsAdded() &&
          input.name() == names.addedName())
        error("input \"" + input.name() +
              "\" has the name of the list of self-loops that are added: name "
              "another one as \"added\" of the graph");
    for (const auto &[input, row] : names.loopRows) {
      const auto inputs = edgeInputs(names);
      if (input != names.values &&
          std::find(inputs.begin(), inputs.end(), input) == inputs.end())
        error("\"loop_rows\" speak of \"" + input +
              "\", which is no input with a row per edge");
    }
  }
}

void Importer::addLoopRows(Scope &scope) {
  const auto declared = inputGraphs(*model);
  if (!declared)
    return;
  for (const InputGraph &names : *declared) {
    if (!names.selfLoops)
      continue;
    std::vector<std::string> inputs = edgeInputs(names);
    if (!names.values.empty())
      inputs.push_back(names.values);
    for (const std::string &input : inputs) {
      const auto row = names.loopRows.find(input);
      if (row != names.loopRows.end())
        addLoopRow(names, input, row->second, scope);
      else
        error("input \"" + input +
              "\" has a row per edge, and its graph adds self-loops: say in "
              "\"loop_rows\" what these have, {\"" +
              input + "\": 0}, 1, \"mean\" or {\"parameter\": NAME}");
    }
  }
}

/// The input, with what added self-loops have, which is zeros as it is given.
void Importer::addLoopRow(const InputGraph &names, const std::string &input,
                          const LoopRow &row, Scope &scope) {
  const ValueId x = scope.values.at(input);
  const TensorType type = builder.type(x);
  const auto wrong = [&](const std::string &what) {
    error("\"loop_rows\" of input \"" + input + "\" (" + toString(type) +
          "): " + what);
  };
  if (row.kind == LoopRow::Kind::Number && row.number == 0)
    return;
  const std::string listName = names.addedName();
  if (!scope.values.count(listName))
    scope.values[listName] =
        builder.addInput(listName, {DType::Bool, {type.shape[0]}});
  std::vector<ValueId> operands = {x, scope.values.at(listName)};
  tdl::Attributes attributes;
  std::string op = "number_of_loops";
  if (row.kind == LoopRow::Kind::Parameter) {
    const auto parameter = scope.values.find(row.parameter);
    if (parameter == scope.values.end())
      return wrong("there is no parameter \"" + row.parameter + "\"");
    const TensorType wanted = {type.dtype,
                               {type.shape.begin() + 1, type.shape.end()}};
    if (builder.type(parameter->second) != wanted)
      return wrong("parameter \"" + row.parameter + "\" is " +
                   toString(builder.type(parameter->second)) +
                   ", and a row is " + toString(wanted));
    op = "row_of_loops";
    operands.push_back(parameter->second);
  } else if (row.kind == LoopRow::Kind::Mean) {
    if (!isFloat(type.dtype))
      return wrong("a mean is of real numbers");
    op = "mean_of_loops";
    operands.push_back(scope.values.at(names.destinations));
    attributes["nodes"] = dims.at(names.destinationNodes);
  } else {
    if (!isFloat(type.dtype) && row.number != std::floor(row.number))
      return wrong("must be a whole number");
    attributes["row"] = row.number;
  }
  const auto made = builder.apply(op, operands, attributes, input);
  if (!made)
    return wrong(made.error().message);
  scope.values[input] = made->front();
}

/// Of graphs that are part of the model.
std::vector<EdgeRows> Importer::edgeRows(const Model &result) const {
  std::vector<EdgeRows> list;
  const auto declared = inputGraphs(*model);
  if (!declared)
    return list;
  for (const InputGraph &names : *declared) {
    const auto bound = boundGraphs.find(names.name);
    if (bound == boundGraphs.end() || !bound->second.edgeRows)
      continue;
    EdgeRows rows;
    rows.graph = names.name;
    rows.fileEdges = bound->second.fileEdges;
    rows.nodes = {bound->second.destinationNodes, bound->second.sourceNodes};
    rows.edges = inputRows(result, names.edges);
    rows.edges.inputs = edgeInputs(names);
    rows.rows = bound->second.edgeRows;
    list.push_back(std::move(rows));
  }
  return list;
}
