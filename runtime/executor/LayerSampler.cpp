// Samples of a graph with nodes of one type, of each layer of a network one of
// its own.
#include "runtime/executor/Sampler.h"

#include "runtime/graph/EdgeSample.h"
#include "runtime/graph/Sample.h"

using namespace smex;
using namespace smex::runtime;
using graph::Numbers;

namespace {

class LayerSampler : public Sampler {
public:
  /// `layers`: of each graph of the plan, plan::GraphInputs::layer.
  LayerSampler(graph::Relation whole, std::vector<int64_t> layers,
               Numbers limits, bool byImportance, const Drawn &drawn)
      : types(std::move(whole.types)), values(std::move(whole.values)),
        layers(std::move(layers)), limits(std::move(limits)),
        graph(std::move(whole.graph)), in(graph::byDestination(graph)),
        drawn(drawn) {
    if (byImportance)
      importance.emplace(graph, values);
  }

  Result<Taken> take(const Numbers &some, uint64_t seed) override {
    const auto served = drawn.nodesOf(graph, some);
    if (!served)
      return fail("--sample-layers: ", served.error().message);
    const auto blocks =
        importance
            ? graph::sampleLayers(graph, in, *importance, *served, limits, seed)
            : graph::sampleNeighbours(graph, in, *served, limits, seed);
    if (!blocks)
      return fail("--sample-layers: ", blocks.error().message);
    Taken taken;
    // A block's nodes are the first ones of the block before: the first one
    // has them all.
    const Numbers &nodes = blocks->front().part.oldNodes;
    taken.rows = {nodes, {}};
    // Edges that are drawn are between the first nodes.
    graph::Part batch;
    if (drawn.edgesOf)
      batch = graph::withEdges(graph, {{}, nodes, {}}, some);
    for (int64_t layer : layers)
      if (layer == graph::ofBatch)
        add(taken, batch, nullptr);
      else
        add(taken, (*blocks)[size_t(layer - 1)].part,
            importance ? &(*blocks)[size_t(layer - 1)].weights : nullptr);
    return taken;
  }
  std::string what(size_t count) const override {
    return "a sample for " + counted(count, drawn.each());
  }

private:
  /// `weights`: what numbers of edges are multiplied by, or null.
  void add(Taken &taken, const graph::Part &part,
           const std::vector<float> *weights) const {
    const Numbers &old = part.oldEdges;
    graph::Relation relation = graph::Relation::of(
        graph::Graph::sound(int64_t(taken.rows[0].size()), part.graph.sources(),
                            part.graph.destinations()));
    if (!types.empty())
      relation.types = graph::gather(types, old);
    for (size_t e = 0; !values.empty() && e < old.size(); ++e)
      relation.values.push_back(values[size_t(old[e])] *
                                (weights ? (*weights)[e] : 1));
    taken.relations.push_back(std::move(relation));
    taken.rows.push_back(old);
  }

  const Numbers types;             // of edges, where they have some
  const std::vector<float> values; // likewise
  const std::vector<int64_t> layers;
  const Numbers limits; // of each layer: neighbours of each node, or draws
  const graph::Graph graph;
  const graph::Rows in;
  const Drawn drawn;
  std::optional<graph::Importance> importance;
};

/// FastGCN is for networks that multiply with a matrix, and is said in its
/// elements.
Status checkImportance(const plan::Program &program, const Numbers &limits) {
  for (const plan::GraphInputs &graph : program.graphs) {
    if (graph.layer == graph::ofBatch)
      continue;
    if (graph.values.empty())
      return fail("--importance: layer ", graph.layer,
                  " of the plan's model does not read the numbers of edges in "
                  "the graph's file, by which messages are scaled: take a "
                  "model that multiplies with that matrix");
    if (graph.layout)
      return fail("--importance: layer ", graph.layer,
                  " has mailboxes with places for so many neighbours of a "
                  "node, and nodes that are drawn from the whole graph may be "
                  "any number of these");
    if (graph.selfLoops)
      return fail("--importance: the plan's model has self-loops added, which "
                  "nothing draws: take a model without, and a file whose "
                  "matrix has a diagonal");
  }
  for (int64_t limit : limits)
    if (limit < 0)
      return fail("--importance: ", limit,
                  " is no number of nodes for a layer to draw");
  return {};
}

} // namespace

Result<std::unique_ptr<Sampler>>
runtime::makeLayerSampler(const plan::Program &program,
                          std::vector<RunGraph> graphs,
                          const Sampling &sampling, const Drawn &drawn) {
  auto limits = fanoutsFor(program, sampling.option(),
                           {sampling.fanouts, sampling.fanoutsOf});
  if (!limits)
    return limits.takeError();
  if (sampling.byImportance)
    if (Status can = checkImportance(program, limits->front()); !can)
      return can.takeError();
  std::vector<int64_t> layers;
  for (const plan::GraphInputs &graph : program.graphs)
    layers.push_back(graph.layer);
  return Result<std::unique_ptr<Sampler>>(std::make_unique<LayerSampler>(
      std::move(graphs.front().relation), std::move(layers),
      std::move(limits->front()), sampling.byImportance, drawn));
}
