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
        nodes(graph.nodeTypes().size()) {
    for (const EdgeType &type : graph.edgeTypes()) {
      from.push_back(size_t(graph.nodeType(type.source)));
      to.push_back(size_t(graph.nodeType(type.destination)));
    }
  }

  /// What samples are for.
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

  Status startAtEdges(int64_t type, const Numbers &edges) {
    if (type < 0 || type >= int64_t(from.size()))
      return fail("edges to sample for: there is no type ", type, " of edges");
    const EdgeType &own = graph.edgeTypes()[size_t(type)];
    if (Status ok = checkEdges(edges, int64_t(own.sources.size())); !ok)
      return ok;
    for (int64_t edge : edges) {
      nodes[from[size_t(type)]].of(own.sources[size_t(edge)]);
      nodes[to[size_t(type)]].of(own.destinations[size_t(edge)]);
    }
    return {};
  }

  using Drawn = std::vector<std::vector<Numbers>>;

  /// Of each layer, the first one first, and of each type the edges drawn.
  Result<Drawn> run(const std::vector<Numbers> &fanouts) {
    const size_t layers = fanouts.empty() ? 0 : fanouts[0].size();
    for (const Numbers &own : fanouts)
      if (Status ok = checkLimits(own, -1, "fan-out"); !ok)
        return ok.takeError();
    std::vector<std::vector<Numbers>> drawn(layers);
    for (size_t layer = layers; layer-- > 0;)
      drawn[layer] = drawLayer(layer, fanouts);
    return drawn;
  }

  /// For the ends of edges, which are behind the last layer's.
  Result<Drawn> runForEdges(int64_t type, const Numbers &edges,
                            const std::vector<Numbers> &fanouts) {
    if (Status started = startAtEdges(type, edges); !started)
      return started.takeError();
    auto drawn = run(fanouts);
    if (!drawn)
      return drawn;
    drawn->emplace_back(from.size());
    drawn->back()[size_t(type)] = edges;
    return drawn;
  }

  HeteroBlocks blocks(std::vector<std::vector<Numbers>> drawn) {
    HeteroBlocks blocks;
    for (std::vector<Numbers> &layer : drawn) {
      blocks.layers.emplace_back();
      for (size_t type = 0; type < layer.size(); ++type)
        blocks.layers.back().push_back(withEnds(type, std::move(layer[type])));
    }
    for (const Numbering &type : nodes)
      blocks.oldNodes.push_back(type.old());
    return blocks;
  }

  Result<HeteroPart> united(const std::vector<std::vector<Numbers>> &drawn) {
    HeteroPart part;
    std::vector<NodeType> nodeTypes = graph.nodeTypes();
    std::vector<EdgeType> edgeTypes;
    for (size_t type = 0; type < from.size(); ++type) {
      Numbers edges;
      for (const std::vector<Numbers> &layer : drawn)
        edges.insert(edges.end(), layer[type].begin(), layer[type].end());
      std::sort(edges.begin(), edges.end());
      edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
      HeteroBlocks::Edges own = withEnds(type, std::move(edges));
      const EdgeType &whole = graph.edgeTypes()[type];
      edgeTypes.push_back({whole.source, whole.name, whole.destination,
                           std::move(own.sources),
                           std::move(own.destinations)});
      part.oldEdges.push_back(std::move(own.old));
    }
    for (size_t type = 0; type < nodes.size(); ++type) {
      part.oldNodes.push_back(nodes[type].old());
      nodeTypes[type].nodes = int64_t(part.oldNodes.back().size());
      for (int64_t v = 0; v < nodeTypes[type].nodes; ++v)
        part.place.push_back(v);
    }
    auto made = HeteroGraph::make(std::move(nodeTypes), std::move(edgeTypes));
    if (!made)
      return made.takeError();
    part.graph = std::move(*made);
    return part;
  }

private:
  std::vector<Numbers> drawLayer(size_t layer,
                                 const std::vector<Numbers> &fanouts) {
    std::vector<size_t> served; // of each type of nodes: those that are there
    for (const Numbering &type : nodes)
      served.push_back(type.old().size());
    std::vector<Numbers> edges(from.size());
    for (size_t type = 0; type < edges.size(); ++type)
      for (size_t i = 0; i < served[to[type]]; ++i)
        addEdges(layer, type, nodes[to[type]].old()[i], fanouts[type][layer],
                 edges[type]);
    return edges;
  }

  void addEdges(size_t layer, size_t type, int64_t node, int64_t fanout,
                Numbers &edges) {
    const int64_t all = in[type].length(node);
    const int64_t *row = in[type].begin(node);
    const auto add = [&](int64_t edge) {
      edges.push_back(edge);
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

  HeteroBlocks::Edges withEnds(size_t type, Numbers old) {
    const EdgeType &whole = graph.edgeTypes()[type];
    HeteroBlocks::Edges edges;
    for (int64_t edge : old) {
      edges.sources.push_back(
          nodes[from[type]].of(whole.sources[size_t(edge)]));
      edges.destinations.push_back(
          nodes[to[type]].of(whole.destinations[size_t(edge)]));
    }
    edges.old = std::move(old);
    return edges;
  }

  const HeteroGraph &graph;
  const std::vector<Rows> &in;
  const Random random;
  Choice choice;
  std::vector<size_t> from, to; // of each type of edges: the types of its ends
  std::vector<Numbering> nodes; // of each type
};

} // namespace

Result<HeteroPart> graph::sampleNeighbours(const HeteroGraph &graph,
                                           const std::vector<Rows> &in,
                                           int64_t type, const Numbers &nodes,
                                           const std::vector<Numbers> &fanouts,
                                           uint64_t seed) {
  Sampler sampler(graph, in, seed);
  if (Status started = sampler.start(type, nodes); !started)
    return started.takeError();
  const auto drawn = sampler.run(fanouts);
  if (!drawn)
    return drawn.error();
  return sampler.united(*drawn);
}

Result<HeteroPart> graph::sampleForEdges(const HeteroGraph &graph,
                                         const std::vector<Rows> &in,
                                         int64_t edgeType, const Numbers &edges,
                                         const std::vector<Numbers> &fanouts,
                                         uint64_t seed) {
  Sampler sampler(graph, in, seed);
  const auto drawn = sampler.runForEdges(edgeType, edges, fanouts);
  if (!drawn)
    return drawn.error();
  return sampler.united(*drawn);
}

Result<HeteroBlocks> graph::sampleBlocksForEdges(
    const HeteroGraph &graph, const std::vector<Rows> &in, int64_t edgeType,
    const Numbers &edges, const std::vector<Numbers> &fanouts, uint64_t seed) {
  Sampler sampler(graph, in, seed);
  auto drawn = sampler.runForEdges(edgeType, edges, fanouts);
  if (!drawn)
    return drawn.takeError();
  return sampler.blocks(std::move(*drawn));
}

Result<HeteroBlocks> graph::sampleBlocks(const HeteroGraph &graph,
                                         const std::vector<Rows> &in,
                                         int64_t type, const Numbers &nodes,
                                         const std::vector<Numbers> &fanouts,
                                         uint64_t seed) {
  Sampler sampler(graph, in, seed);
  if (Status started = sampler.start(type, nodes); !started)
    return started.takeError();
  auto drawn = sampler.run(fanouts);
  if (!drawn)
    return drawn.takeError();
  return sampler.blocks(std::move(*drawn));
}
