#include "runtime/executor/GraphInputs.h"

#include "runtime/graph/Bind.h"
#include "runtime/graph/Change.h"

using namespace smex;
using namespace smex::runtime;

/// May an element be -1?
static bool takesNone(const plan::Port &port) {
  return !port.low || *port.low < 0 || port.ignore == -1;
}

Result<std::vector<GivenInput>>
runtime::readGraphInputs(const plan::Program &program,
                         const std::string &file) {
  if (!program.graph)
    return fail(file, ": the plan has no graph to bind: its model works on "
                      "none, or it was compiled with --graph");
  const plan::GraphInputs &names = *program.graph;
  graph::Room room;
  room.nodes = names.nodes;
  for (const plan::Port &port : program.inputs)
    if (port.name == names.destinations) {
      const int tensor = program.buffers[size_t(port.buffer)].tensor;
      room.edges = program.tensors[size_t(tensor)].type.shape[0];
      room.toNone = takesNone(port);
    }
  auto graph = graph::readGraph(file);
  if (!graph)
    return graph.takeError();
  if (names.selfLoops)
    graph = graph::withSelfLoops(*graph).graph;
  auto ends = graph::endsWithin(*graph, room);
  if (!ends)
    return fail(file, ": ", names.selfLoops ? "with self-loops, " : "",
                ends.error().message);
  std::vector<GivenInput> given;
  given.push_back({names.sources, file, std::move(ends->sources)});
  given.push_back({names.destinations, file, std::move(ends->destinations)});
  return given;
}
