#include "runtime/graph/Hetero.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

using namespace smex;
using namespace smex::graph;

static std::string nameOf(const EdgeType &type) {
  return "edges (\"" + type.source + "\", \"" + type.name + "\", \"" +
         type.destination + "\")";
}

Result<HeteroGraph> HeteroGraph::make(std::vector<NodeType> nodeTypes,
                                      std::vector<EdgeType> edgeTypes) {
  HeteroGraph graph;
  std::map<std::string, int64_t> nodesOf;
  for (const NodeType &type : nodeTypes) {
    if (type.nodes < 0 || graph.firstNode.back() >
                              std::numeric_limits<int64_t>::max() - type.nodes)
      return fail("nodes \"", type.name, "\": ", type.nodes,
                  " of them: give a number from 0 up, 2^63 - 1 in all at most");
    if (!nodesOf.emplace(type.name, type.nodes).second)
      return fail("nodes \"", type.name,
                  "\": there are two types of that name; give each its own");
    graph.firstNode.push_back(graph.firstNode.back() + type.nodes);
  }
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (EdgeType &type : edgeTypes) {
    for (const std::string *end : {&type.source, &type.destination})
      if (!nodesOf.count(*end))
        return fail(nameOf(type), ": there are no nodes \"", *end, "\"");
    if (!seen.emplace(type.source, type.name, type.destination).second)
      return fail(nameOf(type), ": are there twice; join them, or give each "
                                "its own name");
    const int64_t from = nodesOf[type.source], to = nodesOf[type.destination];
    for (const auto &[ends, nodes, way] :
         {std::tuple(&type.sources, from, "from \"" + type.source + "\""),
          std::tuple(&type.destinations, to,
                     "to \"" + type.destination + "\"")}) {
      const auto outside =
          std::find_if(ends->begin(), ends->end(),
                       [n = nodes](int64_t v) { return v < 0 || v >= n; });
      if (outside != ends->end())
        return fail(nameOf(type), ": edge ", outside - ends->begin(), " leads ",
                    way, " ", *outside, ", which is not there: there are ",
                    nodes, ", numbered from 0");
    }
    if (type.sources.size() != type.destinations.size())
      return fail(nameOf(type), ": ", type.sources.size(), " sources and ",
                  type.destinations.size(),
                  " destinations: give as many of both");
    graph.firstEdge.push_back(graph.firstEdge.back() +
                              int64_t(type.sources.size()));
  }
  graph.nodes = std::move(nodeTypes);
  graph.edges = std::move(edgeTypes);
  return graph;
}

int64_t HeteroGraph::nodeType(const std::string &name) const {
  for (size_t t = 0; t < nodes.size(); ++t)
    if (nodes[t].name == name)
      return int64_t(t);
  return -1;
}

int64_t HeteroGraph::edgeType(const std::string &source,
                              const std::string &name,
                              const std::string &destination) const {
  for (size_t t = 0; t < edges.size(); ++t)
    if (edges[t].source == source && edges[t].name == name &&
        edges[t].destination == destination)
      return int64_t(t);
  return -1;
}

Graph HeteroGraph::homogeneous() const {
  Numbers sources, destinations;
  for (const EdgeType &type : edges) {
    const int64_t from = firstNode[size_t(nodeType(type.source))];
    const int64_t to = firstNode[size_t(nodeType(type.destination))];
    for (int64_t v : type.sources)
      sources.push_back(from + v);
    for (int64_t v : type.destinations)
      destinations.push_back(to + v);
  }
  return Graph::sound(firstNode.back(), std::move(sources),
                      std::move(destinations));
}

/// Numbers of all types, one after the other, taken apart.
struct Typed {
  Numbers type, place; // of each thing: its type, its new number within it
  std::vector<Numbers> old;
};

static Result<Typed> byType(const Numbers &old, const Numbers &offsets,
                            const char *what) {
  Typed typed;
  typed.old.resize(offsets.size() - 1);
  for (int64_t number : old) {
    if (number < 0 || number >= offsets.back())
      return fail("a part of a heterogeneous graph: its ", what, " number ",
                  typed.type.size(), " is ",
                  number < 0 ? "new, and has no type" : "not of that graph");
    const size_t type =
        size_t(std::upper_bound(offsets.begin(), offsets.end(), number) -
               offsets.begin() - 1);
    typed.type.push_back(int64_t(type));
    typed.place.push_back(int64_t(typed.old[type].size()));
    typed.old[type].push_back(number - offsets[type]);
  }
  return typed;
}

Result<HeteroPart> graph::withTypes(const HeteroGraph &of, const Part &part) {
  if (int64_t(part.oldNodes.size()) != part.graph.nodes() ||
      int64_t(part.oldEdges.size()) != part.graph.edges())
    return fail("a part of a heterogeneous graph: give an old number for each "
                "node and edge");
  auto nodes = byType(part.oldNodes, of.nodeOffsets(), "node");
  auto edges = byType(part.oldEdges, of.edgeOffsets(), "edge");
  if (!nodes || !edges)
    return !nodes ? nodes.takeError() : edges.takeError();
  std::vector<NodeType> nodeTypes;
  for (const NodeType &type : of.nodeTypes())
    nodeTypes.push_back(
        {type.name, int64_t(nodes->old[nodeTypes.size()].size())});
  std::vector<EdgeType> edgeTypes;
  Numbers from, to; // types of nodes
  for (const EdgeType &type : of.edgeTypes()) {
    edgeTypes.push_back({type.source, type.name, type.destination, {}, {}});
    from.push_back(of.nodeType(type.source));
    to.push_back(of.nodeType(type.destination));
  }
  for (int64_t e = 0; e < part.graph.edges(); ++e) {
    const size_t t = size_t(edges->type[size_t(e)]);
    EdgeType &type = edgeTypes[t];
    const size_t source = size_t(part.graph.source(e));
    const size_t destination = size_t(part.graph.destination(e));
    if (nodes->type[source] != from[t] || nodes->type[destination] != to[t])
      return fail(nameOf(type), ": edge number ", e,
                  " of the part has ends of other types");
    type.sources.push_back(nodes->place[source]);
    type.destinations.push_back(nodes->place[destination]);
  }
  auto graph = HeteroGraph::make(std::move(nodeTypes), std::move(edgeTypes));
  if (!graph)
    return graph.takeError();
  return HeteroPart{std::move(*graph), std::move(nodes->old),
                    std::move(edges->old), std::move(nodes->place)};
}
