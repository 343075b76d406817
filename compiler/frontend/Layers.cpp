#include "compiler/frontend/Layers.h"

#include "compiler/frontend/LayerReads.h"

#include <algorithm>
#include <limits>

using namespace smex;
using namespace smex::frontend;

namespace {

/// A layer by its distance from the last one, which is 0.
using Distance = int64_t;

class Separation {
public:
  Separation(Model &model, const LayerSamples &samples)
      : model(model), samples(samples), reads(model.values.size()),
        versions(model.values.size()) {}

  Status run() {
    if (Status fits = checkGraphs(); !fits)
      return fits;
    if (Status done = readAll(); !done)
      return done;
    for (int output : model.outputs)
      versions[size_t(output)].emplace(0, output);
    for (const Update &update : model.updates)
      versions[size_t(update.value)].emplace(0, update.value);
    ask();
    if (Status given = takeLimits(); !given)
      return given;
    const int64_t given = int64_t(limits.front().size());
    if (given != layers)
      return fail("--sample-layers: ", given,
                  given == 1 ? " number" : " numbers",
                  ", and the network passes messages in ", layers,
                  layers == 1 ? " layer" : " layers, one after the other",
                  ": give a number for each");
    setRooms();
    addInputs();
    addApplications();
    return {};
  }

private:
  Status checkGraphs() const {
    if (!model.edgeRows.empty() || !model.knownGraphs.empty())
      return fail("--sample-layers: the graph is given when the plan runs: "
                  "give room for what is sampled, as with --dim nodes=N --dim "
                  "edges=E, in place of --graph");
    if (model.graphs.empty())
      return fail("--sample-layers: the model has no graph to sample; a model "
                  "says which of its inputs are one "
                  "(compiler/frontend/json/README.md)");
    for (const GraphInputs &graph : model.graphs) {
      const std::string of =
          graph.name.empty() ? "the graph" : "graph \"" + graph.name + "\"";
      if (!graph.lists.empty())
        return fail("--sample-layers: ", of,
                    " is handled in groups of nodes, "
                    "by degree or by level, which all layers share");
      if (graph.batch)
        return fail("--sample-layers: the model has results for whole graphs, "
                    "and samples are for nodes");
      if (!graph.edges.inputs.empty() || !graph.edges.outputs.empty())
        return fail("--sample-layers: ", of, " has rows of edges (\"",
                    graph.edges.inputs.empty() ? graph.edges.outputs.front()
                                               : graph.edges.inputs.front(),
                    "\"), and layers have edges of their own; what the "
                    "graph's file has of edges they may read");
    }
    return {};
  }

  /// Of each graph, those of its name, or those of all that have none. All are
  /// for as many layers.
  Status takeLimits() {
    std::string known;
    for (const GraphInputs &graph : model.graphs) {
      known += (known.empty() ? "\"" : ", \"") + graph.name + "\"";
      const auto own = samples.limitsOf.find(graph.name);
      limits.push_back(own == samples.limitsOf.end() ? samples.limits
                                                     : own->second);
      if (limits.back().empty())
        return fail("--sample-layers: graph \"", graph.name,
                    "\" has no numbers: add --sample-layers ", graph.name,
                    "=N,N,..");
    }
    for (const auto &[name, numbers] : samples.limitsOf)
      if (std::none_of(model.graphs.begin(), model.graphs.end(),
                       [&name = name](const GraphInputs &graph) {
                         return graph.name == name;
                       }))
        return fail("--sample-layers ", name, "=..: the model has no graph \"",
                    name,
                    known == "\"\"" ? "\"; its only one has no name"
                                    : "\"; it has " + known);
    return {};
  }

  /// What each application reads, and what is of edges.
  Status readAll() {
    for (int input : model.inputs)
      if (hasRowPerNode(model.values[size_t(input)].type))
        reads.markNodes(input);
    for (size_t g = 0; g < model.graphs.size(); ++g)
      for (int input : model.inputs) {
        const std::string &name = model.values[size_t(input)].name;
        const GraphInputs &graph = model.graphs[g];
        if (name == graph.sources || name == graph.destinations ||
            (!name.empty() && (name == graph.types || name == graph.values ||
                               name == graph.added)))
          reads.markList(input, int(g),
                         name == graph.sources        ? LayerReads::Sources
                         : name == graph.destinations ? LayerReads::Destinations
                                                      : LayerReads::NoEnd);
      }
    for (const Application &application : model.applications)
      if (Status read = reads.add(application); !read)
        return fail("--sample-layers: node \"", application.node, "\" ",
                    read.error().message);
    return {};
  }

