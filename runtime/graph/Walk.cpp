#include "runtime/graph/Walk.h"

#include "dialects/support/Random.h"
#include "runtime/graph/Block.h"

#include <limits>

using namespace smex;
using namespace smex::graph;

Result<Walks> graph::randomWalks(const Graph &graph, const Rows &out,
                                 const Numbers &starts, int64_t length,
                                 uint64_t seed) {
  if (length < 0 || length == std::numeric_limits<int64_t>::max() ||
      !byteCount({DType::I64, {int64_t(starts.size()), length + 1}}))
    return fail(starts.size(), " walks of ", length,
                " edges: give a length from 0 up, 2^60 nodes in all at most");
  for (int64_t start : starts)
    if (start < 0 || start >= graph.nodes())
      return fail("start of a walk: node ", start,
                  " is not there: the graph has ", graph.nodes(),
                  ", numbered from 0");
  Walks result;
  result.walks = int64_t(starts.size());
  result.length = length;
  result.nodes.assign(starts.size() * size_t(length + 1), -1);
  result.edges.assign(starts.size() * size_t(length), -1);
  const Random random(seed, "walks");
  for (size_t walk = 0; walk < starts.size(); ++walk) {
    const Random own = random.of(walk);
    int64_t *nodes = result.nodes.data() + walk * size_t(length + 1);
    int64_t *edges = result.edges.data() + walk * size_t(length);
    nodes[0] = starts[walk];
    for (int64_t step = 0; step < length; ++step) {
      const int64_t ways = out.length(nodes[step]);
      if (ways == 0)
        break;
      edges[step] = out.begin(nodes[step])[own.below(ways, uint64_t(step))];
      nodes[step + 1] = graph.destination(edges[step]);
    }
  }
  return result;
}

Part graph::walkedGraph(const Graph &graph, const Walks &walks) {
  Numbering nodes, edges;
  for (int64_t walk = 0; walk < walks.walks; ++walk)
    nodes.of(walks.nodes[size_t(walk * (walks.length + 1))]);
  for (int64_t node : walks.nodes)
    if (node >= 0)
      nodes.of(node);
  for (int64_t edge : walks.edges)
    if (edge >= 0)
      edges.of(edge);
  Part part;
  part.oldNodes = nodes.old();
  part.oldEdges = edges.old();
  Numbers sources, destinations;
  for (int64_t edge : part.oldEdges) {
    sources.push_back(nodes.of(graph.source(edge)));
    destinations.push_back(nodes.of(graph.destination(edge)));
  }
  part.graph = Graph::sound(int64_t(part.oldNodes.size()), std::move(sources),
                            std::move(destinations));
  return part;
}
