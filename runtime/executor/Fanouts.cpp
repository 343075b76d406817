#include "runtime/executor/Fanouts.h"

#include <algorithm>

using namespace smex;
using namespace smex::runtime;
using graph::Numbers;

std::vector<size_t> runtime::relationsOf(const plan::Program &program) {
  std::vector<size_t> first;
  for (size_t g = 0; g < program.graphs.size(); ++g)
    if (std::none_of(first.begin(), first.end(), [&](size_t other) {
          return program.graphs[other].name == program.graphs[g].name;
        }))
      first.push_back(g);
  return first;
}

int64_t runtime::layersOf(const plan::Program &program) {
  int64_t layers = 0;
  for (const plan::GraphInputs &graph : program.graphs)
    layers = std::max(layers, graph.layer);
  return layers;
}

/// Whether some layer passes messages in the graph of this name.
static bool isOfLayer(const plan::Program &program, const std::string &name) {
  return std::any_of(program.graphs.begin(), program.graphs.end(),
                     [&](const plan::GraphInputs &graph) {
                       return graph.name == name && graph.layer > 0;
                     });
}

/// No layer gets more messages to a node than its mailboxes have places for.
static Status checkMailboxes(const plan::Program &program,
                             const std::string &option,
                             const std::vector<Numbers> &fanouts) {
  const std::vector<size_t> relations = relationsOf(program);
  for (size_t r = 0; r < relations.size(); ++r)
    for (const plan::GraphInputs &graph : program.graphs) {
      if (graph.layer <= 0 || graph.name != program.graphs[relations[r]].name ||
          !graph.layout || graph.layout->rooms.buckets.empty())
        continue;
      const graph::Rooms &rooms = graph.layout->rooms;
      if (rooms.buckets.back().width >= rooms.edges)
        continue; // as many as there can be
      const int64_t most = rooms.buckets.back().width - graph.selfLoops;
      const int64_t given = fanouts[r][size_t(graph.layer - 1)];
      if (given < 0 || given > most)
        return fail(option, ": ", given, " for layer ", graph.layer,
                    ", whose mailboxes have places for ", most,
                    " neighbours of a node: give a number up to that, or "
                    "compile the model with --sample-layers for more");
    }
  return {};
}

Result<std::vector<Numbers>> runtime::fanoutsFor(const plan::Program &program,
                                                 const std::string &option,
                                                 const Fanouts &fanouts) {
  const int64_t layers = layersOf(program);
  std::vector<Numbers> result;
  std::vector<std::string> names;
  for (size_t g : relationsOf(program)) {
    const std::string &name = program.graphs[g].name;
    names.push_back(name);
    result.push_back(fanouts.of(name));
    if (layers && !isOfLayer(program, name))
      result.back().assign(size_t(layers), 0); // nothing is sampled there
    if (result.back().empty())
      return fail(option, ": graph \"", name, "\" has no numbers: add ", option,
                  " ", name, "=N,N,..");
  }
  if (Status are = checkNames(fanouts, option, "the plan", names); !are)
    return are.takeError();
  for (const Numbers &own : result)
    if (const size_t given = own.size(); layers && int64_t(given) != layers)
      return fail(option, ": ", given, given == 1 ? " number" : " numbers",
                  ", and the plan has ", layers,
                  layers == 1 ? " layer" : " layers",
                  ": give a number for each");
  if (Status fits = checkMailboxes(program, option, result); !fits)
    return fits.takeError();
  return result;
}