  bool hasRowPerNode(const TensorType &type) const {
    return type.rank() > 0 &&
           std::any_of(model.graphs.begin(), model.graphs.end(),
                       [&](const GraphInputs &graph) {
                         return type.shape[0] == graph.to.count ||
                                (graph.from &&
                                 type.shape[0] == graph.from->count);
                       });
  }

  /// Which versions of each value are needed; how many layers there are.
  void ask() {
    const auto needed = versions;
    // How many layers there are is known when all have been asked for.
    ask(std::numeric_limits<Distance>::max());
    versions = needed;
    ask(layers);
  }

  void ask(Distance known) {
    for (size_t i = model.applications.size(); i-- > 0;)
      ask(i, known);
  }

  void ask(size_t number, Distance known) {
    const Application &application = model.applications[number];
    auto &results = versions[size_t(application.result)];
    if (results.empty())
      return;
    if (!reads.isPerLayer(application.result) && results.size() > 1)
      results.erase(results.begin(), std::prev(results.end()));
    for (const auto &[distance, value] : results)
      for (size_t i = 0; i < application.operands.size(); ++i) {
        const int operand = application.operands[i];
        const bool passes = reads.passes(number, i);
        if (passes && !reads.isOfEdgesAlone(operand))
          layers = std::max(layers, distance + 1);
        Distance at = distance + (passes ? 1 : 0);
        if (reads.isPerLayer(operand))
          at = std::max<Distance>(0, std::min(at, known - 1));
        versions[size_t(operand)].emplace(at, operand);
      }
  }

  /// Nodes of each type, by its name.
  using Counts = std::map<std::string, int64_t>;

  static const InputRows &sourcesOf(const GraphInputs &graph) {
    return graph.from ? *graph.from : graph.to;
  }

  /// Whether the layer reads edges of a graph: what no layer reads, no run
  /// samples.
  bool isRead(const GraphInputs &graph, Distance at) const {
    for (int input : model.inputs) {
      const std::string &name = model.values[size_t(input)].name;
      if (!name.empty() &&
          (name == graph.sources || name == graph.destinations ||
           name == graph.types || name == graph.values) &&
          versions[size_t(input)].count(at))
        return true;
    }
    return false;
  }

  /// Of each graph, by distance: the most that a sample can have, of whatever
  /// type the batch's nodes are.
  void setRooms() {
    Counts room;
    for (const GraphInputs &graph : model.graphs) {
      room[graph.to.dimension] = graph.to.count;
      room[sourcesOf(graph).dimension] = sourcesOf(graph).count;
      rooms.emplace_back(size_t(layers), 0);
    }
    for (const auto &[type, nodes] : room)
      addRooms(type, room);
    // What nothing samples is there as it was, for the run of a whole graph.
    for (size_t g = 0; g < rooms.size(); ++g)
      for (int64_t &edges : rooms[g])
        edges = edges ? edges : model.graphs[g].edges.count;
  }

  /// What a batch of nodes of one type takes.
  void addRooms(const std::string &type, const Counts &room) {
    Counts served = {{type, std::min(samples.batch, room.at(type))}};
    for (Distance at = 0; at < layers; ++at) {
      Counts there = served;
      for (size_t g = 0; g < model.graphs.size(); ++g) {
        const GraphInputs &graph = model.graphs[g];
        if (!isRead(graph, at))
          continue;
        const int64_t edges = graph.edges.count;
        const int64_t nodes = served[graph.to.dimension];
        const int64_t limit = limits[g][size_t(layers - 1 - at)];
        // nodes * limit, where that is less
        const bool isLess =
            limit >= 0 && (limit == 0 || nodes <= edges / limit);
        const int64_t most = nodes == 0 ? 0 : isLess ? nodes * limit : edges;
        const std::string &from = sourcesOf(graph).dimension;
        there[from] = std::min(room.at(from), there[from] + most);
        int64_t &own = rooms[g][size_t(at)];
        own = std::max(own, std::min(edges, most + loops(graph, room)));
      }
      served = std::move(there);
    }
  }

  /// One at each node that the plan has room for: layers number the same nodes.
  static int64_t loops(const GraphInputs &graph, const Counts &room) {
    return graph.selfLoops ? room.at(graph.to.dimension) : 0;
  }

