#include "compiler/memory/Layouts.h"

#include <algorithm>
#include <cmath>

using namespace smex::memory;

Layouts::Counts Layouts::count(const std::vector<int> &leaves) const {
  Counts counts{std::vector<int>(list.size()), std::vector<int>(list.size())};
  for (int leaf : leaves)
    counts.marked[leaf] = 1;
  for (int node = int(list.size()) - 1; node >= 0; --node) {
    if (list[node].id >= 0)
      counts.leaves[node] = 1;
    else
      forEachChild(node, [&](int child) {
        counts.marked[node] += counts.marked[child];
        counts.leaves[node] += counts.leaves[child];
      });
  }
  return counts;
}

/// Of a node with some marks below it: at most one child has some again.
bool Layouts::split(int node, const Counts &counts, Side &side) const {
  std::vector<int> children;
  forEachChild(node, [&](int child) { children.push_back(child); });
  if (list[node].id == kOpen) {
    std::vector<int> none, all;
    int some = -1;
    for (int child : children) {
      const Mark mark = counts.of(child);
      if (mark == Mark::Some && some >= 0)
        return false;
      if (mark == Mark::Some)
        some = child;
      else
        (mark == Mark::None ? none : all).push_back(child);
    }
    if (!none.empty())
      side.without.push_back(std::move(none));
    if (some >= 0 && !split(some, counts, side))
      return false;
    side.with.insert(side.with.end(), all.begin(), all.end());
    return true;
  }
  if (counts.of(children.front()) == Mark::All ||
      counts.of(children.back()) == Mark::None)
    std::reverse(children.begin(), children.end());
  bool isInside = false;
  for (int child : children) {
    const Mark mark = counts.of(child);
    if (isInside && mark != Mark::All)
      return false;
    if (mark == Mark::None) {
      side.without.push_back({child});
      continue;
    }
    isInside = true;
    if (mark == Mark::All)
      side.with.push_back(child);
    else if (!split(child, counts, side))
      return false;
  }
  return true;
}

/// Of a fixed node, in which the marks are in the middle.
bool Layouts::splitFixed(int node, const Counts &counts, Side &low,
                         std::vector<int> &middle, Side &high) const {
  enum { Below, Inside, Above } at = Below;
  std::vector<std::vector<int>> above; // upwards
  bool fits = true;
  forEachChild(node, [&](int child) {
    const Mark mark = counts.of(child);
    if (mark == Mark::None) {
      at = at == Below ? Below : Above;
      (at == Below ? low.without : above).push_back({child});
    } else if (at == Above) {
      fits = false;
    } else if (mark == Mark::All) {
      at = Inside;
      middle.push_back(child);
    } else {
      fits = fits && split(child, counts, at == Below ? low : high);
      at = at == Below ? Inside : Above;
    }
  });
  std::reverse(above.begin(), above.end());
  high.without.insert(high.without.begin(), above.begin(), above.end());
  return fits;
}

void Layouts::appendLeaves(int node, std::vector<Piece> &pieces) const {
  for (int n = node; n < node + list[node].length; ++n)
    if (list[n].id >= 0)
      pieces.push_back({list[n].id, list[n].size});
}

bool Layouts::replace(const std::vector<int> &leaves,
                      const std::vector<Piece> &by, Replaced &replaced) {
  const Counts counts = count(leaves);
  // The lowest node above all of them.
  int root = 0;
  for (int next = 0; next >= 0 && counts.of(root) != Mark::All;) {
    next = -1;
    forEachChild(root, [&](int child) {
      if (counts.marked[child] == int(leaves.size()))
        next = child;
    });
    root = next >= 0 ? next : root;
  }
  std::vector<int> others, middle;
  Side low, high;
  if (counts.of(root) == Mark::All) {
    middle = {root};
  } else if (list[root].id == kFixed) {
    if (!splitFixed(root, counts, low, middle, high))
      return false;
  } else {
    std::vector<int> some;
    forEachChild(root, [&](int child) {
      const Mark mark = counts.of(child);
      (mark == Mark::None  ? others
       : mark == Mark::All ? middle
                           : some)
          .push_back(child);
    });
    if (some.size() > 2 || (!some.empty() && !split(some[0], counts, low)) ||
        (some.size() > 1 && !split(some[1], counts, high)))
      return false;
  }

  replaced = {{}, by};
  for (int node : low.with)
    appendLeaves(node, replaced.pieces);
  for (int node : middle)
    appendLeaves(node, replaced.pieces);
  std::reverse(high.with.begin(), high.with.end());
  for (int node : high.with)
    appendLeaves(node, replaced.pieces);
  const bool hasLow = !low.without.empty();
  if (hasLow || !high.without.empty()) {
    std::vector<Piece> outside;
    appendLeaves((hasLow ? low : high).without.front().front(), outside);
    replaced.beside = outside.front().id;
    replaced.isAbove = !hasLow;
  }

  std::vector<Node> result(list.begin(), list.begin() + root);
  result.reserve(list.size() + by.size() + 3);
  const auto copy = [&](int node) {
    result.insert(result.end(), list.begin() + node,
                  list.begin() + node + list[node].length);
  };
  const auto inNode = [&](int id, size_t children, auto append) {
    const size_t at = result.size();
    if (children > 1)
      result.push_back({id, 0, 0});
    append();
    if (children > 1)
      result[at].length = int(result.size() - at);
  };
  const auto copyAll = [&](const std::vector<int> &nodes) {
    inNode(kOpen, nodes.size(), [&] {
      for (int node : nodes)
        copy(node);
    });
  };
  const size_t inStretch = low.without.size() + 1 + high.without.size();
  inNode(kOpen, others.size() + 1, [&] {
    for (int node : others)
      copy(node);
    inNode(inStretch > 2 ? kFixed : kOpen, inStretch, [&] {
      for (const auto &nodes : low.without)
        copyAll(nodes);
      inNode(kOpen, by.size(), [&] {
        for (const Piece &piece : by)
          result.push_back({piece.id, 1, piece.size});
      });
      for (auto nodes = high.without.rbegin(); nodes != high.without.rend();
           ++nodes)
        copyAll(*nodes);
    });
  });
  const int grown = int(result.size()) - root - list[root].length;
  result.insert(result.end(), list.begin() + root + list[root].length,
                list.end());
  for (int above = 0; above < root;) {
    const bool contains = above + list[above].length > root;
    if (contains)
      result[above].length += grown;
    above += contains ? 1 : list[above].length;
  }
  list = std::move(result);
  return true;
}

double Layouts::freedom() const {
  double sum = 0;
  for (int node = 0; node < int(list.size()); ++node) {
    if (list[node].id == kFixed)
      sum += std::log(2.);
    if (list[node].id != kOpen)
      continue;
    int children = 0;
    forEachChild(node, [&](int) { ++children; });
    sum += std::lgamma(children + 1.);
  }
  return sum;
}
