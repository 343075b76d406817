#include "compiler/partition/Reduction.h"

#include "compiler/partition/Edges.h"

#include <algorithm>
#include <numeric>
#include <optional>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::network;

namespace {

/// Comparing every two values of a larger domain takes longer than it saves.
constexpr int kLargestCompared = 32;

} // namespace

int ValueLists::number(const std::vector<int> &values) {
  key.assign(values.begin(), values.end());
  const int list = contents.number(key);
  if (list == int(lists.size()))
    lists.push_back(values);
  return list;
}

int ValueLists::all(int size) {
  if (size >= int(allLists.size()))
    allLists.resize(size + 1, -1);
  if (allLists[size] < 0) {
    std::vector<int> values(size);
    std::iota(values.begin(), values.end(), 0);
    allLists[size] = number(values);
  }
  return allLists[size];
}

int ValueLists::pick(int list, int picked) {
  const int pick = picks.number({list, picked});
  if (pick == int(pickedLists.size())) {
    std::vector<int> values;
    for (int place : lists[picked])
      values.push_back(lists[list][place]);
    pickedLists.push_back(number(values));
  }
  return pickedLists[pick];
}

namespace smex::partition::network {

class Reducer {
public:
  Reducer(const Problem &problem, Tables &tables, int64_t maxTableEntries,
          Reduction &result)
      : tables(tables), dominance(tables), maxTableEntries(maxTableEntries),
        result(result), lists(result.lists), sizes(problem.domains),
        own(sizes.size(), -1), edges(sizes.size(), 2 * problem.binaries.size()),
        views(sizes.size()), isQueued(sizes.size()), isRemoved(sizes.size()) {
    result.total = sizes.size();
    result.removed.reserve(sizes.size());
    queue.reserve(2 * sizes.size());
    for (int size : sizes)
      values.push_back(lists.all(size));
    reserveViews(problem);
    for (const Problem::Unary &unary : problem.unaries)
      addOwn(unary.variable, tables.given(unary.costs));
    std::vector<int> given(2 * problem.tables.size(), -1);
    for (const Problem::Binary &binary : problem.binaries) {
      const bool transposed = binary.first > binary.second;
      int &table = given[2 * binary.table + transposed];
      if (table < 0)
        table = tables.given(problem.tables[binary.table], transposed);
      add(binary.first, binary.second, table);
    }
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
        if (!isRemoved[v] && edges.degree(v) <= 2)
          eliminate(v);
      } else {
        break;
      }
    }
    finish();
  }

