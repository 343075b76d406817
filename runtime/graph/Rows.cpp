#include "runtime/graph/Rows.h"

#include <numeric>

using namespace smex::graph;

/// Counts, then where each row begins, then each thing to its row's next place;
/// `thing(i)` is the i-th in order.
template <typename Thing>
static Rows countingSort(const Numbers &keys, int64_t rows, size_t things,
                         Thing thing) {
  Rows result;
  result.offsets.assign(size_t(rows) + 1, 0);
  for (size_t i = 0; i < things; ++i)
    ++result.offsets[size_t(keys[size_t(thing(i))]) + 1];
  std::partial_sum(result.offsets.begin(), result.offsets.end(),
                   result.offsets.begin());
  Numbers next(result.offsets.begin(), result.offsets.end() - 1);
  result.order.resize(things);
  for (size_t i = 0; i < things; ++i)
    result.order[size_t(next[size_t(keys[size_t(thing(i))])]++)] = thing(i);
  return result;
}

Rows smex::graph::groupBy(const Numbers &keys, int64_t rows) {
  return countingSort(keys, rows, keys.size(),
                      [](size_t i) { return int64_t(i); });
}

Rows smex::graph::groupBy(const Numbers &keys, int64_t rows,
                          const Numbers &order) {
  return countingSort(keys, rows, order.size(),
                      [&](size_t i) { return order[i]; });
}

Rows smex::graph::bySource(const Graph &graph) {
  return groupBy(graph.sources(), graph.nodes());
}

Rows smex::graph::byDestination(const Graph &graph) {
  return groupBy(graph.destinations(), graph.nodes());
}

Numbers smex::graph::canonicalOrder(const Graph &graph) {
  return groupBy(graph.destinations(), graph.nodes(), bySource(graph).order)
      .order;
}

int64_t smex::graph::spread(int64_t thing, int64_t things, int64_t places) {
  // Their product would overflow for sizes near 2^63.
  return int64_t((unsigned __int128)(thing)*uint64_t(places) /
                 uint64_t(things));
}

Numbers smex::graph::gather(const Numbers &values, const Numbers &numbers) {
  Numbers result(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i)
    result[i] = values[size_t(numbers[i])];
  return result;
}
