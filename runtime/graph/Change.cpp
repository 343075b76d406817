#include "runtime/graph/Change.h"

#include <limits>
#include <numeric>

using namespace smex;
using namespace smex::graph;

Result<Mask> graph::maskOf(int64_t count, const Numbers &numbers) {
  Mask mask(size_t(count), false);
  for (int64_t number : numbers) {
    if (number < 0 || number >= count)
      return fail("number ", number, " is not there: there are ", count,
                  ", numbered from 0");
    mask[size_t(number)] = true;
  }
  return mask;
}

Numbers graph::numbersOf(const Mask &mask) {
  Numbers numbers;
  for (size_t i = 0; i < mask.size(); ++i)
    if (mask[i])
      numbers.push_back(int64_t(i));
  return numbers;
}

/// These nodes and these edges; both ends of an edge stay.
static Part keep(const Graph &graph, const Mask &nodes, const Mask &edges) {
  Part part;
  part.oldNodes = numbersOf(nodes);
  part.oldEdges = numbersOf(edges);
  Numbers now(nodes.size(), -1);
  for (size_t v = 0; v < part.oldNodes.size(); ++v)
    now[size_t(part.oldNodes[v])] = int64_t(v);
  Numbers sources, destinations;
  sources.reserve(part.oldEdges.size());
  destinations.reserve(part.oldEdges.size());
  for (int64_t e : part.oldEdges) {
    sources.push_back(now[size_t(graph.source(e))]);
    destinations.push_back(now[size_t(graph.destination(e))]);
  }
  part.graph = Graph::sound(int64_t(part.oldNodes.size()), std::move(sources),
                            std::move(destinations));
  return part;
}

Part graph::keepNodes(const Graph &graph, const Mask &nodes) {
  Mask edges(size_t(graph.edges()));
  for (int64_t e = 0; e < graph.edges(); ++e)
    edges[size_t(e)] =
        nodes[size_t(graph.source(e))] && nodes[size_t(graph.destination(e))];
  return keep(graph, nodes, edges);
}

Part graph::keepEdges(const Graph &graph, const Mask &edges, Idle idle) {
  Mask nodes(size_t(graph.nodes()), idle == Idle::Keep);
  if (idle == Idle::Drop)
    for (int64_t e = 0; e < graph.edges(); ++e)
      if (edges[size_t(e)])
        nodes[size_t(graph.source(e))] = nodes[size_t(graph.destination(e))] =
            true;
  return keep(graph, nodes, edges);
}

static Mask edgesWith(const Numbers &ends, const Mask &nodes) {
  Mask edges(ends.size());
  for (size_t e = 0; e < ends.size(); ++e)
    edges[e] = nodes[size_t(ends[e])];
  return edges;
}

Mask graph::edgesInto(const Graph &graph, const Mask &nodes) {
  return edgesWith(graph.destinations(), nodes);
}

Mask graph::edgesFrom(const Graph &graph, const Mask &nodes) {
  return edgesWith(graph.sources(), nodes);
}

static Result<Mask> allBut(int64_t count, const Numbers &numbers,
                           const char *what) {
  auto mask = maskOf(count, numbers);
  if (!mask)
    return fail(what, ": ", mask.error().message);
  mask->flip();
  return mask;
}

Result<Part> graph::removeNodes(const Graph &graph, const Numbers &nodes) {
  const auto mask = allBut(graph.nodes(), nodes, "nodes to remove");
  if (!mask)
    return mask.error();
  return keepNodes(graph, *mask);
}

Result<Part> graph::removeEdges(const Graph &graph, const Numbers &edges) {
  const auto mask = allBut(graph.edges(), edges, "edges to remove");
  if (!mask)
    return mask.error();
  return keepEdges(graph, *mask);
}

Result<Part> graph::addNodes(const Graph &graph, int64_t count) {
  if (count < 0 || graph.nodes() > std::numeric_limits<int64_t>::max() - count)
    return fail("nodes to add to ", graph.nodes(), ": ", count,
                ": give a number from 0 up, 2^63 - 1 together at most");
  Part part = whole(graph);
  part.graph = Graph::sound(graph.nodes() + count, graph.sources(),
                            graph.destinations());
  part.oldNodes.resize(size_t(part.graph.nodes()), -1);
  return part;
}

Result<Part> graph::addEdges(const Graph &graph, const Numbers &sources,
                             const Numbers &destinations) {
  // Made apart, so that a message has the caller's numbers.
  const auto more = Graph::make(graph.nodes(), sources, destinations);
  if (!more)
    return fail("edges to add: ", more.error().message);
  Part part = whole(graph);
  Numbers from = graph.sources(), to = graph.destinations();
  from.insert(from.end(), sources.begin(), sources.end());
  to.insert(to.end(), destinations.begin(), destinations.end());
  part.graph = Graph::sound(graph.nodes(), std::move(from), std::move(to));
  part.oldEdges.resize(size_t(part.graph.edges()), -1);
  return part;
}

Part graph::withSelfLoops(Graph graph) {
  const int64_t nodes = graph.nodes(), edges = graph.edges();
  Mask lacks(size_t(nodes), true);
  for (int64_t e = 0; e < edges; ++e)
    if (graph.source(e) == graph.destination(e))
      lacks[size_t(graph.source(e))] = false;
  const Numbers loops = numbersOf(lacks);
  auto [from, to] = std::move(graph).takeEnds();
  from.insert(from.end(), loops.begin(), loops.end());
  to.insert(to.end(), loops.begin(), loops.end());
  Part part;
  part.graph = Graph::sound(nodes, std::move(from), std::move(to));
  part.oldNodes.resize(size_t(nodes));
  std::iota(part.oldNodes.begin(), part.oldNodes.end(), 0);
  part.oldEdges.resize(size_t(part.graph.edges()), -1);
  std::iota(part.oldEdges.begin(), part.oldEdges.begin() + edges, 0);
  return part;
}

Graph graph::reversed(const Graph &graph) {
  return Graph::sound(graph.nodes(), graph.destinations(), graph.sources());
}
