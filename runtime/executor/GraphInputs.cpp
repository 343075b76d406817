#include "runtime/executor/GraphInputs.h"

#include "runtime/graph/Batch.h"
#include "runtime/graph/Bind.h"
#include "runtime/graph/Change.h"

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

Result<std::vector<GivenInput>>
runtime::readGraphInputs(const plan::Program &program,
                         const std::vector<std::string> &files) {
  const std::string name = nameOf(files);
  if (!program.graph)
    return fail(name, ": the plan has no graph to bind: its model works on "
                      "none, or has several, which are given with --input, "
                      "or it was compiled with --graph");
  const plan::GraphInputs &names = *program.graph;
  graph::Room room;
  room.nodes = names.nodes;
  for (const plan::Port &port : program.inputs)
    if (port.name == names.destinations) {
      const int tensor = program.buffers[size_t(port.buffer)].tensor;
      room.edges = program.tensors[size_t(tensor)].type.shape[0];
      room.toNone = takesNone(port);
    }
  auto graph = readGraphs(files);
  if (!graph)
    return graph.takeError();
  if (names.selfLoops)
    graph = graph::withSelfLoops(std::move(*graph)).graph;
  auto ends = graph::endsWithin(*graph, room);
  if (!ends)
    return fail(name, ": ", names.selfLoops ? "with self-loops, " : "",
                ends.error().message);
  std::vector<GivenInput> given;
  given.push_back({names.sources, name, std::move(ends->sources)});
  given.push_back({names.destinations, name, std::move(ends->destinations)});
  return given;
}
