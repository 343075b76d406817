// What one layer of a network works on when it is run on part of a graph: the
// nodes that get a result, the nodes that these read, the edges between.
#ifndef SMEX_RUNTIME_GRAPH_BLOCK_H
#define SMEX_RUNTIME_GRAPH_BLOCK_H

#include "runtime/graph/Part.h"

#include <unordered_map>

namespace smex::graph {

/// Of part.graph, the first `destinations` nodes get a result; all edges lead
/// to them. Node i of the block is node i of the block before, too: the results
/// of block l - 1 are, row by row, the nodes of block l.
struct Block {
  Part part;
  int64_t destinations = 0;
  /// Of each edge: what its message counts for, so that on the average over
  /// seeds the weighted sum is the sum over all edges.
  std::vector<float> weights;
};

/// One graph for all layers: the nodes of the first block (all there are), and
/// each edge of any block once, in the order of the edges' old numbers. O(n log
/// n) in the edges of the blocks. A layer then reads more than its own block.
Part unite(const std::vector<Block> &blocks);

/// Of a sample, whose size has nothing to do with the graph's: the numbers of
/// its nodes, in the order in which they are first asked for.
class Numbering {
public:
  int64_t of(int64_t old) {
    const auto [place, isNew] = now.try_emplace(old, int64_t(numbers.size()));
    if (isNew)
      numbers.push_back(old);
    return place->second;
  }
  const Numbers &old() const { return numbers; }

private:
  std::unordered_map<int64_t, int64_t> now;
  Numbers numbers;
};

} // namespace smex::graph

#endif
