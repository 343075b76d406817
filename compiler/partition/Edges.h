// The pairs of variables that share a cost, while a reduction adds and removes
// them (Reduction.h): at most one edge per pair, found fast even between two
// variables that have thousands each, as the weights of an unrolled network do.
#ifndef SMEX_COMPILER_PARTITION_EDGES_H
#define SMEX_COMPILER_PARTITION_EDGES_H

#include "compiler/partition/Numbering.h"

namespace smex::partition::network {

struct Edge {
  int a, b; // a < b
  int table;
  bool alive;
  int nextOfA, nextOfB; // edges of the same variable, or -1

  int other(int v) const { return v == a ? b : a; }
  int next(int v) const { return v == a ? nextOfA : nextOfB; }
};

class Edges {
public:
  Edges(size_t variables, size_t expected) : lists(variables) {
    all.reserve(expected);
  }

  /// A living edge, or null. Valid until the next `add`.
  Edge *find(int a, int b) {
    const int v = lists[a].length < lists[b].length ? a : b;
    if (isHub(v))
      return findBetweenHubs(a, b);
    int e = lists[v].first;
    while (e >= 0 && !(all[e].alive && all[e].a == a && all[e].b == b))
      e = all[e].next(v);
    return e < 0 ? nullptr : &all[e];
  }

  Edge &add(int a, int b, int table) {
    const int e = int(all.size());
    all.push_back({a, b, table, true, -1, -1});
    append(a, e);
    append(b, e);
    return all[e];
  }

  /// The living edges of a variable, oldest first.
  template <typename Visit> void forEach(int v, Visit visit) {
    for (int e = lists[v].first; e >= 0; e = all[e].next(v))
      if (all[e].alive)
        visit(all[e]);
  }

  int degree(int v) const { return lists[v].degree; }

  void remove(Edge &edge) {
    edge.alive = false;
    --lists[edge.a].degree;
    --lists[edge.b].degree;
  }

  /// All living ones, oldest first.
  template <typename Visit> void forEach(Visit visit) const {
    for (const Edge &edge : all)
      if (edge.alive)
        visit(edge);
  }

private:
  /// The edges of a variable, dead ones too.
  struct List {
    int first = -1, last = -1;
    int length = 0, degree = 0;
  };

  /// A list too long to be walked for each edge that is looked for.
  static constexpr int kLongList = 32;
  bool isHub(int v) const { return lists[v].length > kLongList; }

  /// Edges between hubs are few, and have numbers.
  void numberBetweenHubs(int e) {
    const int pair = pairs.number({all[e].a, all[e].b});
    if (pair == int(edgeOf.size()))
      edgeOf.push_back(e);
    edgeOf[pair] = e;
  }

  Edge *findBetweenHubs(int a, int b) {
    const int pair = pairs.number({a, b});
    if (pair == int(edgeOf.size()))
      edgeOf.push_back(-1);
    const int e = edgeOf[pair];
    return e >= 0 && all[e].alive ? &all[e] : nullptr;
  }

  void append(int v, int e) {
    List &list = lists[v];
    if (list.last < 0) {
      list.first = e;
    } else {
      Edge &last = all[list.last];
      (last.a == v ? last.nextOfA : last.nextOfB) = e;
    }
    list.last = e;
    ++list.length;
    ++list.degree;
    const auto number = [&](int edge) {
      if (all[edge].alive && isHub(all[edge].other(v)))
        numberBetweenHubs(edge);
    };
    if (list.length > kLongList + 1)
      number(e);
    else if (list.length == kLongList + 1)
      for (int of = list.first; of >= 0; of = all[of].next(v))
        number(of);
  }

  std::vector<Edge> all;
  std::vector<List> lists;
  Numbering pairs; // of hubs
  std::vector<int> edgeOf;
};

} // namespace smex::partition::network

#endif
