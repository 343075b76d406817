#include "runtime/graph/Components.h"

#include <algorithm>
#include <numeric>

using namespace smex;
using namespace smex::graph;

Numbers graph::componentsOf(const Graph &graph) {
  Numbers part(size_t(graph.nodes()));
  std::iota(part.begin(), part.end(), 0);
  const auto first = [&](int64_t node) {
    while (part[size_t(node)] != node)
      node = part[size_t(node)] = part[size_t(part[size_t(node)])];
    return node;
  };
  for (int64_t e = 0; e < graph.edges(); ++e) {
    const int64_t a = first(graph.source(e)), b = first(graph.destination(e));
    part[size_t(std::max(a, b))] = std::min(a, b);
  }
  for (int64_t v = 0; v < graph.nodes(); ++v)
    part[size_t(v)] = first(v);
  return part;
}

Components::Components(Graph given)
    : graph(std::move(given)), place(size_t(graph.nodes()), -1) {
  Numbers part = componentsOf(graph);
  int64_t count = 0;
  for (size_t v = 0; v < part.size(); ++v) // a part's first node comes first
    part[v] = part[v] == int64_t(v) ? count++ : part[size_t(part[v])];
  nodes = groupBy(part, count);
  edges = groupBy(gather(part, graph.sources()), count);
}

Part Components::take(const Numbers &parts) {
  Part taken;
  Numbers sources, destinations;
  for (int64_t part : parts)
    for (const int64_t *v = nodes.begin(part); v != nodes.end(part); ++v) {
      place[size_t(*v)] = int64_t(taken.oldNodes.size());
      taken.oldNodes.push_back(*v);
    }
  for (int64_t part : parts)
    for (const int64_t *e = edges.begin(part); e != edges.end(part); ++e) {
      taken.oldEdges.push_back(*e);
      sources.push_back(place[size_t(graph.source(*e))]);
      destinations.push_back(place[size_t(graph.destination(*e))]);
    }
  taken.graph = Graph::sound(int64_t(taken.oldNodes.size()), std::move(sources),
                             std::move(destinations));
  return taken;
}
