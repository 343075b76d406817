#include "compiler/partition/Order.h"

#include <algorithm>
#include <limits>
#include <tuple>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::network;

namespace {

/// The graph of neighbours, with the fill of every variable kept up to date:
/// the pairs of its neighbours that are not neighbours themselves.
class Neighbours {
public:
  explicit Neighbours(const FactorGraph &graph)
      : sizes(graph.sizes), of(sizes.size()), keys(sizes.size()) {
    for (const Factor &factor : graph.factors)
      for (int a : factor.scope)
        for (int b : factor.scope)
          if (a < b && !areNeighbours(a, b))
            insert(a, b);
    for (int v = 0; v < int(of.size()); ++v) {
      const int64_t degree = int64_t(of[v].size());
      int64_t fill = degree * (degree - 1) / 2;
      for (int u : of[v])
        forEachCommon(v, u, [&](int w) { fill -= w > u; });
      keys[v] = {fill, tableOf(v), v};
      waiting.push_back(keys[v]);
    }
    std::make_heap(waiting.begin(), waiting.end(), isLater);
    left = of.size();
  }

  const std::vector<int> &neighbours(int v) const { return of[v]; }
  bool empty() const { return left == 0; }

  int next() {
    while (!(waiting.front() == keys[waiting.front().variable])) {
      std::pop_heap(waiting.begin(), waiting.end(), isLater);
      waiting.pop_back();
    }
    return waiting.front().variable;
  }

  /// Entries of the table that eliminating v makes.
  int64_t tableOf(int v) const { return tableSize(sizes, of[v]); }

  void eliminate(int v) {
    const std::vector<int> clique = of[v];
    for (size_t i = 0; i < clique.size() && keys[v].fill > 0; ++i)
      for (size_t j = i + 1; j < clique.size(); ++j)
        if (!areNeighbours(clique[i], clique[j]))
          connect(clique[i], clique[j]);
    remove(v);
  }

  void remove(int v) {
    keys[v] = {};
    --left;
    for (int u : of[v]) {
      const int64_t pairsWithV = int64_t(of[u].size()) - 1;
      const int64_t missing = pairsWithV - countCommon(u, v);
      erase(of[u], v);
      update(u, -missing);
    }
    of[v].clear();
  }

private:
  struct Key {
    int64_t fill = -1, table = 0; // -1: gone
    int variable = -1;
    bool operator==(const Key &other) const {
      return fill == other.fill && table == other.table &&
             variable == other.variable;
    }
  };

  static bool isLater(const Key &a, const Key &b) {
    return std::tie(a.fill, a.table, a.variable) >
           std::tie(b.fill, b.table, b.variable);
  }

  static void insert(std::vector<int> &list, int v) {
    list.insert(std::lower_bound(list.begin(), list.end(), v), v);
  }

  static void erase(std::vector<int> &list, int v) {
    list.erase(std::lower_bound(list.begin(), list.end(), v));
  }

  void insert(int a, int b) {
    insert(of[a], b);
    insert(of[b], a);
  }

  bool areNeighbours(int a, int b) const {
    return std::binary_search(of[a].begin(), of[a].end(), b);
  }

  /// Ascending. A weight that every timestep reads has thousands of neighbours,
  /// and they have few: so the longer list is searched, not walked.
  template <typename Visit>
  void forEachCommon(int a, int b, Visit visit) const {
    const bool isLonger = of[a].size() > of[b].size();
    const std::vector<int> &few = of[isLonger ? b : a];
    const std::vector<int> &many = of[isLonger ? a : b];
    auto from = many.begin();
    for (int v : few) {
      // Doubling steps, then halves of the last one.
      std::ptrdiff_t step = 1;
      while (many.end() - from > step && from[step] < v) {
        from += step;
        step *= 2;
      }
      from = std::lower_bound(from,
                              from + std::min(step + 1, many.end() - from), v);
      if (from == many.end())
        return;
      if (*from == v)
        visit(v);
    }
  }

  int64_t countCommon(int a, int b) const {
    int64_t count = 0;
    forEachCommon(a, b, [&](int) { ++count; });
    return count;
  }

  /// After a change of v's neighbours or among them.
  void update(int v, int64_t fillChange) {
    const Key key{keys[v].fill + fillChange, tableOf(v), v};
    if (key == keys[v])
      return;
    keys[v] = key;
    waiting.push_back(key);
    std::push_heap(waiting.begin(), waiting.end(), isLater);
  }

  void connect(int a, int b) {
    std::vector<int> common;
    forEachCommon(a, b, [&](int c) { common.push_back(c); });
    for (int c : common)
      update(c, -1);
    const int64_t shared = int64_t(common.size());
    const int64_t missingOfA = int64_t(of[a].size()) - shared;
    const int64_t missingOfB = int64_t(of[b].size()) - shared;
    insert(a, b);
    update(a, missingOfA);
    update(b, missingOfB);
  }

  const std::vector<int> &sizes;
  std::vector<std::vector<int>> of; // ascending
  std::vector<Key> keys;
  std::vector<Key> waiting; // a heap; also of keys that have changed since
  size_t left = 0;
};

/// A well mixed number from two: splitmix64.
uint64_t mix(uint64_t seed, uint64_t v) {
  uint64_t z = seed * 0x9e3779b97f4a7c15 + v + 0x632be59bd9b4e019;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Eliminates the next variable.
void take(Neighbours &neighbours, Order &order) {
  const int v = neighbours.next();
  const int64_t size = neighbours.tableOf(v);
  order.largestTable = std::max(order.largestTable, size);
  if (__builtin_add_overflow(order.totalEntries, size, &order.totalEntries))
    order.totalEntries = std::numeric_limits<int64_t>::max();
  order.variables.push_back(v);
  neighbours.eliminate(v);
}

} // namespace

std::optional<Order> network::minFill(const FactorGraph &graph,
                                      int64_t maxTableEntries,
                                      int64_t maxTotalEntries) {
  Neighbours neighbours(graph);
  Order order;
  while (!neighbours.empty()) {
    take(neighbours, order);
    if (order.largestTable > maxTableEntries ||
        order.totalEntries > maxTotalEntries)
      return std::nullopt;
  }
  return order;
}

Order network::minFillForBound(const FactorGraph &graph,
                               int64_t maxTableEntries) {
  Neighbours neighbours(graph);
  Order order;
  while (!neighbours.empty()) {
    const int v = neighbours.next();
    if (neighbours.tableOf(v) <= maxTableEntries) {
      take(neighbours, order);
    } else {
      order.variables.push_back(v);
      neighbours.remove(v);
    }
  }
  return order;
}

Order network::minFillWithin(const FactorGraph &graph, int64_t maxTableEntries,
                             uint64_t seed) {
  Neighbours neighbours(graph);
  Order order;
  while (!neighbours.empty()) {
    const int v = neighbours.next();
    if (neighbours.tableOf(v) <= maxTableEntries) {
      take(neighbours, order);
      continue;
    }
    int fixed = v;
    for (int u : neighbours.neighbours(v))
      if (mix(seed, u) < mix(seed, fixed))
        fixed = u;
    order.fixed.push_back(fixed);
    neighbours.remove(fixed);
  }
  std::sort(order.fixed.begin(), order.fixed.end());
  return order;
}
