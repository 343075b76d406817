// Things grouped by a number that each has: the edges of a graph by their
// source (CSR) or by their destination (CSC), nodes by their level, and so on.
#ifndef SMEX_RUNTIME_GRAPH_ROWS_H
#define SMEX_RUNTIME_GRAPH_ROWS_H

#include "runtime/graph/Graph.h"

namespace smex::graph {

/// Row r is order[offsets[r]] up to order[offsets[r + 1] - 1].
struct Rows {
  Numbers offsets; // one more than there are rows, from 0 to order.size()
  Numbers order;   // numbers of the things

  int64_t rows() const { return int64_t(offsets.size()) - 1; }
  int64_t length(int64_t row) const {
    return offsets[size_t(row) + 1] - offsets[size_t(row)];
  }
  const int64_t *begin(int64_t row) const {
    return order.data() + offsets[size_t(row)];
  }
  const int64_t *end(int64_t row) const {
    return order.data() + offsets[size_t(row) + 1];
  }
};

/// Thing i goes to row keys[i], 0 <= keys[i] < rows; within a row, things keep
/// their order (of numbers, or the one given). By one counting sort: O(rows +
/// things).
Rows groupBy(const Numbers &keys, int64_t rows);
Rows groupBy(const Numbers &keys, int64_t rows, const Numbers &order);

/// Edges by their source, or by their destination; O(V + E). Columns of a CSR
/// matrix: gather(graph.destinations(), bySource(graph).order).
Rows bySource(const Graph &graph);
Rows byDestination(const Graph &graph);

/// Edges by destination, those of one destination by source, equal ones in
/// their order: the canonical order of a graph's edges, whatever file it came
/// from. O(V + E).
Numbers canonicalOrder(const Graph &graph);

/// The place of thing `thing` where so many are spread over places 0 .. places
/// - 1 evenly, ascending.
int64_t spread(int64_t thing, int64_t things, int64_t places);

/// values[numbers[i]] for each i.
Numbers gather(const Numbers &values, const Numbers &numbers);

} // namespace smex::graph

#endif
