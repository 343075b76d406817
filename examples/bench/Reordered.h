// Orders in which a sum of messages may go over its edges, and the loop itself,
// written by hand: what an order gives is seen before a compiler makes it.
#ifndef SMEX_EXAMPLES_BENCH_REORDERED_H
#define SMEX_EXAMPLES_BENCH_REORDERED_H

#include "examples/bench/DrawnGraph.h"

#include <cstdint>
#include <vector>

namespace smex::bench {

using Numbers = std::vector<int32_t>;

/// Sums of the rows that edges lead from. The i-th is that of the sources from
/// offsets[i] up to offsets[i + 1], and is the result of node results[i].
struct SumList {
  Numbers offsets = {0};
  Numbers sources;
  Numbers results;
  /// Goes on with sums that are there.
  bool adds = false;

  void push(int32_t result, const int32_t *begin, const int32_t *end);
};

/// A sum per node, of the edges that lead to it, in the graph's order, as a
/// plan has them; with an edge to itself for each node that has none.
SumList byDestination(const DrawnGraph &graph);

/// The same sums, one after the other in another order.
SumList inOrder(const SumList &list, const Numbers &order);
/// The same with the terms of each sum in ascending order of `key`.
SumList termsInOrder(const SumList &list, const Numbers &key);
/// The same of rows that are in another order: source s is row places[s].
SumList ofRows(const SumList &list, const Numbers &places);
/// The same with results that are in another order.
SumList toRows(const SumList &list, const Numbers &places);
/// The sums in blocks of so many rows: all terms of the first, then of the next
/// ones. Sums without terms in a block are left out of it.
std::vector<SumList> inBlocks(const SumList &list, int64_t rows,
                              int64_t perBlock);

/// Where each element of the order stands in it.
Numbers placesIn(const Numbers &order);
/// Nodes in descending order of the times that they are read.
Numbers byReads(const SumList &list);
/// Nodes in descending order of the terms of their sums.
Numbers byTerms(const SumList &list);
/// Reverse Cuthill-McKee, of edges in either direction.
Numbers cuthillMcKee(const SumList &list);
/// Nodes of the same label lie together after some rounds of label propagation:
/// a node takes the label that most of its sources have.
Numbers byLabels(const SumList &list, int rounds);

/// Rows in memory, the first features of each.
struct RowsAt {
  float *data;
  int64_t stride;
};

/// Adds up rows of 16, 32 or 64 features, in vectors of 256 bits. Rows are
/// asked for `ahead` terms before they are read; 0: are not.
void sum(const SumList &list, int64_t features, RowsAt rows, RowsAt results,
         int32_t ahead);

} // namespace smex::bench

#endif
