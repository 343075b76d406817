// The smallest cut between two nodes of a network.
#ifndef SMEX_COMPILER_PLACEMENT_MINCUT_H
#define SMEX_COMPILER_PLACEMENT_MINCUT_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace smex::placement {

/// Dinic's algorithm. Node 0 is the source, node 1 the sink.
class MinCut {
public:
  static constexpr int kSource = 0, kSink = 1;
  /// More than any cut: capacities up to here do not overflow in sum.
  static constexpr int64_t kUncut = int64_t(1) << 60;

  void clear(int nodes);
  int addNode();
  void addEdge(int from, int to, int64_t capacity);
  /// The smallest cut; at most kUncut edges of it can be part of none. Where
  /// `work` comes to more than `mostWork` it gives up, with what flows by then:
  /// no cut is smaller than that, but which nodes are on which side says
  /// nothing.
  int64_t solve();
  bool isOver() const { return work > mostWork; }
  /// After solve(): whether a node is on the source's side.
  bool onSourceSide(int node) const { return level[std::size_t(node)] >= 0; }
  /// Edges made and looked at so far, by all calls; those of a network that is
  /// too large for a cache several times, as they take several times as long.
  int64_t work = 0;
  int64_t mostWork = std::numeric_limits<int64_t>::max();

private:
  struct Edge {
    int to, next;
    int64_t capacity;
  };
  int64_t lookWork() const;
  bool layer();
  int64_t push(int node, int64_t most);

  std::vector<int> first, current, level, queue;
  std::vector<Edge> edges; // an edge and its reverse, one after the other
};

} // namespace smex::placement

#endif
