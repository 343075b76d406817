// Nodes grouped by how many edges they have, so that a reducer of any kind
// works on dense arrays: the (i, j) slice of a bucket is message j of its node
// i (the thesis' auto-batching, 4.6.1).
//
// A bucket per degree would leave thousands of tiny ones in a power-law tail.
// So frequent degrees have a bucket of their own, without padding, and rarer
// ones share one as wide as its largest, which is shut before its padding
// exceeds a share of its places. A degree of at least (1 - padding) x width
// never shuts it, so widths of shared buckets grow geometrically:
//
//   buckets <= 2 + nodes / frequent + log(largest degree) / -log(1 - padding)
#ifndef SMEX_RUNTIME_GRAPH_BUCKETS_H
#define SMEX_RUNTIME_GRAPH_BUCKETS_H

#include "dialects/smex/lists/Rooms.h"
#include "runtime/graph/Rows.h"

namespace smex::graph {

struct Bucket {
  int64_t width = 0;
  Numbers nodes;   // ascending
  Numbers lengths; // one per node: the places of its row that hold an edge
  Numbers edges;   // [nodes, width], row-major; -1 in the places beyond

  int64_t size() const { return int64_t(nodes.size()); }
};

struct Buckets {
  /// Widths ascend; no bucket is empty. Nodes without edges have one of width
  /// 0 to themselves.
  std::vector<Bucket> buckets;
  /// Node v is row place[v] of the buckets' rows, one bucket after the other:
  /// a gather by it brings results back into the order of nodes.
  Numbers place;
};

struct BucketLimits {
  /// Of each bucket's places, at most this share is padding; in [0, 1). 0: a
  /// bucket per degree.
  double padding = 0.25;
  /// A degree that as many nodes have is never padded; 0: a 64th of the nodes,
  /// so that there are at most 64 of them.
  int64_t frequent = 0;
};

/// Of edges by destination (what a node receives) or by source; edges keep the
/// order that they have there. O(V + E), for any fixed padding: there are at
/// most E / (1 - padding) places. Errors: limits that are none.
Result<Buckets> bucketsByDegree(const Rows &edges,
                                const BucketLimits &limits = {});

/// For each node one of some buckets that are given, with ascending widths, and
/// which may keep room: the narrowest one that is wide enough and has room
/// left, nodes of larger degree first. O(V + E + buckets). Errors: more nodes
/// of some degree, or of larger ones, than room for them.
Result<Numbers> bucketsWithin(const Rows &edges,
                              const std::vector<BucketRoom> &rooms);

/// Buckets for whatever edges there may be, so many that lead to so many nodes,
/// where nodes of the largest degree come first: the node of rank r, from 0 up,
/// has at most edges / (r + 1), and what is wider than `most` is cut. Widths
/// descend, each at most halved within a bucket, so that places are at most
/// 2 edges for each of log2(most) buckets, and a few for nodes without edges.
std::vector<BucketRoom> bucketsByRank(int64_t nodes, int64_t edges,
                                      int64_t most);

} // namespace smex::graph

#endif
