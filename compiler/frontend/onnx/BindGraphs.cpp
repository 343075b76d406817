// The files of --graph: dimensions, and inputs that are known from here on.
#include "compiler/frontend/onnx/Importer.h"
#include "compiler/frontend/onnx/InputGraph.h"
#include "runtime/graph/Bind.h"
#include "runtime/graph/Layout.h"
#include "runtime/graph/Members.h"

#include <algorithm>

using namespace smex;
using namespace smex::frontend;

static std::string namesOf(const std::vector<InputGraph> &graphs) {
  std::string text;
  for (const InputGraph &graph : graphs)
    text += (text.empty() ? "\"" : ", \"") + graph.name + "\"";
  return text;
}

/// "a.txt", "a.txt and 2 more"
static std::string nameOf(const std::vector<std::string> &files) {
  return files.size() == 1
             ? files[0]
             : files[0] + " and " + std::to_string(files.size() - 1) + " more";
}

/// The files of each graph that the model declares, from arguments NAME=FILE;
/// where it declares one, FILE will do.
std::vector<std::vector<std::string>>
Importer::graphFiles(const std::vector<InputGraph> &declared) {
  std::vector<std::vector<std::string>> graphs(declared.size());
  for (const std::string &argument : options.graphs) {
    // A file's name may hold '=', a graph's cannot.
    const size_t equals = argument.find('=');
    const auto named = std::find_if(
        declared.begin(), declared.end(), [&](const InputGraph &graph) {
          return equals != std::string::npos && equals > 0 &&
                 argument.compare(0, equals, graph.name) == 0;
        });
    const bool isNamed = named != declared.end();
    if (!isNamed && declared.size() > 1) {
      error("--graph " + argument +
            ": give it as NAME=FILE, with the name of one of the model's "
            "graphs: " +
            namesOf(declared));
      continue;
    }
    const std::string given = isNamed ? argument.substr(equals + 1) : argument;
    if (given.empty())
      error("--graph " + argument + ": the name of a file is missing");
    else
      graphs[isNamed ? size_t(named - declared.begin()) : 0].push_back(given);
  }
  for (size_t i = 0; errors.empty() && i < declared.size(); ++i)
    if (graphs[i].empty())
      error("graph \"" + declared[i].name + "\" is missing: add --graph " +
            declared[i].name + "=FILE");
  return graphs;
}

void Importer::bindGraphs(Scope &scope) {
  const auto declared = inputGraphs(*model);
  if (!declared)
    return error(declared.error().message);
  // Which no input may have.
  for (const InputGraph &graph : *declared)
    dimsSeen.insert({graph.sourceNodes, graph.destinationNodes, graph.edges});
  for (const InputGraph &graph : *declared)
    if (!graph.graphs.empty()) {
      dimsSeen.insert(graph.graphs);
      if (options.graphs.empty() && !options.dims.count(graph.graphs))
        unbound[graph.graphs].push_back(graph.graphOf);
    }
  if (options.graphs.empty())
    return;
  if (declared->empty())
    return error("has no graph to bind with --graph; a model says which of its "
                 "inputs are one (compiler/frontend/json/README.md)");
  const InputGraph &first = declared->front();
  if (options.graphRoom &&
      (declared->size() > 1 || !first.isOfOneType() || !first.types.empty()))
    return error("--graph-room is for a model of one graph, with nodes of one "
                 "type and edges of one type");
  const auto graphs = graphFiles(*declared);
  if (!errors.empty())
    return;
  std::map<std::string, std::string> origins; // files, by dimension
  for (size_t i = 0; i < graphs.size(); ++i)
    bindGraph((*declared)[i], graphs[i], origins, scope);
}

/// For how many graphs of a batch: as many as there are, or, beside a sample,
/// more, or what --dim says, for a file may hold many graphs.
std::optional<int64_t> Importer::batchRoom(const InputGraph &names,
                                           const BoundGraph &bound,
                                           int64_t graphs) {
  if (!bound.share)
    return graphs;
  const auto given = options.dims.find(names.graphs);
  if (given == options.dims.end())
    return graphs + graph::moreThan(graphs, *bound.share);
  if (given->second >= graphs)
    return given->second;
  error("--dim " + names.graphs + "=" + std::to_string(given->second) +
        ": the sample has " + std::to_string(graphs) + " graphs");
  return std::nullopt;
}

