#include "compiler/frontend/LayerRooms.h"

#include <algorithm>

using namespace smex;
using namespace smex::frontend;

namespace {

/// Nodes of each type, by its name.
using Counts = std::map<std::string, int64_t>;

const InputRows &sourcesOf(const GraphInputs &graph) {
  return graph.from ? *graph.from : graph.to;
}

/// nodes * limit, or all edges, where these are fewer; -1: all.
int64_t mostEdges(int64_t nodes, int64_t limit, int64_t edges) {
  if (nodes == 0 || limit == 0)
    return 0;
  return limit > 0 && nodes <= edges / limit ? nodes * limit : edges;
}

/// The nodes that samples may be for.
std::vector<Counts>
startsOf(const std::vector<GraphInputs> &graphs, const Counts &room,
         int64_t batch,
         const std::function<bool(size_t graph, int64_t distance)> &isRead) {
  std::vector<Counts> starts;
  for (size_t g = 0; g < graphs.size(); ++g) {
    if (!isRead(g, -1))
      continue;
    Counts ends;
    for (const std::string &type :
         {graphs[g].to.dimension, sourcesOf(graphs[g]).dimension}) {
      const int64_t nodes = room.at(type), there = ends[type];
      ends[type] = nodes - there < batch ? nodes : there + batch;
    }
    starts.push_back(std::move(ends));
  }
  if (starts.empty())
    for (const auto &[type, nodes] : room)
      starts.push_back({{type, std::min(batch, nodes)}});
  return starts;
}

} // namespace

std::vector<std::vector<int64_t>> frontend::layerRooms(
    const std::vector<GraphInputs> &graphs,
    const std::vector<std::vector<int64_t>> &limits, int64_t batch,
    const std::function<bool(size_t graph, int64_t distance)> &isRead) {
  const size_t layers = limits.front().size();
  std::vector<std::vector<int64_t>> rooms(graphs.size(),
                                          std::vector<int64_t>(layers));
  Counts room;
  std::vector<std::vector<bool>> reads(graphs.size()); // by distance
  for (size_t g = 0; g < graphs.size(); ++g) {
    room[graphs[g].to.dimension] = graphs[g].to.count;
    room[sourcesOf(graphs[g]).dimension] = sourcesOf(graphs[g]).count;
    for (size_t at = 0; at < layers; ++at)
      reads[g].push_back(isRead(g, int64_t(at)));
  }
  for (Counts served : startsOf(graphs, room, batch, isRead))
    for (size_t at = 0; at < layers; ++at) {
      Counts there = served;
      for (size_t g = 0; g < graphs.size(); ++g) {
        if (!reads[g][at])
          continue;
        const GraphInputs &graph = graphs[g];
        const int64_t edges = graph.edges.count,
                      most = mostEdges(served[graph.to.dimension],
                                       limits[g][layers - 1 - at], edges);
        const std::string &from = sourcesOf(graph).dimension;
        there[from] = std::min(room[from], there[from] + most);
        // One at each node that there can be: layers number the same ones.
        const int64_t loops = graph.selfLoops ? graph.to.count : 0;
        rooms[g][at] = std::max(rooms[g][at], std::min(edges, most + loops));
      }
      served = std::move(there);
    }
  for (size_t g = 0; g < graphs.size(); ++g)
    for (int64_t &edges : rooms[g])
      edges = edges ? edges : graphs[g].edges.count;
  return rooms;
}
