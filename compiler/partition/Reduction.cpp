#include "compiler/partition/Reduction.h"

#include <algorithm>
#include <numeric>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::network;

namespace {

/// First words of keys (Factors.cpp has the others).
enum KeyKind : int64_t { kGiven = -3, kSum = -4, kPick = -5, kTable = -6 };

/// Comparing every two values of a larger domain takes longer than it saves.
constexpr int kLargestCompared = 32;

/// What sees more different things than that follows none of them.
constexpr size_t kMostGroups = 12;

} // namespace

namespace smex::partition::network {

class Reducer {
public:
  Reducer(const Problem &problem, Tables &tables, int64_t maxTableEntries,
          Reduction &result)
      : tables(tables), dominance(tables), maxTableEntries(maxTableEntries),
        result(result), sizes(problem.domains), own(sizes.size(), -1),
        known(sizes.size()), degrees(sizes.size()), views(sizes.size()),
        isQueued(sizes.size()), isRemoved(sizes.size()) {
    result.total = sizes.size();
    edges.reserve(problem.binaries.size());
    edgeOf.reserve(problem.binaries.size());
    for (int size : sizes) {
      values.emplace_back(size);
      std::iota(values.back().begin(), values.back().end(), 0);
    }
    for (const Problem::Unary &unary : problem.unaries) {
      Key key{kGiven}; // by content: repeated ones are one table
      for (const Cost &cost : unary.costs)
        key.insert(key.end(), {cost.bytes, cost.tie});
      addOwn(unary.variable, tables.make(key, [&] { return unary.costs; }));
    }
    for (const Problem::Binary &binary : problem.binaries)
      add(binary.first, binary.second, given(problem, binary));
    for (int v = 0; v < int(sizes.size()); ++v)
      enqueue(v);
  }

  void run() {
    while (true) {
      if (next < queue.size()) {
        const int v = queue[next++];
        isQueued[v] = false;
        if (!isRemoved[v])
          visit(v);
      } else if (nextFew < few.size()) {
        const int v = few[nextFew++];
        if (!isRemoved[v] && degrees[v] <= 2)
          eliminate(v);
      } else {
        break;
      }
    }
    finish();
  }

private:
  struct Edge {
    int a, b; // a < b
    int table;
    bool alive;
    int other(int v) const { return v == a ? b : a; }
  };

  int given(const Problem &problem, const Problem::Binary &binary) {
    const Table &table = problem.tables[binary.table];
    const bool transposed = binary.first > binary.second;
    return tables.make({kTable, binary.table, transposed}, [&] {
      std::vector<Cost> costs = table.costs;
      for (size_t i = 0; transposed && i < costs.size(); ++i)
        costs[i] = table.at(int(i % table.rows), int(i / table.rows));
      return costs;
    });
  }

  int sum(int a, int b) {
    return tables.make({kSum, std::min(a, b), std::max(a, b)}, [&] {
      std::vector<Cost> costs = tables.costs(a);
      for (size_t i = 0; i < costs.size(); ++i)
        costs[i] += tables.costs(b)[i];
      return costs;
    });
  }

  /// Rows or columns `picked` of a table with `size` of them.
  int pick(int table, bool rows, int size, const std::vector<int> &picked) {
    Key key{kPick, table, rows, size};
    key.insert(key.end(), picked.begin(), picked.end());
    return tables.make(key, [&] {
      const std::vector<Cost> &costs = tables.costs(table);
      const int64_t others = int64_t(costs.size()) / size;
      std::vector<Cost> result;
      result.reserve(others * picked.size());
      if (rows)
        for (int row : picked)
          result.insert(result.end(), costs.begin() + row * others,
                        costs.begin() + (row + 1) * others);
      else
        for (int64_t row = 0; row < others; ++row)
          for (int column : picked)
            result.push_back(costs[row * size + column]);
      return result;
    });
  }

  void enqueue(int v) {
    if (!isQueued[v])
      queue.push_back(v);
    isQueued[v] = true;
  }

  void addOwn(int v, int table) {
    if (own[v] >= 0) {
      views[v].remove({own[v], true});
      table = sum(own[v], table);
    }
    own[v] = table;
    views[v].add({table, true});
    enqueue(v);
  }

