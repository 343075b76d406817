#include "compiler/frontend/Layers.h"

#include "compiler/frontend/LayerReads.h"
#include "compiler/frontend/LayerRooms.h"

#include <algorithm>
#include <limits>
#include <set>

using namespace smex;
using namespace smex::frontend;

namespace {

/// A layer by its distance from the last one, which is 0; or what follows it:
/// results of edges, and what becomes of these.
using Distance = int64_t;
constexpr Distance afterAll = -1;

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
    for (int output : model.outputs) {
      const bool isOfNodes = reads.edgeDimensions(output).empty() &&
                             hasRowPerNode(model.values[size_t(output)].type);
      versions[size_t(output)].emplace(isOfNodes ? 0 : afterAll, output);
    }
    for (const Update &update : model.updates)
      versions[size_t(update.value)].emplace(0, update.value);
    ask();
    if (Status given = takeLimits(); !given)
      return given;
    rooms = layerRooms(model.graphs, limits, samples.batch,
                       [&](size_t graph, Distance at) {
                         return isRead(model.graphs[graph], at);
                       });
    if (Status results = checkResults(); !results)
      return results;
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
      if (!graph.rooms.levels.empty())
        return fail("--sample-layers: ", of,
                    " is handled in topological order, which samples do not "
                    "keep: compile the model without --sample-layers, and run "
                    "it on --parts");
      if (graph.batch)
        return fail("--sample-layers: the model has results for whole graphs, "
                    "and samples are for nodes: compile it without "
                    "--sample-layers, and run it on whole graphs, several "
                    "--graph or --parts");
    }
    return {};
  }

  /// Results of edges are of those that are drawn, which has no self-loops.
  Status checkResults() const {
    for (const GraphInputs &graph : model.graphs)
      if (isReadAt(graph.added, afterAll))
        return fail("--sample-layers: results of edges depend on which edges "
                    "are self-loops that are added, and there are results of "
                    "drawn edges alone");
    return {};
  }

  /// Of each graph, those of its name, or those of all that have none. All are
  /// for as many layers. What no layer reads needs none.
  Status takeLimits() {
    std::vector<std::string> names;
    for (const GraphInputs &graph : model.graphs) {
      names.push_back(graph.name);
      limits.push_back(samples.fanouts.of(graph.name));
      bool isNeeded = false;
      for (Distance at = 0; at < layers; ++at)
        isNeeded |= isRead(graph, at);
      if (!isNeeded && layers > 0)
        limits.back().assign(size_t(layers), 0);
      if (limits.back().empty())
        return fail("--sample-layers: graph \"", graph.name,
                    "\" has no numbers: add --sample-layers ", graph.name,
                    "=N,N,..");
      const int64_t given = int64_t(limits.back().size());
      if (given != layers)
        return fail("--sample-layers: ", given,
                    given == 1 ? " number" : " numbers",
                    ", and the network passes messages in ", layers,
                    layers == 1 ? " layer" : " layers, one after the other",
                    ": give a number for each");
    }
    return graph::checkNames(samples.fanouts, "--sample-layers", "the model",
                             names);
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
        if (hasRowPerEdge(graph, name))
          reads.markRows(input, int(g),
                         model.values[size_t(input)].type.rank());
        for (const auto &[list, what] : graph.lists)
          if (name == list)
            reads.markPlaces(
                input,
                what.kind == graph::GraphList::Kind::BucketEdges ? int(g) : -1);
      }
    for (const Application &application : model.applications)
      if (Status read = reads.add(application); !read)
        return fail("--sample-layers: node \"", application.node, "\" ",
                    read.error().message);
    return {};
  }

  static bool hasRowPerEdge(const GraphInputs &graph, const std::string &name) {
    const auto &inputs = graph.edges.inputs;
    return !name.empty() &&
           std::find(inputs.begin(), inputs.end(), name) != inputs.end();
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
    // What edges bring to nodes is some layer's.
    if (const auto after = results.find(afterAll);
        after != results.end() && reads.gathers(number)) {
      results.emplace(0, after->second);
      results.erase(afterAll);
    }
    if (!reads.isPerLayer(application.result) && results.size() > 1)
      results.erase(results.begin(), std::prev(results.end()));
    for (const auto &[distance, value] : results)
      for (size_t i = 0; i < application.operands.size(); ++i) {
        const int operand = application.operands[i];
        const bool passes = reads.passes(number, i);
        if (passes && !reads.isOfEdgesAlone(operand))
          layers = std::max(layers, distance + 1);
        Distance at = distance + (passes ? 1 : 0);
        if (reads.isPerLayer(operand) && at != afterAll)
          at = std::max<Distance>(0, std::min(at, known - 1));
        versions[size_t(operand)].emplace(at, operand);
      }
  }

  /// Whether the layer reads edges of a graph: what no layer reads, no run
  /// samples.
  bool isRead(const GraphInputs &graph, Distance at) const {
    std::set<std::string> names = {graph.sources, graph.destinations,
                                   graph.types, graph.values};
    names.insert(graph.edges.inputs.begin(), graph.edges.inputs.end());
    for (const auto &[name, list] : graph.lists)
      names.insert(name);
    return std::any_of(
        names.begin(), names.end(),
        [&](const std::string &name) { return isReadAt(name, at); });
  }

  /// Whether an input that each layer has for itself is read in this one.
  bool isReadAt(const std::string &name, Distance at) const {
    return !name.empty() &&
           std::any_of(model.inputs.begin(), model.inputs.end(),
                       [&](int input) {
                         return model.values[size_t(input)].name == name &&
                                reads.isPerLayer(input) &&
                                versions[size_t(input)].count(at);
                       });
  }

  /// How many edges of a graph a layer has room for.
  int64_t roomFor(size_t graph, Distance at) const {
    if (at == afterAll)
      return std::min(samples.batch, model.graphs[graph].edges.count);
    return rooms[graph][size_t(at)];
  }

  /// Its number in GraphInputs.
  int64_t layerAt(Distance at) const {
    return at == afterAll ? graph::ofBatch : layers - at;
  }

  std::string layerName(const std::string &name, Distance at) const {
    std::string made = graph::layerName(name, layerAt(at));
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
            roomFor(size_t(graphs[d]), at);
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
    std::map<std::string, int> given; // of which layers have their own
    for (int input : model.inputs) {
      if (!reads.isPerLayer(input)) {
        inputs.push_back(input);
        continue;
      }
      given[model.values[size_t(input)].name] = input;
      auto &own = versions[size_t(input)];
      // Whoever gives rows of edges gives them by this name.
      const bool keepsName = own.size() == 1 && isRowPerEdge(input);
      for (auto at = own.rbegin(); at != own.rend(); ++at) {
        if (keepsName)
          setType(input, input, at->first);
        else
          at->second = addVersion(input, at->first);
        inputs.push_back(at->second);
        if (const auto range = model.inputRanges.find(input);
            range != model.inputRanges.end())
          model.inputRanges.emplace(at->second, InputRange(range->second));
      }
      if (!keepsName)
        model.inputRanges.erase(input);
    }
    std::vector<GraphInputs> graphs;
    for (Distance at = layers - 1; at >= afterAll; --at)
      for (size_t g = 0; g < model.graphs.size(); ++g)
        if (at != afterAll || isRead(model.graphs[g], at))
          graphs.push_back(graphOf(g, at, given));
    model.inputs = std::move(inputs);
    model.graphs = std::move(graphs);
  }

  /// What a layer has of a graph.
  GraphInputs graphOf(size_t graph, Distance at,
                      const std::map<std::string, int> &given) {
    GraphInputs own = model.graphs[graph];
    own.layer = layerAt(at);
    own.selfLoops &= at != afterAll;
    own.edges.count = own.rooms.edges = roomFor(graph, at);
    const auto inputFor = [&](const std::string &name) -> std::optional<int> {
      const auto input = given.find(name);
      if (input == given.end())
        return std::nullopt;
      const auto &made = versions[size_t(input->second)];
      const auto found = made.find(at);
      return found == made.end() ? std::nullopt : std::optional(found->second);
    };
    for (std::string *name :
         {&own.sources, &own.destinations, &own.types, &own.values, &own.added})
      if (!name->empty()) {
        const auto input = inputFor(*name);
        *name =
            input ? model.values[size_t(*input)].name : layerName(*name, at);
      }
    own.edges.inputs.clear();
    for (const std::string &name : model.graphs[graph].edges.inputs)
      if (const auto input = inputFor(name))
        own.edges.inputs.push_back(model.values[size_t(*input)].name);
    if (at != afterAll)
      own.edges.outputs.clear();
    own.lists.clear();
    for (const auto &[name, list] : model.graphs[graph].lists)
      if (const auto input = inputFor(name)) {
        own.lists.emplace_back(model.values[size_t(*input)].name, list);
        // Of as many edges as the layer has.
        const auto type = graph::typeOf(list, own.rooms);
        model.inputRanges[*input] = {type->low, type->high, {}};
      }
    return own;
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
            results.size() == 1 ||
            (distance == results.begin()->first && isOutput(result));
        if (isPerLayer && keepsName)
          setType(result, result, at);
        else if (isPerLayer)
          result = addVersion(result, at);
        made.result = result;
        const std::vector<int> &graphs = reads.edgeVariables(i);
        for (size_t v = 0; v < graphs.size(); ++v)
          if (graphs[v] >= 0)
            made.extents[v] = roomFor(size_t(graphs[v]), at);
        for (size_t o = 0; o < made.operands.size(); ++o)
          made.operands[o] =
              versionOf(made.operands[o], at + (reads.passes(i, o) ? 1 : 0));
        model.applications.push_back(std::move(made));
      }
    }
  }

  bool isRowPerEdge(int input) const {
    return std::any_of(model.graphs.begin(), model.graphs.end(),
                       [&](const GraphInputs &graph) {
                         return hasRowPerEdge(graph,
                                              model.values[size_t(input)].name);
                       });
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
    const auto &made = versions[size_t(value)];
    const auto found = made.find(std::min(at, layers - 1));
    // Of nodes, there is nothing after the last layer.
    return found == made.end() && at == afterAll ? made.at(0) : found->second;
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
