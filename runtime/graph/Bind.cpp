#include "runtime/graph/Bind.h"

#include "runtime/graph/Rows.h"

using namespace smex;
using namespace smex::graph;

static Tensor column(const Numbers &values, const Numbers &order) {
  Tensor tensor = makeTensor({DType::I64, {int64_t(order.size())}});
  for (size_t i = 0; i < order.size(); ++i)
    tensor.data<int64_t>()[i] = values[size_t(order[i])];
  return tensor;
}

/// Of no edges, nobody can tell whether they have types: there is a list.
static bool haveTypes(const Graph &graph, const Numbers &types) {
  return !types.empty() || graph.edges() == 0;
}

static Ends endsOf(const Graph &graph, const Numbers &types) {
  const Numbers order = canonicalOrder(graph);
  return {column(graph.sources(), order), column(graph.destinations(), order),
          haveTypes(graph, types) ? column(types, order) : Tensor()};
}

Ends graph::endsOf(const Graph &graph) { return ::endsOf(graph, {}); }

Ends graph::endsOf(const Relation &relation) {
  return ::endsOf(relation.graph, relation.types);
}

Ends graph::endsOf(Relation &&relation) {
  const Numbers order = canonicalOrder(relation.graph);
  const bool typed = haveTypes(relation.graph, relation.types);
  auto [sources, destinations] = std::move(relation.graph).takeEnds();
  Ends ends;
  const auto move = [&](Numbers &list, Tensor &to) {
    to = column(list, order);
    Numbers().swap(list);
  };
  move(sources, ends.sources);
  move(destinations, ends.destinations);
  if (typed)
    move(relation.types, ends.types);
  return ends;
}

namespace {

/// The nodes of one type that a graph leaves of a plan's room.
struct Spare {
  int64_t first, count;

  /// That of spare edge `edge` of `edges`.
  int64_t node(int64_t edge, int64_t edges) const {
    return first + spread(edge, edges, count);
  }
};

} // namespace

static Result<Ends> within(const Graph &graph, const Numbers &types,
                           int64_t sourceNodes, int64_t destinationNodes,
                           const Room &room) {
  const auto above = [&](const char *what, const char *dim, int64_t has,
                         int64_t fits) {
    return fail("has ", has, " ", what, ", and the plan has room for ", fits,
                ": compile it with --dim ", dim, "=", has, " or more");
  };
  const int64_t roomForSources = room.sourceNodes.value_or(room.nodes);
  if (room.sourceNodes && sourceNodes > roomForSources)
    return above("nodes that edges come from", "NODES", sourceNodes,
                 roomForSources);
  if (destinationNodes > room.nodes)
    return above(room.sourceNodes ? "nodes that edges lead to" : "nodes",
                 room.sourceNodes ? "NODES" : "nodes", destinationNodes,
                 room.nodes);
  if (graph.edges() > room.edges)
    return above("edges", "edges", graph.edges(), room.edges);
  Ends ends = endsOf(graph, types);
  const Spare sources = {sourceNodes, roomForSources - sourceNodes};
  const Spare destinations = {destinationNodes, room.nodes - destinationNodes};
  const int64_t spareEdges = room.edges - graph.edges();
  const bool none = sources.count == 0 || destinations.count == 0;
  if (spareEdges > 0 && none && !room.toNone) {
    const bool to = destinations.count == 0;
    const int64_t all = to ? room.nodes : roomForSources;
    return fail("has all of the plan's ", all, " nodes, and ", spareEdges,
                " edges fewer than the plan, which could ",
                to ? "lead only to" : "come only from",
                " a node more: compile it with --dim ",
                room.sourceNodes ? "NODES=" : "nodes=", all + 1);
  }
  for (Tensor *tensor : {&ends.sources, &ends.destinations, &ends.types})
    if (tensor->type.rank() == 1) {
      tensor->type.shape[0] = room.edges;
      tensor->bytes.resize(size_t(room.edges) * sizeof(int64_t));
    }
  for (int64_t i = 0; i < spareEdges; ++i) {
    ends.sources.data<int64_t>()[graph.edges() + i] =
        none ? 0 : sources.node(i, spareEdges);
    ends.destinations.data<int64_t>()[graph.edges() + i] =
        none ? -1 : destinations.node(i, spareEdges);
  }
  return ends;
}

Result<Ends> graph::endsWithin(const Graph &graph, const Room &room) {
  return within(graph, {}, graph.nodes(), graph.nodes(), room);
}

Result<Ends> graph::endsWithin(const Relation &relation, const Room &room) {
  return within(relation.graph, relation.types, relation.sourceNodes,
                relation.destinationNodes, room);
}