  /// `table` has a row per value of the lower variable.
  void add(int u, int v, int table) {
    const int a = std::min(u, v), b = std::max(u, v);
    const auto [it, isNew] =
        edgeOf.try_emplace(int64_t(a) << 32 | b, int(edges.size()));
    if (isNew) {
      edges.push_back({a, b, table, true});
      for (int end : {a, b}) {
        known[end].push_back(it->second);
        ++degrees[end];
      }
      see(edges.back());
    } else {
      setTable(edges[it->second], sum(edges[it->second].table, table));
    }
  }

  void see(const Edge &edge) {
    views[edge.a].add({edge.table, true});
    views[edge.b].add({edge.table, false});
    enqueue(edge.a);
    enqueue(edge.b);
  }

  void unsee(const Edge &edge) {
    views[edge.a].remove({edge.table, true});
    views[edge.b].remove({edge.table, false});
  }

  void setTable(Edge &edge, int table) {
    unsee(edge);
    edge.table = table;
    see(edge);
  }

  /// Takes the edges away from v and its neighbours.
  std::vector<Edge> detach(int v) {
    std::vector<Edge> result;
    for (int e : known[v]) {
      Edge &edge = edges[e];
      if (!edge.alive)
        continue;
      result.push_back(edge);
      edge.alive = false;
      edgeOf.erase(int64_t(edge.a) << 32 | edge.b);
      unsee(edge);
      --degrees[v];
      const int u = edge.other(v);
      enqueue(u);
      if (--degrees[u] <= 2)
        few.push_back(u);
    }
    known[v].clear();
    isRemoved[v] = true;
    return result;
  }

  void visit(int v) {
    if (degrees[v] <= 2)
      few.push_back(v);
    if (sizes[v] > kLargestCompared)
      return;
    const std::vector<int> &left = dominance.undominated(sizes[v], views[v]);
    if (int(left.size()) < sizes[v])
      keep(v, left);
    if (sizes[v] == 1)
      return dissolve(v);
    if (views[v].groups().size() > kMostGroups)
      return;
    for (size_t g = 0; g < views[v].groups().size(); ++g) {
      const Seen seen = views[v].groups()[g].seen;
      if (seen.table == own[v])
        continue;
      const std::vector<int> &best = dominance.bestGiven(sizes[v], views[v], g);
      if (!best.empty())
        return mergeInto(*findEdge(v, seen), v, best);
    }
  }

  const Edge *findEdge(int v, Seen seen) const {
    for (int e : known[v])
      if (edges[e].alive && edges[e].table == seen.table &&
          (edges[e].a == v) == seen.isRow)
        return &edges[e];
    return nullptr;
  }

  void keep(int v, const std::vector<int> &left) {
    const int size = sizes[v];
    sizes[v] = int(left.size());
    std::vector<int> kept;
    for (int i : left)
      kept.push_back(values[v][i]);
    values[v] = std::move(kept);
    if (own[v] >= 0) {
      views[v].remove({own[v], true});
      own[v] = pick(own[v], true, size, left);
      views[v].add({own[v], true});
    }
    for (int e : known[v])
      if (edges[e].alive)
        setTable(edges[e], pick(edges[e].table, edges[e].a == v, size, left));
  }

  /// v has one value: its costs are its neighbours' own.
  void dissolve(int v) {
    result.removed.push_back({v, values[v], {}, -1, {}});
    for (const Edge &edge : detach(v))
      addOwn(edge.other(v), edge.table);
    if (own[v] >= 0)
      result.graph.factors.push_back({{}, own[v]});
  }

  /// v is `best` of the edge's other end.
  void mergeInto(Edge edge, int v, const std::vector<int> &best) {
    const int u = edge.other(v), size = sizes[v];
    result.removed.push_back(
        {v, values[v], {{u, values[u], {edge.table, edge.a == v}}}, -1, best});
    // Copies: what dominance remembers may move.
    const std::vector<int> picked = best;
    for (const Edge &each : detach(v)) {
      const int w = each.other(v);
      const int table = pick(each.table, each.a == v, size, picked);
      if (w == u) {
        addOwn(u, diagonal(table, each.a == v, sizes[u]));
        continue;
      }
      // Rows of v, now of u; the row is the lower variable's.
      add(u, w,
          (each.a == v) == (u < w)
              ? table
              : transpose(table, each.a == v ? sizes[w] : sizes[u]));
    }
    if (own[v] >= 0)
      addOwn(u, pick(own[v], true, size, picked));
    own[v] = -1;
  }

