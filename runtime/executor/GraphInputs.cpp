#include "runtime/executor/GraphInputs.h"

#include "runtime/graph/Bind.h"
#include "runtime/graph/Layout.h"
#include "runtime/graph/Members.h"
#include "runtime/graph/Part.h"

#include <algorithm>
#include <cstring>

using namespace smex;
using namespace smex::runtime;

/// May an element be -1?
static bool takesNone(const plan::Port &port) {
  return !port.low || *port.low < 0 || port.ignore == -1;
}

static bool isAmong(const std::vector<std::string> &names,
                    const plan::Port &port) {
  return std::find(names.begin(), names.end(), port.name) != names.end();
}

static const plan::ListInput *listOf(const plan::GraphInputs &names,
                                     const plan::Port &port) {
  if (names.layout)
    for (const plan::ListInput &list : names.layout->lists)
      if (list.input == port.name)
        return &list;
  return nullptr;
}

/// Whether an input is what a file says of each edge.
static bool isOfEdges(const plan::GraphInputs &names, const plan::Port &port) {
  return port.name == names.sources || port.name == names.destinations ||
         port.name == names.types || port.name == names.values ||
         port.name == names.added;
}

/// What the plan has room for, by its inputs.
static graph::Room roomOf(const plan::Program &program,
                          const plan::GraphInputs &names) {
  graph::Room room;
  room.nodes = names.nodes;
  room.sourceNodes = names.sourceNodes;
  room.toNone = true; // for an end that nothing reads
  if (names.layout)
    room.edges = names.layout->rooms.edges;
  for (const plan::Port &port : program.inputs) {
    if (isOfEdges(names, port) || isAmong(names.perEdge, port)) {
      const int tensor = program.buffers[size_t(port.buffer)].tensor;
      room.edges = program.tensors[size_t(tensor)].type.shape[0];
    }
    if (port.name == names.destinations)
      room.toNone = takesNone(port);
  }
  return room;
}

static Result<Tensor> membersOf(const plan::Program &program,
                                const plan::GraphInputs &names,
                                const graph::Numbers &sizes) {
  graph::BatchRoom room = {names.nodes, *names.graphs, true};
  for (const plan::Port &port : program.inputs)
    if (port.name == names.graphOf)
      room.toNone = takesNone(port);
  return graph::membersWithin(sizes, room);
}

static Result<std::vector<Tensor>> bindWhole(const plan::Program &program,
                                             const plan::GraphInputs &names,
                                             const graph::Relation &relation) {
  std::vector<Tensor> lists;
  if (names.layout) {
    std::vector<graph::GraphList> wanted;
    for (const plan::Port &port : program.inputs)
      if (const plan::ListInput *list = listOf(names, port))
        wanted.push_back(list->list);
    auto made = graph::layOut(relation.graph, names.layout->rooms, wanted);
    if (!made)
      return made;
    lists = std::move(*made);
  }
  graph::Ends ends;
  const bool readsEdges = std::any_of(
      program.inputs.begin(), program.inputs.end(),
      [&](const plan::Port &port) {
        return isOfEdges(names, port) || isAmong(names.perEdge, port);
      });
  if (readsEdges) {
    auto made = graph::endsWithin(relation, roomOf(program, names));
    if (!made)
      return made.takeError();
    ends = std::move(*made);
  }
  Tensor members;
  if (names.graphs) {
    auto made = membersOf(program, names, relation.sizes);
    if (!made)
      return made.takeError();
    members = std::move(*made);
  }
  std::vector<Tensor> tensors;
  size_t next = 0;
  for (const plan::Port &port : program.inputs)
    if (port.name == names.sources)
      tensors.push_back(std::move(ends.sources));
    else if (port.name == names.destinations)
      tensors.push_back(std::move(ends.destinations));
    else if (port.name == names.types)
      tensors.push_back(std::move(ends.types));
    else if (port.name == names.values)
      tensors.push_back(std::move(ends.values));
    else if (port.name == names.added)
      tensors.push_back(std::move(ends.added));
    else if (names.graphs && port.name == names.graphOf)
      tensors.push_back(std::move(members));
    else if (listOf(names, port))
      tensors.push_back(std::move(lists[next++]));
  return tensors;
}

Result<std::vector<Tensor>> runtime::bindGraph(const plan::Program &program,
                                               const plan::GraphInputs &names,
                                               graph::Relation relation) {
  if (!names.selfLoops)
    return bindWhole(program, names, relation);
  auto tensors =
      bindWhole(program, names, graph::withSelfLoops(std::move(relation)));
  if (!tensors)
    return fail("with self-loops, ", tensors.error().message);
  return tensors;
}

graph::Numbers runtime::edgeRowsOf(const plan::Program &program,
                                   const plan::GraphInputs &names,
                                   graph::Relation relation) {
  if (names.selfLoops)
    relation = graph::withSelfLoops(std::move(relation));
  // That it fits, bindGraph says.
  return graph::edgeRows(
      relation, std::max(roomOf(program, names).edges, relation.graph.edges()));
}

const plan::GraphInputs *runtime::graphOf(const plan::Program &program,
                                          const plan::Port &port) {
  for (const plan::GraphInputs &names : program.graphs)
    if (isOfEdges(names, port) ||
        (names.graphs && port.name == names.graphOf) || listOf(names, port))
      return &names;
  return nullptr;
}

