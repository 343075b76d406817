#include "runtime/graph/EdgeSample.h"

#include "runtime/graph/Block.h"
#include "runtime/graph/SampleArguments.h"

#include <unordered_set>

using namespace smex;
using namespace smex::graph;

Result<Numbers> graph::endsOf(const Graph &graph, const Numbers &edges) {
  if (Status there = checkEdges(edges, graph.edges()); !there)
    return there.takeError();
  Numbering nodes;
  for (int64_t edge : edges) {
    nodes.of(graph.source(edge));
    nodes.of(graph.destination(edge));
  }
  return nodes.old();
}

Part graph::withEdges(const Graph &graph, Part part, const Numbers &edges) {
  Numbering nodes;
  for (int64_t node : part.oldNodes)
    nodes.of(node);
  std::unordered_set<int64_t> there(part.oldEdges.begin(), part.oldEdges.end());
  Numbers sources = part.graph.sources(),
          destinations = part.graph.destinations();
  for (int64_t edge : edges) {
    if (!there.insert(edge).second)
      continue;
    part.oldEdges.push_back(edge);
    sources.push_back(nodes.of(graph.source(edge)));
    destinations.push_back(nodes.of(graph.destination(edge)));
  }
  part.graph = Graph::sound(int64_t(part.oldNodes.size()), std::move(sources),
                            std::move(destinations));
  return part;
}
