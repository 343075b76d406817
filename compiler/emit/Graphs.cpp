#include "compiler/emit/Graphs.h"

#include <algorithm>

using namespace smex;

void emit::addGraph(plan::Program &program, const graph::GraphInputs &graph,
                    bool isOnly) {
  const auto among = [](const std::vector<plan::Port> &ports) {
    return [&ports](const std::string &name) {
      return std::any_of(
          ports.begin(), ports.end(),
          [&](const plan::Port &port) { return port.name == name; });
    };
  };
  const auto isInput = among(program.inputs);
  const auto ifInput = [&](const std::string &name) {
    return isInput(name) ? name : std::string();
  };
  const auto those = [](const std::vector<std::string> &names, auto are) {
    std::vector<std::string> left;
    std::copy_if(names.begin(), names.end(), std::back_inserter(left), are);
    return left;
  };
  plan::GraphInputs made;
  made.name = graph.name;
  made.layer = graph.layer;
  made.sources = ifInput(graph.sources);
  made.destinations = ifInput(graph.destinations);
  made.nodes = graph.to.count;
  made.selfLoops = graph.selfLoops;
  made.perNode = those(graph.to.inputs, isInput);
  made.perEdge = those(graph.edges.inputs, isInput);
  made.edgeOutputs = those(graph.edges.outputs, among(program.outputs));
  made.values = ifInput(graph.values);
  made.added = ifInput(graph.added);
  if (graph.from || !isOnly)
    made.nodeType = graph.to.dimension;
  if (graph.from) {
    made.sourceType = graph.from->dimension;
    made.sourceNodes = graph.from->count;
    made.perSourceNode = those(graph.from->inputs, isInput);
  }
  if (isInput(graph.types)) {
    made.types = graph.types;
    made.edgeTypes = graph.edgeTypes;
  }
  if (graph.batch && isInput(graph.graphOf)) {
    made.graphs = graph.batch->count;
    made.graphOf = graph.graphOf;
    made.perGraph = those(graph.batch->inputs, isInput);
  }
  plan::GraphLayout layout{graph.rooms, {}};
  for (const auto &[input, list] : graph.lists)
    if (isInput(input))
      layout.lists.push_back({input, list});
  if (!layout.lists.empty())
    made.layout = std::move(layout);
  // One of whose edges nobody reads anything is none of the program's.
  const bool reads = !made.sources.empty() || !made.destinations.empty() ||
                     !made.types.empty() || !made.values.empty() ||
                     !made.perEdge.empty();
  if (made.layout || reads)
    program.graphs.push_back(std::move(made));
}
