// Samples of a heterogeneous graph: of each relation some neighbours of each
// node.
#include "runtime/executor/Sampler.h"

#include "runtime/graph/HeteroSample.h"

#include <algorithm>

using namespace smex;
using namespace smex::runtime;
using graph::Numbers;

namespace {

class RelationSampler : public Sampler {
public:
  /// What edges of each graph of the plan have.
  struct OfEdges {
    Numbers types;             // or none
    std::vector<float> values; // or none
  };

  /// Of each graph of the plan: the type of edges that it is, and its layer
  /// (plan::GraphInputs::layer).
  struct Of {
    size_t type;
    int64_t layer;
  };

  RelationSampler(const RowKinds &kinds, graph::HeteroGraph given,
                  std::vector<OfEdges> ofEdges, std::vector<Of> graphs,
                  std::vector<Numbers> fanouts, const Drawn &drawn)
      : kinds(kinds), graph(std::move(given)), in(graph::byDestination(graph)),
        ofEdges(std::move(ofEdges)), graphs(std::move(graphs)),
        fanouts(std::move(fanouts)), drawn(drawn) {}

  Result<Taken> take(const Numbers &some, uint64_t seed) override {
    return graphs.front().layer ? takeLayers(some, seed)
                                : takeUnited(some, seed);
  }
  std::string what(size_t count) const override {
    return "a sample for " + counted(count, drawn.each());
  }

private:
  Result<Taken> takeUnited(const Numbers &some, uint64_t seed) {
    auto part = drawn.edgesOf
                    ? graph::sampleForEdges(
                          graph, in, int64_t(graphs[*drawn.edgesOf].type), some,
                          fanouts, seed)
                    : graph::sampleNeighbours(graph, in, int64_t(drawn.kind),
                                              some, fanouts, seed);
    if (!part)
      return fail("--sample: ", part.error().message);
    Taken taken;
    taken.rows = std::move(part->oldNodes);
    taken.rows.emplace_back(); // graphs of a batch: there is none
    for (size_t g = 0; g < ofEdges.size(); ++g) {
      const graph::EdgeType &edges = part->graph.edgeTypes()[g];
      add(taken, g, edges.sources, edges.destinations,
          std::move(part->oldEdges[g]));
    }
    return taken;
  }

  Result<Taken> takeLayers(const Numbers &some, uint64_t seed) {
    const auto blocks =
        drawn.edgesOf
            ? graph::sampleBlocksForEdges(graph, in,
                                          int64_t(graphs[*drawn.edgesOf].type),
                                          some, fanouts, seed)
            : graph::sampleBlocks(graph, in, int64_t(drawn.kind), some, fanouts,
                                  seed);
    if (!blocks)
      return fail("--sample-layers: ", blocks.error().message);
    Taken taken;
    taken.rows = blocks->oldNodes;
    taken.rows.emplace_back();
    for (size_t g = 0; g < graphs.size(); ++g) {
      const auto &layer = graphs[g].layer == graph::ofBatch
                              ? blocks->layers.back()
                              : blocks->layers[size_t(graphs[g].layer - 1)];
      const auto &edges = layer[graphs[g].type];
      add(taken, g, edges.sources, edges.destinations, edges.old);
    }
    return taken;
  }

  /// What the plan's graph `g` has, and which edges these were.
  void add(Taken &taken, size_t g, const Numbers &sources,
           const Numbers &destinations, Numbers old) const {
    graph::Relation relation;
    relation.sourceNodes = int64_t(taken.rows[kinds.sources(g)].size());
    relation.destinationNodes =
        int64_t(taken.rows[kinds.destinations(g)].size());
    relation.graph = graph::Graph::sound(
        std::max(relation.sourceNodes, relation.destinationNodes), sources,
        destinations);
    const auto &[types, values] = ofEdges[graphs[g].type];
    if (!types.empty())
      relation.types = graph::gather(types, old);
    if (!values.empty())
      for (int64_t edge : old)
        relation.values.push_back(values[size_t(edge)]);
    taken.relations.push_back(std::move(relation));
    taken.rows.push_back(std::move(old));
  }

