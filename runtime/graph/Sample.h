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

#include "dialects/support/Random.h"
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

/// How often FastGCN draws a node: in proportion to the squares of the numbers
/// of all edges that leave it, ||A(:, u)||^2, a number being an element of the
/// matrix A. Edges without numbers count 1 each.
class Importance {
public:
  /// `values` one per edge, or none. O(V + E).
  explicit Importance(const Graph &graph,
                      const std::vector<float> &values = {});

  /// The source of an edge, or -1 where no edge counts. A function of its
  /// arguments.
  int64_t draw(const Random &random, uint64_t element) const;
  /// What one draw finds a node with, from 0 to 1.
  double of(int64_t node) const { return ofNode[size_t(node)] / total; }

private:
  const Graph &graph;
  std::vector<double> upTo; // each edge: the sum of squares up to it; or none
  std::vector<double> ofNode;
  double total = 0;
};

/// FastGCN: each layer draws so many nodes from the whole graph, with
/// replacement, by their importance q, and keeps the edges from these to the
/// nodes that it serves. draws[l] is layer l's. An edge whose source was drawn
/// c times of t has weight c / (t q), so that sums of messages are right on the
/// average. O(sum of draws and of in-degrees). Errors: a node that is not there
/// or occurs twice; a negative number of draws.
Result<std::vector<Block>> sampleLayers(const Graph &graph, const Rows &in,
                                        const Importance &importance,
                                        const Numbers &nodes,
                                        const Numbers &draws, uint64_t seed);

} // namespace smex::graph

#endif
