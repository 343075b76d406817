#include "runtime/graph/Graph.h"

#include <algorithm>

using namespace smex;
using namespace smex::graph;

static Status checkEnds(const Numbers &ends, int64_t nodes, const char *way) {
  for (size_t e = 0; e < ends.size(); ++e)
    if (ends[e] < 0 || ends[e] >= nodes)
      return fail("edge ", e, " leads ", way, " node ", ends[e],
                  ", which is not there: the graph has ", nodes,
                  ", numbered from 0");
  return {};
}

Result<Graph> Graph::make(int64_t nodes, Numbers sources,
                          Numbers destinations) {
  if (nodes < 0)
    return fail("a graph of ", nodes, " nodes: give a number from 0 up");
  if (sources.size() != destinations.size())
    return fail("a graph with ", sources.size(), " sources of edges and ",
                destinations.size(), " destinations: give as many of both");
  if (Status ok = checkEnds(sources, nodes, "from"); !ok)
    return ok.takeError();
  if (Status ok = checkEnds(destinations, nodes, "to"); !ok)
    return ok.takeError();
  Graph graph;
  graph.count = nodes;
  graph.from = std::move(sources);
  graph.to = std::move(destinations);
  return graph;
}

Graph Graph::sound(int64_t nodes, Numbers sources, Numbers destinations) {
  auto graph = make(nodes, std::move(sources), std::move(destinations));
  return std::move(*graph);
}

Result<Graph> graph::fromMatrix(io::SparseMatrix matrix,
                                const std::string &name) {
  if (matrix.rows != matrix.columns)
    return fail(name, ": is a matrix of ", matrix.rows, " x ", matrix.columns,
                ", and a graph has as many rows as columns: a row per source, "
                "a column per destination");
  return betweenTypes(std::move(matrix), name);
}

Result<Graph> graph::betweenTypes(io::SparseMatrix matrix,
                                  const std::string &name) {
  const int64_t nodes = std::max(matrix.rows, matrix.columns);
  // A few bytes must not ask for 2^40 nodes' worth of memory.
  constexpr int64_t free = int64_t(1) << 27, perEdge = 64;
  if (nodes > free && (nodes - free) / perEdge > matrix.entries())
    return fail(name, ": a graph of ", nodes, " nodes and only ",
                matrix.entries(),
                " edges: number the nodes anew, without those that have none");
  auto graph =
      Graph::make(nodes, std::move(matrix.row), std::move(matrix.column));
  if (!graph)
    return fail(name, ": ", graph.error().message);
  return graph;
}

Result<Graph> graph::readGraph(const std::string &path) {
  auto matrix = io::readSparseMatrix(path);
  if (!matrix)
    return matrix.takeError();
  return fromMatrix(std::move(*matrix), path);
}