  std::string layerName(const std::string &name, Distance at) const {
    std::string made = name + ".layer" + std::to_string(layers - at);
    while (std::any_of(model.values.begin(), model.values.end(),
                       [&](const Value &value) { return value.name == made; }))
      made += "'";
    return made;
  }

  /// With as many edges as the layer has.
  void setType(int value, int of, Distance at) {
    const std::vector<int> &graphs = reads.edgeDimensions(of);
    for (size_t d = 0; d < graphs.size(); ++d)
      if (graphs[d] >= 0)
        model.values[size_t(value)].type.shape[d] =
            rooms[size_t(graphs[d])][size_t(at)];
  }

  /// Of a value, what it is by the edges of a layer.
  int addVersion(int value, Distance at) {
    Value made = model.values[size_t(value)];
    made.name = layerName(made.name, at);
    model.values.push_back(std::move(made));
    const int number = int(model.values.size()) - 1;
    setType(number, value, at);
    return number;
  }

  /// The layers' own, in the place of what they all have had.
  void addInputs() {
    std::vector<int> inputs;
    std::map<std::string, std::map<Distance, std::string>> names;
    for (int input : model.inputs) {
      if (!reads.isPerLayer(input)) {
        inputs.push_back(input);
        continue;
      }
      auto &own = versions[size_t(input)];
      for (auto at = own.rbegin(); at != own.rend(); ++at) {
        at->second = addVersion(input, at->first);
        inputs.push_back(at->second);
        names[model.values[size_t(input)].name][at->first] =
            model.values[size_t(at->second)].name;
        if (const auto range = model.inputRanges.find(input);
            range != model.inputRanges.end())
          model.inputRanges.emplace(at->second, InputRange(range->second));
      }
      model.inputRanges.erase(input);
    }
    model.inputs = std::move(inputs);
    std::vector<GraphInputs> graphs;
    for (Distance at = layers - 1; at >= 0; --at)
      for (size_t g = 0; g < model.graphs.size(); ++g) {
        GraphInputs own = model.graphs[g];
        own.layer = layers - at;
        own.edges.count = own.rooms.edges = rooms[g][size_t(at)];
        for (std::string *name : {&own.sources, &own.destinations, &own.types,
                                  &own.values, &own.added})
          if (!name->empty()) {
            const auto &made = names[*name];
            const auto found = made.find(at);
            *name = found == made.end() ? layerName(*name, at) : found->second;
          }
        graphs.push_back(std::move(own));
      }
    model.graphs = std::move(graphs);
  }

  void addApplications() {
    std::vector<Application> given = std::move(model.applications);
    model.applications.clear();
    for (size_t i = 0; i < given.size(); ++i) {
      auto &results = versions[size_t(given[i].result)];
      const bool isPerLayer = reads.isPerLayer(given[i].result);
      for (auto &[distance, result] : results) {
        Application made = given[i];
        const Distance at = std::min(distance, layers - 1);
        const bool keepsName =
            results.size() == 1 || (distance == 0 && isOutput(result));
        if (isPerLayer && keepsName)
          setType(result, result, at);
        else if (isPerLayer)
          result = addVersion(result, at);
        made.result = result;
        const std::vector<int> &graphs = reads.edgeVariables(i);
        for (size_t v = 0; v < graphs.size(); ++v)
          if (graphs[v] >= 0)
            made.extents[v] = rooms[size_t(graphs[v])][size_t(at)];
        for (size_t o = 0; o < made.operands.size(); ++o)
          made.operands[o] =
              versionOf(made.operands[o], at + (reads.passes(i, o) ? 1 : 0));
        model.applications.push_back(std::move(made));
      }
    }
  }

  bool isOutput(int value) const {
    return std::count(model.outputs.begin(), model.outputs.end(), value) > 0 ||
           std::any_of(
               model.updates.begin(), model.updates.end(),
               [&](const Update &update) { return update.value == value; });
  }

  int versionOf(int value, Distance at) const {
    if (!reads.isPerLayer(value))
      return value;
    return versions[size_t(value)].at(std::min(at, layers - 1));
  }

  Model &model;
  const LayerSamples &samples;
  LayerReads reads;
  /// Of each value, those that are needed, by distance: one, of what is there
  /// once for all layers.
  std::vector<std::map<Distance, int>> versions;
  int64_t layers = 0;
  /// Of each graph: neighbours, the first layer's first; and rooms, by
  /// distance.
  std::vector<std::vector<int64_t>> limits, rooms;
};

} // namespace

Status frontend::separateLayers(Model &model, const LayerSamples &samples) {
  return Separation(model, samples).run();
}
