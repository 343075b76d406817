#include "runtime/graph/Block.h"

#include <algorithm>

using namespace smex::graph;

Part smex::graph::unite(const std::vector<Block> &blocks) {
  Part part;
  if (blocks.empty())
    return part;
  part.oldNodes = blocks[0].part.oldNodes;
  struct Edge {
    int64_t old, source, destination;
    bool operator<(const Edge &other) const { return old < other.old; }
    bool operator==(const Edge &other) const { return old == other.old; }
  };
  std::vector<Edge> edges;
  for (const auto &[sample, destinations, weights] : blocks)
    for (int64_t e = 0; e < sample.graph.edges(); ++e)
      edges.push_back({sample.oldEdges[size_t(e)], sample.graph.source(e),
                       sample.graph.destination(e)});
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  Numbers sources, destinations;
  for (const Edge &edge : edges) {
    part.oldEdges.push_back(edge.old);
    sources.push_back(edge.source);
    destinations.push_back(edge.destination);
  }
  part.graph = Graph::sound(int64_t(part.oldNodes.size()), std::move(sources),
                            std::move(destinations));
  return part;
}
