// Graphs drawn at random, for measurements: as large as the papers' where their
// data cannot be had. Edge e is a function of the seed and of e, so that a
// graph is made in two passes, without a list of its edges beside it, and is
// the same on any machine.
#ifndef SMEX_EXAMPLES_BENCH_DRAWNGRAPH_H
#define SMEX_EXAMPLES_BENCH_DRAWNGRAPH_H

#include "dialects/support/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace smex::bench {

/// A directed multigraph in rows of sources, as scipy's CSR: edges starts[v] to
/// starts[v + 1] lead from v to ends[..], which ascend.
struct DrawnGraph {
  std::vector<int64_t> starts; // one more than nodes
  std::vector<int32_t> ends;

  int64_t nodes() const { return int64_t(starts.size()) - 1; }
  int64_t edges() const { return int64_t(ends.size()); }
};

/// Both ends of each edge uniform (Erdos-Renyi with a given number of edges).
DrawnGraph drawUniform(int64_t nodes, int64_t edges, uint64_t seed);

/// Chakrabarti et al.'s R-MAT: hubs, and hubs among their neighbours. An end is
/// in the first half of the nodes, of that half in the first again and so on,
/// each with a chance of `skew`; both ends with 3/4 of it. At 0.76 these are
/// Graph500's 0.57, 0.19, 0.19; at 0.62 the largest of Reddit's size has as
/// many edges as Reddit's. Ends that are no node are drawn again. Nodes are
/// numbered anew at random: real graphs are not in order of their degrees. Or
/// they stay as they were drawn, `inCommunities`: halves, their halves and so
/// on are nodes that have more edges among themselves than with others.
DrawnGraph drawRmat(int64_t nodes, int64_t edges, double skew, uint64_t seed,
                    bool inCommunities = false);

/// The same graph with its nodes numbered anew: those that the most edges lead
/// to come first.
DrawnGraph inOrderOfDegree(const DrawnGraph &graph);

/// Binary trees, one after the other: leaves are words, a sentence has from 4
/// to 2 * words - 4 of them, `words` on average; a phrase is cut in two
/// anywhere. Edges lead from children to their parent, and a tree's nodes are
/// numbered from its root (a parent before its children). Trees `first` and up
/// of the endless row of trees that belong to the seed. Requires words >= 4.
DrawnGraph drawTrees(int64_t first, int64_t trees, int64_t words,
                     uint64_t seed);

/// scipy's .npz, every value 1 (i8).
Status writeGraph(const std::string &path, const DrawnGraph &graph);

} // namespace smex::bench

#endif