  const RowKinds &kinds;
  const graph::HeteroGraph graph;
  const std::vector<graph::Rows> in;
  const std::vector<OfEdges> ofEdges; // of each type of edges
  const std::vector<Of> graphs;
  const std::vector<Numbers> fanouts; // likewise
  const Drawn drawn;                  // what samples are for
};

/// How many nodes of each type there are.
Result<std::vector<graph::NodeType>>
nodeTypes(const RowKinds &kinds, const std::vector<RunGraph> &graphs,
          const char *option) {
  std::vector<graph::NodeType> types;
  for (const std::string &name : kinds.types())
    types.push_back({name, -1});
  std::vector<const RunGraph *> by(types.size());
  for (size_t g = 0; g < graphs.size(); ++g) {
    const graph::Relation &relation = graphs[g].relation;
    for (const auto &[type, nodes] :
         {std::pair(kinds.sources(g), relation.sourceNodes),
          std::pair(kinds.destinations(g), relation.destinationNodes)}) {
      if (!by[type]) {
        by[type] = &graphs[g];
        types[type].nodes = nodes;
      } else if (types[type].nodes != nodes) {
        return fail(option, ": there are ", types[type].nodes, " ",
                    types[type].name, " by ", by[type]->name, ", and ", nodes,
                    " by ", graphs[g].name,
                    ": give files that agree, in a format that tells how many "
                    "there are");
      }
    }
  }
  return types;
}

} // namespace

Result<std::unique_ptr<Sampler>>
runtime::makeRelationSampler(const plan::Program &program,
                             const RowKinds &kinds,
                             std::vector<RunGraph> graphs,
                             const Sampling &sampling, const Drawn &drawn) {
  const char *const option = sampling.option();
  if (sampling.byImportance)
    return fail("--importance: the plan has ", relationsOf(program).size(),
                " graphs, and nodes are drawn by the importance that they have "
                "in one");
  auto fanouts =
      fanoutsFor(program, option, {sampling.fanouts, sampling.fanoutsOf});
  if (!fanouts)
    return fanouts.takeError();
  auto types = nodeTypes(kinds, graphs, option);
  if (!types)
    return types.takeError();
  std::vector<graph::EdgeType> edges;
  std::vector<RelationSampler::OfEdges> ofEdges;
  std::vector<RelationSampler::Of> of(graphs.size());
  for (size_t g : relationsOf(program)) {
    std::vector<bool> isRead(fanouts->front().size(),
                             program.graphs[g].layer == 0);
    for (size_t other = 0; other < graphs.size(); ++other)
      if (program.graphs[other].name == program.graphs[g].name) {
        of[other] = {edges.size(), program.graphs[other].layer};
        if (const int64_t layer = program.graphs[other].layer; layer > 0)
          isRead[size_t(layer - 1)] = true;
      }
    // What no layer reads brings no nodes.
    for (size_t layer = 0; layer < isRead.size(); ++layer)
      if (!isRead[layer])
        (*fanouts)[edges.size()][layer] = 0;
    auto [sources, destinations] =
        std::move(graphs[g].relation.graph).takeEnds();
    edges.push_back({kinds.types()[kinds.sources(g)], program.graphs[g].name,
                     kinds.types()[kinds.destinations(g)], std::move(sources),
                     std::move(destinations)});
    ofEdges.push_back({std::move(graphs[g].relation.types),
                       std::move(graphs[g].relation.values)});
  }
  auto graph = graph::HeteroGraph::make(std::move(*types), std::move(edges));
  if (!graph)
    return fail(option, ": ", graph.error().message);
  return Result<std::unique_ptr<Sampler>>(std::make_unique<RelationSampler>(
      kinds, std::move(*graph), std::move(ofEdges), std::move(of),
      std::move(*fanouts), drawn));
}
