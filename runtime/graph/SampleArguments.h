// What is wrong with what a sample is asked for.
#ifndef SMEX_RUNTIME_GRAPH_SAMPLEARGUMENTS_H
#define SMEX_RUNTIME_GRAPH_SAMPLEARGUMENTS_H

#include "runtime/graph/Block.h"

namespace smex::graph {

/// Nodes to sample for: each is there, one of `count`, and given once. `there`
/// says of what so many are there, "the graph has".
inline Status checkNodes(const Numbers &nodes, int64_t count,
                         const std::string &there) {
  Numbering seen;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] < 0 || nodes[i] >= count)
      return fail("nodes to sample for: node ", nodes[i],
                  " is not there: ", there, " ", count, ", numbered from 0");
    if (seen.of(nodes[i]) != int64_t(i))
      return fail("nodes to sample for: node ", nodes[i],
                  " occurs twice; give each once");
  }
  return {};
}

/// Edges to sample for: each is there, one of `count`.
inline Status checkEdges(const Numbers &edges, int64_t count) {
  for (int64_t edge : edges)
    if (edge < 0 || edge >= count)
      return fail("edges to sample for: edge ", edge,
                  " is not there: there are ", count, ", numbered from 0");
  return {};
}

/// A limit of each layer, at least so large; `what` they are, "fan-out".
inline Status checkLimits(const Numbers &limits, int64_t least,
                          const char *what) {
  for (int64_t limit : limits)
    if (limit < least)
      return fail(what, " ", limit, ": give a number from ", least, " up");
  return {};
}

} // namespace smex::graph

#endif
