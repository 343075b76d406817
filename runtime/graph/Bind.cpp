#include "runtime/graph/Bind.h"

#include "runtime/graph/Rows.h"

using namespace smex;
using namespace smex::graph;

static Tensor column(const Numbers &ends, const Numbers &order) {
  Tensor tensor = makeTensor({DType::I64, {int64_t(order.size())}});
  for (size_t i = 0; i < order.size(); ++i)
    tensor.data<int64_t>()[i] = ends[size_t(order[i])];
  return tensor;
}

Ends graph::endsOf(const Graph &graph) {
  const Numbers order = canonicalOrder(graph);
  return {column(graph.sources(), order), column(graph.destinations(), order)};
}

Result<Ends> graph::endsWithin(const Graph &graph, const Room &room) {
  const auto above = [](const char *what, int64_t has, int64_t fits) {
    return fail("has ", has, " ", what, ", and the plan has room for ", fits,
                ": compile it with --dim ", what, "=", has, " or more");
  };
  if (graph.nodes() > room.nodes)
    return above("nodes", graph.nodes(), room.nodes);
  if (graph.edges() > room.edges)
    return above("edges", graph.edges(), room.edges);
  Ends ends = endsOf(graph);
  const int64_t spareNodes = room.nodes - graph.nodes();
  const int64_t spareEdges = room.edges - graph.edges();
  if (spareEdges > 0 && spareNodes == 0 && !room.toNone)
    return fail("has all of the plan's ", room.nodes, " nodes, and ",
                spareEdges,
                " edges fewer than the plan, which could lead only to a node "
                "more: compile it with --dim nodes=",
                room.nodes + 1);
  for (Tensor *tensor : {&ends.sources, &ends.destinations}) {
    tensor->type.shape[0] = room.edges;
    tensor->bytes.resize(size_t(room.edges) * sizeof(int64_t));
  }
  for (int64_t i = 0; i < spareEdges; ++i) {
    // Ascending; i * spareNodes would overflow for sizes near 2^63.
    const int64_t node =
        graph.nodes() + int64_t((unsigned __int128)(i)*uint64_t(spareNodes) /
                                uint64_t(spareEdges));
    ends.sources.data<int64_t>()[graph.edges() + i] = spareNodes ? node : 0;
    ends.destinations.data<int64_t>()[graph.edges() + i] =
        spareNodes ? node : -1;
  }
  return ends;
}
