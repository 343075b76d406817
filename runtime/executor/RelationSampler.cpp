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

  RelationSampler(const RowKinds &kinds, graph::HeteroGraph given,
                  std::vector<OfEdges> ofEdges, Numbers fanouts, size_t type)
      : kinds(kinds), graph(std::move(given)), in(graph::byDestination(graph)),
        ofEdges(std::move(ofEdges)), fanouts(std::move(fanouts)),
        type(int64_t(type)) {}

  Result<Taken> take(const Numbers &some, uint64_t seed) override {
    auto part = graph::sampleNeighbours(graph, in, type, some, fanouts, seed);
    if (!part)
      return fail("--sample: ", part.error().message);
    Taken taken;
    for (size_t g = 0; g < ofEdges.size(); ++g) {
      const graph::EdgeType &edges = part->graph.edgeTypes()[g];
      graph::Relation relation;
      relation.sourceNodes = nodesOf(*part, kinds.sources(g));
      relation.destinationNodes = nodesOf(*part, kinds.destinations(g));
      relation.graph = graph::Graph::sound(
          std::max(relation.sourceNodes, relation.destinationNodes),
          edges.sources, edges.destinations);
      const auto &[types, values] = ofEdges[g];
      if (!types.empty())
        relation.types = graph::gather(types, part->oldEdges[g]);
      if (!values.empty())
        for (int64_t edge : part->oldEdges[g])
          relation.values.push_back(values[size_t(edge)]);
      taken.relations.push_back(std::move(relation));
    }
    taken.rows = std::move(part->oldNodes);
    taken.rows.emplace_back(); // graphs of a batch: there is none
    for (Numbers &edges : part->oldEdges)
      taken.rows.push_back(std::move(edges));
    return taken;
  }
  std::string what(size_t count) const override {
    return "a sample for " + counted(count, "node");
  }

private:
  static int64_t nodesOf(const graph::HeteroPart &part, size_t type) {
    return part.graph.nodeTypes()[type].nodes;
  }

  const RowKinds &kinds;
  const graph::HeteroGraph graph;
  const std::vector<graph::Rows> in;
  const std::vector<OfEdges> ofEdges;
  const Numbers fanouts;
  const int64_t type; // of the nodes that samples are for
};

/// How many nodes of each type there are.
Result<std::vector<graph::NodeType>>
nodeTypes(const RowKinds &kinds, const std::vector<RunGraph> &graphs) {
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
        return fail("--sample: there are ", types[type].nodes, " ",
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

Result<std::unique_ptr<Sampler>> runtime::makeRelationSampler(
    const plan::Program &program, const RowKinds &kinds,
    std::vector<RunGraph> graphs, const Sampling &sampling, size_t type) {
  auto types = nodeTypes(kinds, graphs);
  if (!types)
    return types.takeError();
  std::vector<graph::EdgeType> edges;
  std::vector<RelationSampler::OfEdges> ofEdges;
  for (size_t g = 0; g < graphs.size(); ++g) {
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
    return fail("--sample: ", graph.error().message);
  return Result<std::unique_ptr<Sampler>>(std::make_unique<RelationSampler>(
      kinds, std::move(*graph), std::move(ofEdges), sampling.fanouts, type));
}
