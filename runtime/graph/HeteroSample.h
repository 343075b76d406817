// Sampled neighbours in a heterogeneous graph (Hetero.h): as one graph that
// serves all layers of a network, or a block for each.
#ifndef SMEX_RUNTIME_GRAPH_HETEROSAMPLE_H
#define SMEX_RUNTIME_GRAPH_HETEROSAMPLE_H

#include "runtime/graph/Hetero.h"
#include "runtime/graph/Rows.h"

namespace smex::graph {

/// The edges of each type by their destination, numbered within its type; O(V +
/// E).
std::vector<Rows> byDestination(const HeteroGraph &graph);

/// As sampleNeighbours (Sample.h), in each type of edges: from the last layer
/// to the first, of each node then there, of whatever type, as many of its
/// edges of each type as the layer's fan-out for that type (-1: all of them),
/// drawn without replacement. What comes of it has each edge once, in the order
/// of old numbers; of each type of nodes those that were there first come
/// first, so that `nodes`, of type `type`, are the first ones of theirs. `in`
/// is byDestination(graph), fanouts[t] are those of edges of type t, as many
/// for each. What is drawn for a node has nothing to do with other nodes.
/// O(sum of fan-outs over nodes and types of edges), logarithms apart. Errors:
/// a type or a node that is not there; a node that occurs twice; a fan-out
/// below -1.
Result<HeteroPart> sampleNeighbours(const HeteroGraph &graph,
                                    const std::vector<Rows> &in, int64_t type,
                                    const Numbers &nodes,
                                    const std::vector<Numbers> &fanouts,
                                    uint64_t seed);

/// The same for the ends of edges of one type, which come first among the nodes
/// of theirs; the edges are there, too. Errors: a type or an edge that is not
/// there; a fan-out below -1.
Result<HeteroPart> sampleForEdges(const HeteroGraph &graph,
                                  const std::vector<Rows> &in, int64_t edgeType,
                                  const Numbers &edges,
                                  const std::vector<Numbers> &fanouts,
                                  uint64_t seed);

/// What layers work on, each on edges of its own, between nodes that all number
/// alike.
struct HeteroBlocks {
  /// Of each type: node i was oldNodes[type][i].
  std::vector<Numbers> oldNodes;
  /// Edge e was old[e]; it leads from sources[e] to destinations[e].
  struct Edges {
    Numbers old, sources, destinations;
  };
  std::vector<std::vector<Edges>> layers; // the first one first; by type
};

/// The same, a block per layer: its edges are those drawn for it, by type, by
/// destination, in the order of `in`.
Result<HeteroBlocks> sampleBlocks(const HeteroGraph &graph,
                                  const std::vector<Rows> &in, int64_t type,
                                  const Numbers &nodes,
                                  const std::vector<Numbers> &fanouts,
                                  uint64_t seed);

/// The same for the ends of edges of one type, with one block more behind the
/// last one: these edges, in their order. Errors: as sampleForEdges.
Result<HeteroBlocks>
sampleBlocksForEdges(const HeteroGraph &graph, const std::vector<Rows> &in,
                     int64_t edgeType, const Numbers &edges,
                     const std::vector<Numbers> &fanouts, uint64_t seed);

} // namespace smex::graph

#endif
