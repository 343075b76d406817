#include "runtime/graph/LevelPlaces.h"

#include "runtime/graph/Change.h"
#include "runtime/graph/Components.h"
#include "runtime/graph/Levels.h"

#include <algorithm>
#include <map>

using namespace smex;
using namespace smex::graph;

namespace {

/// Levels below the highest of both ends of edges, sources first.
using Pair = std::pair<int64_t, int64_t>;

/// What a graph, or a connected part of one, needs: of each depth (levels below
/// the highest one) how many nodes, of each pair of them how many edges.
struct Need {
  std::map<int64_t, int64_t> nodes;
  std::map<Pair, int64_t> edges;

  int64_t height() const { return int64_t(nodes.size()); }
};

/// Edges on the longest path that leads from each node.
Result<Numbers> depthsOf(const Graph &graph) {
  auto levels = topologicalLevels(reversed(graph));
  if (levels)
    return std::move(levels->level);
  // The cycle in the direction of its edges.
  auto cycle = topologicalLevels(graph);
  return cycle.takeError();
}

/// Connected parts, the tallest first.
struct Parts {
  Rows nodes, edges;
  Numbers order;
};

Parts partsOf(const Graph &graph, const Numbers &depth) {
  const Numbers first = componentsOf(graph);
  Parts parts;
  parts.nodes = groupBy(first, graph.nodes());
  parts.edges = groupBy(gather(first, graph.sources()), graph.nodes());
  int64_t tallest = 0;
  for (int64_t each : depth)
    tallest = std::max(tallest, each);
  Numbers some,
      missing; // parts, and how much shorter than the tallest they are
  for (int64_t v = 0; v < graph.nodes(); ++v) {
    if (parts.nodes.length(v) == 0)
      continue;
    int64_t height = 0;
    for (const int64_t *n = parts.nodes.begin(v); n != parts.nodes.end(v); ++n)
      height = std::max(height, depth[size_t(*n)]);
    some.push_back(v);
    missing.push_back(tallest - height);
  }
  parts.order = gather(some, groupBy(missing, tallest + 1).order);
  return parts;
}

/// Room that parts have not taken yet.
class RoomLeft {
public:
  explicit RoomLeft(const std::vector<LevelRoom> &rooms) : left(rooms) {}

  int64_t count() const { return int64_t(left.size()); }

  /// Room that is left; nothing where there is none of the kind.
  int64_t *nodes(int64_t depth) {
    return depth < count() ? &left[size_t(count() - 1 - depth)].nodes : nullptr;
  }
  int64_t *edges(Pair depths) {
    if (depths.first >= count())
      return nullptr;
    const int64_t from = count() - 1 - depths.first;
    for (PairRoom &pair : left[size_t(count() - 1 - depths.second)].from)
      if (pair.from == from)
        return &pair.edges;
    return nullptr;
  }

  bool fits(const Need &need, int64_t lower) {
    for (const auto &[depth, count] : need.nodes)
      if (const int64_t *room = nodes(depth + lower); !room || *room < count)
        return false;
    for (const auto &[depths, count] : need.edges)
      if (const int64_t *room =
              edges({depths.first + lower, depths.second + lower});
          !room || *room < count)
        return false;
    return true;
  }

  void take(const Need &need, int64_t lower) {
    for (const auto &[depth, count] : need.nodes)
      *nodes(depth + lower) -= count;
    for (const auto &[depths, count] : need.edges)
      *edges({depths.first + lower, depths.second + lower}) -= count;
  }

private:
  std::vector<LevelRoom> left;
};

Need needOf(const Graph &graph, const Numbers &depth) {
  Need need;
  for (int64_t each : depth)
    ++need.nodes[each];
  for (int64_t e = 0; e < graph.edges(); ++e)
    ++need.edges[{depth[size_t(graph.source(e))],
                  depth[size_t(graph.destination(e))]}];
  return need;
}

Need needOf(const Graph &graph, const Numbers &depth, const Parts &parts,
            int64_t part) {
  Need need;
  for (auto *v = parts.nodes.begin(part); v != parts.nodes.end(part); ++v)
    ++need.nodes[depth[size_t(*v)]];
  for (auto *e = parts.edges.begin(part); e != parts.edges.end(part); ++e)
    ++need.edges[{depth[size_t(graph.source(*e))],
                  depth[size_t(graph.destination(*e))]}];
  return need;
}

/// Why not all of it is on the highest levels.
Error tooMuch(const Need &all, RoomLeft rooms) {
  const int64_t top = rooms.count() - 1;
  if (all.height() > rooms.count())
    return fail("has a path of ", all.height(), " nodes, and the plan has ",
                "room for ", rooms.count(), " levels: ", compileForIt);
  for (const auto &[depth, count] : all.nodes)
    if (const int64_t room = *rooms.nodes(depth); room < count)
      return fail("has ", count, " nodes for level ", top - depth, " of 0 to ",
                  top, ", where the plan has room for ", room,
                  ", and lower levels have none for the rest: ", compileForIt);
  for (const auto &[depths, count] : all.edges) {
    const int64_t *room = rooms.edges(depths);
    if (!room)
      return fail("has ", count, " edges from level ", top - depths.first,
                  " to level ", top - depths.second, ", and the plan has room ",
                  "for none: compile it with a sample that has such edges as ",
                  "--graph");
    if (*room < count)
      return fail("has ", count, " edges from level ", top - depths.first,
                  " to level ", top - depths.second, ", where the plan has ",
                  "room for ", *room, ", and lower levels have none for the ",
                  "rest: ", compileForIt);
  }
  return fail("does not fit the levels of the plan: ", compileForIt);
}

} // namespace

Result<std::vector<LevelRoom>> graph::levelsOf(const Graph &graph) {
  const auto depth = depthsOf(graph);
  if (!depth)
    return depth.error();
  const Need need = needOf(graph, *depth);
  const int64_t top = need.height() - 1;
  std::vector<LevelRoom> levels(size_t(need.height()));
  for (const auto &[each, count] : need.nodes)
    levels[size_t(top - each)].nodes = count;
  for (const auto &[depths, count] : need.edges)
    levels[size_t(top - depths.second)].from.push_back(
        {top - depths.first, count});
  for (LevelRoom &level : levels)
    std::sort(
        level.from.begin(), level.from.end(),
        [](const PairRoom &a, const PairRoom &b) { return a.from < b.from; });
  return levels;
}

Result<Numbers> graph::levelsWithin(const Graph &graph,
                                    const std::vector<LevelRoom> &rooms) {
  auto depth = depthsOf(graph);
  if (!depth)
    return depth;
  RoomLeft left(rooms);
  Numbers level = std::move(*depth);
  const Parts parts = partsOf(graph, level);
  const int64_t top = left.count() - 1;
  Numbers lower(level.size(), 0); // by part
  for (int64_t part : parts.order) {
    const Need need = needOf(graph, level, parts, part);
    int64_t &by = lower[size_t(part)];
    while (!left.fits(need, by))
      if (++by + need.height() > left.count())
        return tooMuch(needOf(graph, level), RoomLeft(rooms));
    left.take(need, by);
  }
  for (int64_t part : parts.order)
    for (auto *v = parts.nodes.begin(part); v != parts.nodes.end(part); ++v)
      level[size_t(*v)] = top - level[size_t(*v)] - lower[size_t(part)];
  return level;
}