void Importer::bindGraph(const InputGraph &names,
                         const std::vector<std::string> &given,
                         std::map<std::string, std::string> &origins,
                         Scope &scope) {
  std::vector<graph::Relation> batch;
  for (const std::string &file : given) {
    auto read =
        graph::readRelation(file, {names.isOfOneType(), names.selfLoops,
                                   names.relations, !names.values.empty()});
    if (!read)
      return addError(read.error());
    batch.push_back(std::move(*read));
    files.push_back(file);
  }
  graph::Relation relation = graph::sideBySide(std::move(batch));
  const std::string from = nameOf(given);
  const graph::Numbers sizes = relation.sizes;
  BoundGraph bound;
  bound.sourceNodes = relation.sourceNodes;
  bound.destinationNodes = relation.destinationNodes;
  const auto bindDim = [&](const std::string &dim, int64_t value) {
    dimsSeen.insert(dim);
    const auto [known, isNew] = dims.emplace(dim, value);
    if (isNew)
      origins[dim] = from;
    if (known->second != value)
      error("dimension \"" + dim + "\" is " + std::to_string(known->second) +
            " in " + (origins.count(dim) ? origins[dim] : "a constant") +
            ", and " + std::to_string(value) + " in " + from);
  };
  bound.nodes = relation.graph.nodes();
  bound.share = options.graphRoom;
  bound.rooms = graph::roomsFor(relation.graph, bound.share);
  if (!bound.share)
    bound.rooms.nodes = bound.destinationNodes;
  bindDim(names.sourceNodes,
          bound.share ? bound.rooms.nodes : bound.sourceNodes);
  if (!names.isOfOneType())
    bindDim(names.destinationNodes, bound.destinationNodes);
  bindDim(names.edges, bound.rooms.edges);
  const auto bindInput = [&](const std::string &name, Tensor values) {
    auto list = std::make_shared<const Tensor>(std::move(values));
    if (bound.share) // a sample: the plan has inputs
      return list;
    scope.values[name] = builder.addConstant(list, name);
    builder.setName(scope.values[name], name);
    return list;
  };
  bound.fileEdges = relation.fileEdges();
  if (!bound.share)
    bound.edgeRows = std::make_shared<const graph::Numbers>(
        graph::edgeRows(relation, relation.graph.edges()));
  bindEdgeConstants(names, bound, scope);
  // Of 10^8 edges, a list of ends is 1 GB: none is kept longer than needed.
  graph::Ends ends = graph::endsOf(std::move(relation));
  bound.sources = bindInput(names.sources, std::move(ends.sources));
  bound.destinationsName = names.destinations;
  bound.destinations =
      bindInput(names.destinations, std::move(ends.destinations));
  if (!names.types.empty())
    bindInput(names.types, std::move(ends.types));
  if (!names.values.empty())
    bindInput(names.values, std::move(ends.values));
  if (names.needsAdded())
    bindInput(names.addedName(), std::move(ends.added));
  if (!names.graphs.empty())
    if (const auto room = batchRoom(names, bound, int64_t(sizes.size()))) {
      bindDim(names.graphs, *room);
      auto members = graph::membersWithin(sizes, {bound.nodes, *room, true});
      bindInput(names.graphOf, std::move(*members)); // the graph's own fit
    }
  boundGraphs.emplace(names.name, std::move(bound));
}

/// Whether an input of this name is left.
static const Value *inputOf(const Model &model, const std::string &name) {
  for (int input : model.inputs)
    if (const Value &value = model.values[size_t(input)]; value.name == name)
      return &value;
  return nullptr;
}

InputRows Importer::inputRows(const Model &result,
                              const std::string &dimension) const {
  InputRows rows = {dimension, dims.at(dimension), {}};
  for (const auto &input : model->graph().input()) {
    const auto &shape = input.type().tensor_type().shape();
    if (shape.dim_size() > 0 && shape.dim(0).dim_param() == dimension &&
        inputOf(result, input.name()))
      rows.inputs.push_back(input.name());
  }
  for (const auto &output : model->graph().output()) {
    const auto &shape = output.type().tensor_type().shape();
    if (shape.dim_size() > 0 && shape.dim(0).dim_param() == dimension)
      rows.outputs.push_back(output.name());
  }
  return rows;
}

