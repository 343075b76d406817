#include "runtime/executor/GraphInputs.h"

#include "runtime/graph/Batch.h"
#include "runtime/graph/Bind.h"
#include "runtime/graph/Change.h"
#include "runtime/graph/Layout.h"

#include <algorithm>
#include <cstring>

using namespace smex;
using namespace smex::runtime;

/// May an element be -1?
static bool takesNone(const plan::Port &port) {
  return !port.low || *port.low < 0 || port.ignore == -1;
}

/// "a.txt", "a.txt and 2 more"
static std::string nameOf(const std::vector<std::string> &files) {
  return files.size() == 1
             ? files[0]
             : files[0] + " and " + std::to_string(files.size() - 1) + " more";
}

static Result<graph::Graph> readGraphs(const std::vector<std::string> &files) {
  std::vector<graph::Graph> graphs;
  for (const std::string &file : files) {
    auto graph = graph::readGraph(file);
    if (!graph)
      return graph;
    graphs.push_back(std::move(*graph));
  }
  return graph::batch(graphs).graph;
}

Result<RunGraph> runtime::readRunGraph(const plan::Program &program,
                                       const std::vector<std::string> &files,
                                       bool sampled) {
  RunGraph run;
  run.name = nameOf(files);
  run.sampled = sampled;
  if (!program.graph)
    return fail(run.name, ": the plan has no graph to bind: its model works on "
                          "none, or has several, which are given with "
                          "--input, or it was compiled with --graph");
  auto graph = readGraphs(files);
  if (!graph)
    return graph.takeError();
  run.graph = std::move(*graph);
  return run;
}

static const plan::ListInput *listOf(const plan::GraphInputs &names,
                                     const plan::Port &port) {
  if (names.layout)
    for (const plan::ListInput &list : names.layout->lists)
      if (list.input == port.name)
        return &list;
  return nullptr;
}

static bool isEnd(const plan::GraphInputs &names, const plan::Port &port) {
  return port.name == names.sources || port.name == names.destinations;
}

/// What the plan has room for, by its inputs.
static graph::Room roomOf(const plan::Program &program) {
  const plan::GraphInputs &names = *program.graph;
  graph::Room room;
  room.nodes = names.nodes;
  room.toNone = true; // for an end that nothing reads
  for (const plan::Port &port : program.inputs)
    if (isEnd(names, port)) {
      const int tensor = program.buffers[size_t(port.buffer)].tensor;
      room.edges = program.tensors[size_t(tensor)].type.shape[0];
      if (port.name == names.destinations)
        room.toNone = takesNone(port);
    }
  return room;
}

static Result<std::vector<Tensor>> bindWhole(const plan::Program &program,
                                             const graph::Graph &graph) {
  const plan::GraphInputs &names = *program.graph;
  std::vector<Tensor> lists;
  if (names.layout) {
    std::vector<graph::GraphList> wanted;
    for (const plan::Port &port : program.inputs)
      if (const plan::ListInput *list = listOf(names, port))
        wanted.push_back(list->list);
    auto made = graph::layOut(graph, names.layout->rooms, wanted);
    if (!made)
      return made;
    lists = std::move(*made);
  }
  graph::Ends ends;
  if (!names.sources.empty() || !names.destinations.empty()) {
    auto made = graph::endsWithin(graph, roomOf(program));
    if (!made)
      return made.takeError();
    ends = std::move(*made);
  }
  std::vector<Tensor> tensors;
  size_t next = 0;
  for (const plan::Port &port : program.inputs)
    if (port.name == names.sources)
      tensors.push_back(std::move(ends.sources));
    else if (port.name == names.destinations)
      tensors.push_back(std::move(ends.destinations));
    else if (listOf(names, port))
      tensors.push_back(std::move(lists[next++]));
  return tensors;
}

Result<std::vector<Tensor>> runtime::bindGraph(const plan::Program &program,
                                               graph::Graph given) {
  if (!program.graph->selfLoops)
    return bindWhole(program, given);
  auto tensors =
      bindWhole(program, graph::withSelfLoops(std::move(given)).graph);
  if (!tensors)
    return fail("with self-loops, ", tensors.error().message);
  return tensors;
}

bool runtime::isOfGraph(const plan::Program &program, const plan::Port &port) {
  return program.graph &&
         (isEnd(*program.graph, port) || listOf(*program.graph, port));
}

bool runtime::isPerNode(const plan::Program &program, const plan::Port &port) {
  if (!program.graph)
    return false;
  const auto &names = program.graph->perNode;
  return std::find(names.begin(), names.end(), port.name) != names.end();
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
