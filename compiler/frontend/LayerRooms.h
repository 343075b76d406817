// How many edges the layers of a graph network can sample at most.
#ifndef SMEX_COMPILER_FRONTEND_LAYERROOMS_H
#define SMEX_COMPILER_FRONTEND_LAYERROOMS_H

#include "compiler/frontend/Model.h"

#include <functional>

namespace smex::frontend {

/// Of each graph, by the distance from the last layer, which is 0: the most
/// edges that a sample for `batch` nodes can have, of whatever type these are,
/// and self-loops that are added. Where some graph is read at distance -1,
/// samples are for the nodes at both ends of `batch` edges, of whichever of
/// these graphs. limits[g] are graph g's numbers of neighbours, the first
/// layer's first, or -1. A layer samples what it reads, and nothing else; for
/// that, a graph has all of its edges, as the run of a whole graph takes them.
std::vector<std::vector<int64_t>>
layerRooms(const std::vector<GraphInputs> &graphs,
           const std::vector<std::vector<int64_t>> &limits, int64_t batch,
           const std::function<bool(size_t graph, int64_t distance)> &isRead);

} // namespace smex::frontend

#endif