/// Which input says of what graph each node is, and what has a row per graph;
/// false where that input is none.
bool Importer::addBatch(const Model &result, const InputGraph &names,
                        GraphInputs &inputs) const {
  if (names.graphs.empty())
    return true;
  const Value *input = inputOf(result, names.graphOf);
  if (!input || !dims.count(names.graphs) ||
      input->type != TensorType{DType::I64, {inputs.to.count}})
    return false;
  inputs.graphOf = names.graphOf;
  inputs.batch = inputRows(result, names.graphs);
  // It follows from the graph, as its edges do.
  auto &perNode = inputs.to.inputs;
  perNode.erase(std::remove(perNode.begin(), perNode.end(), names.graphOf),
                perNode.end());
  return true;
}

/// What the plan needs to know to bind the graph when it runs; nothing where
/// what the model says does not fit its inputs.
std::optional<GraphInputs> Importer::openGraph(const Model &result,
                                               const InputGraph &names) const {
  const auto edges = dims.find(names.edges);
  if (!dims.count(names.sourceNodes) || !dims.count(names.destinationNodes) ||
      edges == dims.end())
    return std::nullopt;
  for (const std::string &name :
       {names.sources, names.destinations, names.types}) {
    const Value *input = inputOf(result, name);
    if (!name.empty() &&
        (!input || input->type != TensorType{DType::I64, {edges->second}}))
      return std::nullopt;
  }
  GraphInputs inputs;
  inputs.name = names.name;
  inputs.sources = names.sources;
  inputs.destinations = names.destinations;
  inputs.types = names.types;
  inputs.edgeTypes = names.relations;
  inputs.selfLoops = names.selfLoops;
  inputs.to = inputRows(result, names.destinationNodes);
  if (!names.isOfOneType())
    inputs.from = inputRows(result, names.sourceNodes);
  if (!addBatch(result, names, inputs))
    return std::nullopt;
  inputs.edges = inputRows(result, names.edges);
  inputs.edges.inputs = edgeInputs(names);
  const auto wanted = [&](const std::string &name, DType type) {
    const Value *input = inputOf(result, name);
    return input && input->type == TensorType{type, {edges->second}} ? name
                                                                     : "";
  };
  inputs.values = wanted(names.values, DType::F32);
  if (names.needsAdded())
    inputs.added = wanted(names.addedName(), DType::Bool);
  inputs.rooms = {inputs.to.count, edges->second, {}, {}, false};
  if (const auto bound = boundGraphs.find(names.name);
      bound != boundGraphs.end()) {
    inputs.rooms = bound->second.rooms;
    for (const auto &[number, list] : bound->second.inputs)
      inputs.lists.emplace_back(
          result.values[size_t(result.inputs[number])].name, list);
  }
  return inputs;
}

/// None where they are bound already.
std::vector<GraphInputs> Importer::openGraphs(const Model &result) const {
  std::vector<GraphInputs> graphs;
  const auto declared = inputGraphs(*model);
  if ((!options.graphs.empty() && !options.graphRoom) || !declared)
    return graphs;
  for (const InputGraph &names : *declared)
    if (auto graph = openGraph(result, names))
      graphs.push_back(std::move(*graph));
  return graphs;
}

std::vector<KnownGraph> Importer::knownGraphs() const {
  std::vector<KnownGraph> known;
  const auto declared = inputGraphs(*model);
  if (!declared)
    return known;
  for (const InputGraph &names : *declared) {
    const auto bound = boundGraphs.find(names.name);
    if (bound == boundGraphs.end() || bound->second.share ||
        !bound->second.sources)
      return {};
    const BoundGraph &graph = bound->second;
    known.push_back({names.destinationNodes, names.isOfOneType(),
                     graph.destinationNodes, graph.sources,
                     graph.destinations});
  }
  return known;
}
