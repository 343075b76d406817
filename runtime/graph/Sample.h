// Sampled subgraphs for networks of several layers, from the nodes whose
// results are wanted back to those whose features are read: a block per layer,
// the network's first layer first.
//
// Both work on edges by destination (Rows.h), which the caller makes once, and
// their cost has nothing to do with the graph's size (but for a bit per edge of
// the node that has most). A sample is a function of
// its arguments alone, the same on any machine; another `seed` per training
// step gives another sample.
#ifndef SMEX_RUNTIME_GRAPH_SAMPLE_H
#define SMEX_RUNTIME_GRAPH_SAMPLE_H

#include "runtime/graph/Block.h"
#include "runtime/graph/Rows.h"

namespace smex::graph {

/// GraphSAGE: of each node's edges, as many as its layer's fan-out, drawn
/// without replacement; all if there are no more, or if the fan-out is -1.
/// fanouts[l] is layer l's: the last one's is for `nodes` themselves. Edges of
/// a block are by destination, in the order of `in`; an edge of a node with n,
/// k of them drawn, has weight n / k. O(sum of fan-outs over the nodes of
/// blocks), logarithms apart. Errors: a node that is not there or occurs
/// twice; a fan-out below -1.
Result<std::vector<Block>> sampleNeighbours(const Graph &graph, const Rows &in,
                                            const Numbers &nodes,
                                            const Numbers &fanouts,
                                            uint64_t seed);

/// FastGCN: each layer draws so many nodes from the whole graph, with
/// replacement, with probability proportional to the edges that leave them
/// (that is, sources of edges drawn uniformly), and keeps the edges from these
/// to the nodes that it serves. draws[l] is layer l's. An edge whose source was
/// drawn c times of n, and has d of all E edges, has weight c E / (n d). O(sum
/// of draws and of in-degrees). Errors: a node that is not there or occurs
/// twice; a negative number of draws.
Result<std::vector<Block>> sampleLayers(const Graph &graph, const Rows &in,
                                        const Rows &out, const Numbers &nodes,
                                        const Numbers &draws, uint64_t seed);

} // namespace smex::graph

#endif
