#include "runtime/graph/HeteroSample.h"

#include "runtime/graph/Choice.h"
#include "runtime/graph/SampleArguments.h"

#include <algorithm>

using namespace smex;
using namespace smex::graph;

std::vector<Rows> graph::byDestination(const HeteroGraph &graph) {
  std::vector<Rows> rows;
  for (const EdgeType &type : graph.edgeTypes()) {
    const int64_t to = graph.nodeType(type.destination);
    rows.push_back(
        groupBy(type.destinations, graph.nodeTypes()[size_t(to)].nodes));
  }
  return rows;
}

namespace {

class Sampler {
public:
  Sampler(const HeteroGraph &graph, const std::vector<Rows> &in, uint64_t seed)
      : graph(graph), in(in), random(seed, "relations"),
        nodes(graph.nodeTypes().size()), edges(graph.edgeTypes().size()) {
    for (const EdgeType &type : graph.edgeTypes()) {
      from.push_back(size_t(graph.nodeType(type.source)));
      to.push_back(size_t(graph.nodeType(type.destination)));
    }
  }

  Status start(int64_t type, const Numbers &given) {
    if (type < 0 || type >= int64_t(nodes.size()))
      return fail("nodes to sample for: there is no type ", type, " of nodes");
    const NodeType &own = graph.nodeTypes()[size_t(type)];
    if (Status ok = checkNodes(given, own.nodes,
                               "of type \"" + own.name + "\" there are");
        !ok)
      return ok;
    for (int64_t node : given)
      nodes[size_t(type)].of(node);
    return {};
  }

  void addLayer(size_t layer, int64_t fanout) {
    std::vector<size_t> served; // of each type of nodes: those that are there
    for (const Numbering &type : nodes)
      served.push_back(type.old().size());
    for (size_t type = 0; type < edges.size(); ++type)
      for (size_t i = 0; i < served[to[type]]; ++i)
        addEdges(layer, type, nodes[to[type]].old()[i], fanout);
  }

  Result<HeteroPart> take() {
    HeteroPart part;
    std::vector<NodeType> nodeTypes = graph.nodeTypes();
    std::vector<EdgeType> edgeTypes;
    for (size_t type = 0; type < edges.size(); ++type) {
      const EdgeType &whole = graph.edgeTypes()[type];
      std::sort(edges[type].begin(), edges[type].end());
      edges[type].erase(std::unique(edges[type].begin(), edges[type].end()),
                        edges[type].end());
      EdgeType own = {whole.source, whole.name, whole.destination, {}, {}};
      for (int64_t edge : edges[type]) {
        own.sources.push_back(
            nodes[from[type]].of(whole.sources[size_t(edge)]));
        own.destinations.push_back(
            nodes[to[type]].of(whole.destinations[size_t(edge)]));
      }
      edgeTypes.push_back(std::move(own));
    }
    for (size_t type = 0; type < nodes.size(); ++type) {
      part.oldNodes.push_back(nodes[type].old());
      nodeTypes[type].nodes = int64_t(part.oldNodes.back().size());
      for (int64_t v = 0; v < nodeTypes[type].nodes; ++v)
        part.place.push_back(v);
    }
    part.oldEdges = std::move(edges);
    auto made = HeteroGraph::make(std::move(nodeTypes), std::move(edgeTypes));
    if (!made)
      return made.takeError();
    part.graph = std::move(*made);
    return part;
  }

private:
  void addEdges(size_t layer, size_t type, int64_t node, int64_t fanout) {
    const int64_t all = in[type].length(node);
    const int64_t *row = in[type].begin(node);
    const auto add = [&](int64_t edge) {
      edges[type].push_back(edge);
      nodes[from[type]].of(graph.edgeTypes()[type].sources[size_t(edge)]);
    };
    if (fanout < 0 || fanout >= all) {
      std::for_each(row, row + all, add);
      return;
    }
    const Random own = random.of(layer).of(type).of(uint64_t(node));
    for (int64_t number : choice.draw(fanout, all, own))
      add(row[number]);
  }

  const HeteroGraph &graph;
  const std::vector<Rows> &in;
  const Random random;
  Choice choice;
  std::vector<size_t> from, to; // of each type of edges: the types of its ends
  std::vector<Numbering> nodes; // of each type
  std::vector<Numbers> edges;   // of each type
};

} // namespace

Result<HeteroPart> graph::sampleNeighbours(const HeteroGraph &graph,
                                           const std::vector<Rows> &in,
                                           int64_t type, const Numbers &nodes,
                                           const Numbers &fanouts,
                                           uint64_t seed) {
  Sampler sampler(graph, in, seed);
  if (Status started = sampler.start(type, nodes); !started)
    return started.takeError();
  if (Status ok = checkLimits(fanouts, -1, "fan-out"); !ok)
    return ok.takeError();
  for (size_t layer = fanouts.size(); layer-- > 0;)
    sampler.addLayer(layer, fanouts[layer]);
  return sampler.take();
}