  /// Where row and column are both the a-th value of u.
  int diagonal(int table, bool, int size) {
    return tables.make({kPick, table, -1, size}, [&] {
      std::vector<Cost> costs;
      for (int i = 0; i < size; ++i)
        costs.push_back(tables.costs(table)[size_t(i) * size + i]);
      return costs;
    });
  }

  int transpose(int table, int columns) {
    return tables.make({kPick, table, -2, columns}, [&] {
      const std::vector<Cost> &costs = tables.costs(table);
      const size_t rows = costs.size() / columns;
      std::vector<Cost> result(costs.size());
      for (size_t i = 0; i < costs.size(); ++i)
        result[i % columns * rows + i / columns] = costs[i];
      return result;
    });
  }

  /// For two neighbours or fewer.
  void eliminate(int v) {
    Reduction::Removed record{v, values[v], {}, own[v], {}};
    std::vector<Factor> factors;
    std::vector<int> neighbours;
    for (int e : known[v])
      if (edges[e].alive) {
        const Edge &edge = edges[e];
        const int u = edge.other(v);
        factors.push_back({{edge.a, edge.b}, edge.table});
        neighbours.push_back(u);
        record.neighbours.push_back({u, values[u], {edge.table, edge.a == v}});
      }
    if (tableSize(sizes, neighbours) > maxTableEntries)
      return;
    if (own[v] >= 0)
      factors.push_back({{v}, own[v]});
    result.removed.push_back(std::move(record));
    detach(v);
    own[v] = -1;
    if (factors.empty())
      return;
    const Factor left = tables.eliminate(v, sizes, std::move(factors));
    if (left.scope.empty())
      result.graph.factors.push_back(left);
    else if (left.scope.size() == 1)
      addOwn(left.scope[0], left.table);
    else
      add(left.scope[0], left.scope[1], left.table);
  }

  void finish() {
    std::vector<int> numbers(sizes.size(), -1);
    for (int v = 0; v < int(sizes.size()); ++v)
      if (!isRemoved[v]) {
        numbers[v] = int(result.variables.size());
        result.variables.push_back(v);
        result.values.push_back(values[v]);
        result.graph.sizes.push_back(sizes[v]);
        if (own[v] >= 0)
          result.graph.factors.push_back({{numbers[v]}, own[v]});
      }
    for (const Edge &edge : edges)
      if (edge.alive)
        result.graph.factors.push_back(
            {{numbers[edge.a], numbers[edge.b]}, edge.table});
  }

  Tables &tables;
  Dominance dominance;
  const int64_t maxTableEntries;
  Reduction &result;
  std::vector<int> sizes;
  std::vector<int> own;                 // a table per variable, or -1
  std::vector<std::vector<int>> values; // the problem's, per variable
  std::vector<Edge> edges;
  std::unordered_map<int64_t, int> edgeOf; // of two variables
  std::vector<std::vector<int>> known;     // edges, dead ones too
  std::vector<int> degrees;
  std::vector<View> views;
  std::vector<bool> isQueued, isRemoved;
  std::vector<int> queue, few;
  size_t next = 0, nextFew = 0;
};

} // namespace smex::partition::network

Reduction::Reduction(const Problem &problem, Tables &tables,
                     int64_t maxTableEntries) {
  Reducer(problem, tables, maxTableEntries, *this).run();
}

int Reduction::valueOf(const Removed &removed, const std::vector<int> &result,
                       const Tables &tables) const {
  std::vector<Cost> costs(removed.values.size());
  if (removed.own >= 0)
    costs = tables.costs(removed.own);
  for (const auto &[neighbour, values, seen] : removed.neighbours) {
    const size_t place =
        std::find(values.begin(), values.end(), result[neighbour]) -
        values.begin();
    if (!removed.best.empty())
      return removed.values[removed.best[place]];
    const std::vector<Cost> &table = tables.costs(seen.table);
    for (size_t i = 0; i < costs.size(); ++i)
      costs[i] += table[seen.isRow ? i * values.size() + place
                                   : place * costs.size() + i];
  }
  return removed
      .values[std::min_element(costs.begin(), costs.end()) - costs.begin()];
}

std::vector<int> Reduction::expand(const std::vector<int> &chosen,
                                   const Tables &tables) const {
  std::vector<int> result(total);
  for (size_t v = 0; v < variables.size(); ++v)
    result[variables[v]] = values[v][chosen[v]];
  for (size_t r = removed.size(); r-- > 0;)
    result[removed[r].variable] = valueOf(removed[r], result, tables);
  return result;
}