private:
  void reserveViews(const Problem &problem) {
    std::vector<int> counts(sizes.size(), 1);
    for (const Problem::Binary &binary : problem.binaries) {
      ++counts[binary.first];
      ++counts[binary.second];
    }
    for (size_t v = 0; v < sizes.size(); ++v)
      views[v].reserve(std::min(counts[v], 16));
  }

  void enqueue(int v) {
    if (!isQueued[v])
      queue.push_back(v);
    isQueued[v] = true;
  }

  void setOwn(int v, int table) {
    if (own[v] >= 0)
      views[v].remove({own[v], true});
    own[v] = table;
    views[v].add({table, true});
  }

  void addOwn(int v, int table) {
    setOwn(v, own[v] >= 0 ? tables.sum(own[v], table) : table);
    enqueue(v);
  }

  /// `table` has a row per value of the lower variable.
  void add(int u, int v, int table) {
    const int a = std::min(u, v), b = std::max(u, v);
    if (Edge *edge = edges.find(a, b))
      setTable(*edge, tables.sum(edge->table, table));
    else
      see(edges.add(a, b, table));
  }

  void see(const Edge &edge) {
    views[edge.a].add({edge.table, true});
    views[edge.b].add({edge.table, false});
    enqueue(edge.a);
    enqueue(edge.b);
  }

  void setTable(Edge &edge, int table) {
    views[edge.a].remove({edge.table, true});
    views[edge.b].remove({edge.table, false});
    edge.table = table;
    see(edge);
  }

  /// Takes v and its edges away; these, until the next call.
  const std::vector<Edge> &detach(int v) {
    detached.clear();
    edges.forEach(v, [&](Edge &edge) {
      detached.push_back(edge);
      edges.remove(edge);
      const int u = edge.other(v);
      views[u].remove({edge.table, edge.a == u});
      enqueue(u);
      if (edges.degree(u) <= 2)
        few.push_back(u);
    });
    isRemoved[v] = true;
    return detached;
  }

  void visit(int v) {
    if (edges.degree(v) <= 2)
      few.push_back(v);
    if (sizes[v] > kLargestCompared)
      return;
    const auto judge = [&]() -> const Dominance::Verdict & {
      return dominance.judge(sizes[v], views[v], own[v]);
    };
    if (const auto &left = judge().left; int(left.size()) < sizes[v])
      keep(v, lists.number(left));
    if (sizes[v] == 1)
      return dissolve(v);
    const Dominance::Verdict &verdict = judge();
    if (verdict.follows >= 0)
      mergeInto(findEdge(v, views[v].groups()[verdict.follows].seen()), v,
                lists.number(verdict.best));
  }

  Edge findEdge(int v, Seen seen) {
    std::optional<Edge> found;
    edges.forEach(v, [&](const Edge &edge) {
      if (!found && edge.table == seen.table && (edge.a == v) == seen.isRow)
        found = edge;
    });
    return *found;
  }

  void keep(int v, int list) {
    const int size = sizes[v];
    const auto pick = [&](int table, bool rows) {
      return tables.pick(table, rows, size, lists[list], list);
    };
    sizes[v] = int(lists[list].size());
    values[v] = lists.pick(values[v], list);
    if (own[v] >= 0)
      setOwn(v, pick(own[v], true));
    edges.forEach(
        v, [&](Edge &edge) { setTable(edge, pick(edge.table, edge.a == v)); });
  }

  /// v has one value: its costs are its neighbours' own.
  void dissolve(int v) {
    result.removed.push_back({v, values[v]});
    for (const Edge &edge : detach(v))
      addOwn(edge.other(v), edge.table);
    if (own[v] >= 0)
      result.graph.factors.push_back({{}, own[v]});
  }

  /// v is `best`, a list of places, of the edge's other end.
  void mergeInto(Edge edge, int v, int best) {
    const int u = edge.other(v), size = sizes[v];
    result.removed.push_back({v, values[v], -1, best});
    addNeighbour(result.removed.back(), edge);
    const auto pick = [&](int table, bool rows) {
      return tables.pick(table, rows, size, lists[best], best);
    };
    for (const Edge &each : detach(v)) {
      const int w = each.other(v);
      const int table = pick(each.table, each.a == v);
      if (w == u) {
        addOwn(u, tables.diagonal(table, sizes[u]));
        continue;
      }
      // Rows of v, now of u; the row is the lower variable's.
      add(u, w,
          (each.a == v) == (u < w)
              ? table
              : tables.transpose(table, each.a == v ? sizes[w] : sizes[u]));
    }
    if (own[v] >= 0)
      addOwn(u, pick(own[v], true));
    own[v] = -1;
  }

  void addNeighbour(Reduction::Removed &removed, const Edge &edge) {
    const int u = edge.other(removed.variable);
    removed.neighbours[removed.neighbourCount++] = {
        u, values[u], {edge.table, edge.a == removed.variable}};
  }

  /// For two neighbours or fewer.
  void eliminate(int v) {
    Reduction::Removed record{v, values[v], own[v]};
    std::vector<Factor> factors;
    std::vector<int> neighbours;
    edges.forEach(v, [&](const Edge &edge) {
      factors.push_back({{edge.a, edge.b}, edge.table});
      neighbours.push_back(edge.other(v));
      addNeighbour(record, edge);
    });
    if (tableSize(sizes, neighbours) > maxTableEntries)
      return;
    if (own[v] >= 0)
      factors.push_back({{v}, own[v]});
    result.removed.push_back(record);
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
    edges.forEach([&](const Edge &edge) {
      result.graph.factors.push_back(
          {{numbers[edge.a], numbers[edge.b]}, edge.table});
    });
  }

  Tables &tables;
  Dominance dominance;
  const int64_t maxTableEntries;
  Reduction &result;
  ValueLists &lists;
  std::vector<int> sizes;
  std::vector<int> own;    // a table per variable, or -1
  std::vector<int> values; // a list of the problem's per variable
  Edges edges;
  std::vector<Edge> detached;
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
  const std::vector<int> &choices = lists[removed.values];
  std::vector<Cost> costs(choices.size());
  if (removed.own >= 0)
    costs = tables.costs(removed.own);
  for (int n = 0; n < removed.neighbourCount; ++n) {
    const Removed::Neighbour &neighbour = removed.neighbours[n];
    const std::vector<int> &values = lists[neighbour.values];
    const size_t place =
        std::find(values.begin(), values.end(), result[neighbour.variable]) -
        values.begin();
    if (removed.best >= 0)
      return choices[lists[removed.best][place]];
    const std::vector<Cost> &table = tables.costs(neighbour.seen.table);
    for (size_t i = 0; i < costs.size(); ++i)
      costs[i] += table[neighbour.seen.isRow ? i * values.size() + place
                                             : place * costs.size() + i];
  }
  return choices[std::min_element(costs.begin(), costs.end()) - costs.begin()];
}

std::vector<int> Reduction::expand(const std::vector<int> &chosen,
                                   const Tables &tables) const {
  std::vector<int> result(total);
  for (size_t v = 0; v < variables.size(); ++v)
    result[variables[v]] = lists[values[v]][chosen[v]];
  for (size_t r = removed.size(); r-- > 0;)
    result[removed[r].variable] = valueOf(removed[r], result, tables);
  return result;
}
