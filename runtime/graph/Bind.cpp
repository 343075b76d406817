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
static bool haveTypes(const Relation &relation) {
  return !relation.types.empty() || relation.graph.edges() == 0;
}

/// What edges have besides their ends and types.
static void addRest(const Relation &relation, const Numbers &order,
                    Ends &ends) {
  const int64_t edges = int64_t(order.size());
  const int64_t inFiles = relation.fileEdges();
  ends.added = makeTensor({DType::Bool, {edges}});
  for (int64_t i = 0; i < edges; ++i)
    ends.added.bytes[size_t(i)] = std::byte(order[size_t(i)] >= inFiles);
  if (relation.values.empty() && inFiles > 0)
    return;
  ends.values = makeTensor({DType::F32, {edges}});
  for (int64_t i = 0; i < edges; ++i)
    if (const int64_t e = order[size_t(i)]; e < inFiles)
      ends.values.data<float>()[i] = relation.values[size_t(e)];
}

Ends graph::endsOf(const Graph &graph) { return endsOf(Relation::of(graph)); }

Ends graph::endsOf(const Relation &relation) {
  const Numbers order = canonicalOrder(relation.graph);
  Ends ends;
  ends.sources = column(relation.graph.sources(), order);
  ends.destinations = column(relation.graph.destinations(), order);
  if (haveTypes(relation))
    ends.types = column(relation.types, order);
  addRest(relation, order, ends);
  return ends;
}

Ends graph::endsOf(Relation &&relation) {
  const Numbers order = canonicalOrder(relation.graph);
  const bool typed = haveTypes(relation);
  Ends ends;
  addRest(relation, order, ends);
  auto [sources, destinations] = std::move(relation.graph).takeEnds();
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

Numbers graph::edgeRows(const Relation &relation, int64_t room) {
  Numbers rows = canonicalOrder(relation.graph);
  for (int64_t &row : rows)
    row = row < relation.fileEdges() ? row : -1;
  rows.resize(size_t(room), -1);
  return rows;
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

Result<Ends> graph::endsWithin(const Relation &relation, const Room &room) {
  const Graph &graph = relation.graph;
  const int64_t sourceNodes = relation.sourceNodes;
  const int64_t destinationNodes = relation.destinationNodes;
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
  Ends ends = endsOf(relation);
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
  for (Tensor *tensor : {&ends.sources, &ends.destinations, &ends.types,
                         &ends.values, &ends.added})
    if (tensor->type.rank() == 1) {
      tensor->type.shape[0] = room.edges;
      tensor->bytes.resize(size_t(byteCount(tensor->type).value()));
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
  return endsWithin(Relation::of(graph), room);
}
