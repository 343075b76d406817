#include "compiler/training/ModelTape.h"

#include <algorithm>
#include <set>

using namespace smex;
using namespace smex::training;

ModelTape::ModelTape(frontend::Model &model) : given(model) {
  for (const frontend::Value &value : model.values)
    suffixes.try_emplace(value.name, 2);
}

int ModelTape::addValue(const std::string &name, TensorType type) {
  // A weight that a thousand timesteps read has a thousand gradients, so the
  // search for a free suffix goes on where the last one ended.
  std::string unique = name;
  const auto [it, isNew] = suffixes.try_emplace(name, 2);
  if (!isNew) {
    int next = it->second;
    do
      unique = name + "_" + std::to_string(next++);
    while (!suffixes.try_emplace(unique, 2).second);
    suffixes[name] = next;
  }
  given.values.push_back({std::move(unique), std::move(type)});
  return int(given.values.size()) - 1;
}

int ModelTape::addInput(const std::string &name, TensorType type) {
  given.inputs.push_back(addValue(name, std::move(type)));
  return given.inputs.back();
}

/// Whether some edges of the model are in no file.
static bool hasMore(const frontend::EdgeRows &rows) {
  return rows.fileEdges < rows.edges.count;
}

Spare ModelTape::setRows(int input, const std::string &output) {
  const frontend::Value &value = given.values[size_t(input)];
  const auto isDeclared = [&](const frontend::InputRows &edges) {
    return std::find(edges.outputs.begin(), edges.outputs.end(), output) !=
           edges.outputs.end();
  };
  const auto fits = [&](int64_t rows) {
    return value.type.rank() > 0 && value.type.shape[0] == rows;
  };
  for (frontend::GraphInputs &graph : given.graphs)
    if (isDeclared(graph.edges) && fits(graph.edges.count)) {
      graph.edges.inputs.push_back(value.name);
      return Spare::Edges;
    }
  for (frontend::EdgeRows &rows : given.edgeRows)
    if (isDeclared(rows.edges) && fits(rows.edges.count)) {
      rows.edges.inputs.push_back(value.name);
      return hasMore(rows) ? Spare::Edges : Spare::None;
    }
  std::set<std::string> dimensions;
  std::vector<frontend::InputRows *> fitting;
  const auto add = [&](frontend::InputRows &rows) {
    if (value.type.rank() > 0 && value.type.shape[0] == rows.count) {
      dimensions.insert(rows.dimension);
      fitting.push_back(&rows);
    }
  };
  for (frontend::GraphInputs &graph : given.graphs) {
    add(graph.to);
    if (graph.from)
      add(*graph.from);
    if (graph.batch)
      add(*graph.batch);
  }
  if (dimensions.size() == 1) // else nobody knows of what
    for (frontend::InputRows *rows : fitting)
      rows->inputs.push_back(value.name);
  if (!dimensions.empty())
    return Spare::Nodes;
  for (const frontend::EdgeRows &rows : given.edgeRows)
    for (int64_t nodes : rows.nodes)
      if (fits(nodes))
        return Spare::None;
  for (frontend::GraphInputs &graph : given.graphs)
    add(graph.edges);
  std::vector<frontend::EdgeRows *> known;
  for (frontend::EdgeRows &rows : given.edgeRows)
    if (fits(rows.edges.count))
      known.push_back(&rows);
  if (fitting.size() + known.size() != 1)
    return Spare::None;
  frontend::InputRows &rows =
      fitting.empty() ? known.front()->edges : *fitting.front();
  rows.inputs.push_back(value.name);
  return known.empty() || hasMore(*known.front()) ? Spare::Edges : Spare::None;
}

int ModelTape::addState(const std::string &name, TensorType type) {
  frontend::Parameter parameter;
  parameter.value = addValue(name, std::move(type));
  parameter.data.kind = frontend::ParameterData::Kind::Drawn;
  parameter.constant = parameter.state = true;
  given.parameters.push_back(parameter);
  return parameter.value;
}

void ModelTape::addUpdate(int parameter, int value) {
  given.updates.push_back({parameter, value});
}

std::vector<int> ModelTape::append(const tdl::Instance &instance,
                                   const std::vector<int> &operands,
                                   const std::string &name,
                                   const std::string &node, int gradientOf) {
  std::vector<int> made;
  const auto valueOf = [&](int source) {
    return source >= 0 ? operands[size_t(source)] : made[size_t(~source)];
  };
  for (const tdl::Application &application : instance.applications) {
    frontend::Application added;
    added.lambda = application.lambda;
    added.extents = application.extents;
    added.detached = application.detached;
    added.ties = application.ties;
    added.node = node;
    added.gradientOf = gradientOf;
    for (int operand : application.operands)
      added.operands.push_back(valueOf(operand));
    const auto begin = application.extents.begin();
    added.result = addValue(name, {application.lambda.result,
                                   {begin, begin + application.lambda.rank()}});
    made.push_back(added.result);
    given.applications.push_back(std::move(added));
  }
  std::vector<int> results;
  for (int source : instance.results)
    results.push_back(valueOf(source));
  return results;
}