std::string runtime::givenName(const plan::Program &program,
                               const plan::Port &port) {
  for (const plan::GraphInputs &graph : program.graphs) {
    const std::string own = graph::layerName("", graph.layer);
    const std::string &name = port.name;
    if (graph.layer && isAmong(graph.perEdge, port) &&
        name.size() > own.size() &&
        name.compare(name.size() - own.size(), own.size(), own) == 0)
      return name.substr(0, name.size() - own.size());
  }
  return port.name;
}

std::optional<GraphRows> runtime::graphRows(
    const plan::Program &program, const std::vector<RunGraph> &graphs,
    const std::vector<graph::Numbers> &edgeOrders, const plan::Port &port) {
  for (size_t g = 0; g < graphs.size(); ++g) {
    const graph::Relation &relation = graphs[g].relation;
    const auto rows = [&](int64_t count, const char *each) {
      return GraphRows{graphs[g].name, count, each, graphs[g].sampled};
    };
    if (isAmong(program.graphs[g].perNode, port))
      return rows(relation.destinationNodes, "node");
    if (isAmong(program.graphs[g].perSourceNode, port))
      return rows(relation.sourceNodes, "node");
    if (isAmong(program.graphs[g].perGraph, port))
      return rows(graphs[g].graphs, "graph");
    if (isAmong(program.graphs[g].perEdge, port)) {
      // Of what is sampled, the first graph of a name has the edges.
      size_t first = 0;
      while (program.graphs[first].name != program.graphs[g].name)
        ++first;
      GraphRows edges = rows(graphs[first].relation.fileEdges(), "edge");
      edges.order = &graphs[g].edgeRows;
      return edges;
    }
  }
  for (size_t k = 0; k < edgeOrders.size(); ++k)
    if (const plan::EdgeRows &edges = program.edgeRows[k];
        isAmong(edges.inputs, port))
      return GraphRows{edges.graph.empty() ? "the graph that the plan was "
                                             "compiled with"
                                           : "graph \"" + edges.graph + "\"",
                       edges.fileEdges, "edge", false, &edgeOrders[k]};
  return std::nullopt;
}

void runtime::fillRows(const plan::Port &port, Tensor &tensor,
                       int64_t firstByte, int64_t bytes) {
  std::byte *const first = tensor.bytes.data() + firstByte;
  const int64_t size = byteSize(tensor.type.dtype);
  if (!port.ignore) {
    std::memset(first, 0, size_t(bytes));
    return;
  }
  for (int64_t at = 0; at < bytes; at += size) // its low bytes: little-endian
    std::memcpy(first + at, &*port.ignore, size_t(size));
}

Feed runtime::padRows(const plan::Port &port, const TensorType &type, Feed feed,
                      int64_t rows) {
  const int64_t step = byteCount(type).value();
  const int64_t row = type.shape[0] ? step / type.shape[0] : 0;
  const int64_t own = rows * row;
  const int64_t steps = feed.perStep ? feed.value.type.shape[0] : 1;
  TensorType padded = type;
  if (feed.perStep)
    padded.shape.insert(padded.shape.begin(), steps);
  Feed result{makeTensor(padded), feed.perStep, nullptr, 0};
  for (int64_t i = 0; i < steps; ++i) {
    std::memcpy(result.value.bytes.data() + i * step,
                feed.value.bytes.data() + i * own, size_t(own));
    fillRows(port, result.value, i * step + own, step - own);
  }
  return result;
}

Feed runtime::orderRows(const plan::Port &port, const TensorType &type,
                        Feed feed, int64_t rows, const graph::Numbers &order) {
  const int64_t step = byteCount(type).value();
  const int64_t row = type.shape[0] ? step / type.shape[0] : 0;
  const int64_t steps = feed.perStep ? feed.value.type.shape[0] : 1;
  TensorType ordered = type;
  if (feed.perStep)
    ordered.shape.insert(ordered.shape.begin(), steps);
  Feed result{makeTensor(ordered), feed.perStep, nullptr, 0};
  for (int64_t i = 0; row > 0 && i < steps; ++i)
    for (size_t e = 0; e < order.size(); ++e) {
      const int64_t to = i * step + int64_t(e) * row;
      if (order[e] < 0)
        fillRows(port, result.value, to, row);
      else
        std::memcpy(result.value.bytes.data() + to,
                    feed.value.bytes.data() + (i * rows + order[e]) * row,
                    size_t(row));
    }
  return result;
}

Status runtime::orderOutputs(const plan::Program &program,
                             const std::vector<RunGraph> &graphs,
                             const std::vector<graph::Numbers> &edgeOrders,
                             std::vector<Tensor> &outputs) {
  const auto order = [&](const std::vector<std::string> &names,
                         const graph::Numbers &rows, int64_t edges) {
    graph::Numbers places(size_t(edges), -1); // of the file's rows
    for (size_t e = 0; e < rows.size(); ++e)
      if (rows[e] >= 0)
        places[size_t(rows[e])] = int64_t(e);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!isAmong(names, program.outputs[i]))
        continue;
      auto ordered = graph::gatherRows(outputs[i], places);
      if (!ordered)
        return Status(ordered.takeError());
      outputs[i] = std::move(*ordered);
    }
    return Status();
  };
  for (size_t g = 0; g < graphs.size(); ++g)
    if (!graphs[g].sampled)
      if (Status done = order(program.graphs[g].edgeOutputs, graphs[g].edgeRows,
                              graphs[g].relation.fileEdges());
          !done)
        return done;
  for (size_t k = 0; k < edgeOrders.size(); ++k)
    if (Status done = order(program.edgeRows[k].outputs, edgeOrders[k],
                            program.edgeRows[k].fileEdges);
        !done)
      return done;
  return {};
}
