// Nodes in buckets and on levels that are given: each list against what it is
// for, on every place; and what fits against all ways to try.
#include "runtime/graph/Layout.h"
#include "runtime/graph/Batch.h"
#include "runtime/graph/Buckets.h"
#include "runtime/graph/LevelPlaces.h"
#include "test/runtime/graph/Graphs.h"

#include <algorithm>
#include <map>

using namespace smex;
using namespace smex::graph;
using Kind = GraphList::Kind;

namespace {

/// All lists of a graph, as numbers.
class Lists {
public:
  Lists(const Graph &graph, const Rooms &rooms) {
    const auto all = listsOf(rooms);
    const auto tensors = layOut(graph, rooms, all);
    REQUIRE(tensors);
    REQUIRE(tensors->size() == all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      const Tensor &tensor = (*tensors)[i];
      const auto type = typeOf(all[i], rooms);
      REQUIRE(type);
      REQUIRE(tensor.type == type->type);
      Numbers &numbers = lists[all[i]];
      for (int64_t k = 0; k < tensor.type.shape[0]; ++k)
        numbers.push_back(tensor.type.dtype == DType::I32
                              ? tensor.data<int32_t>()[k]
                              : tensor.data<int64_t>()[k]);
      for (int64_t number : numbers)
        CHECK((type->low <= number && number <= type->high));
    }
  }
  const Numbers &operator()(Kind kind, size_t at = 0, int64_t from = 0) const {
    return lists.at({kind, int64_t(at), from});
  }

private:
  std::map<GraphList, Numbers> lists;
};

/// Rows hold each node once, where `places` says, and else -1.
void checkRows(const Numbers &nodes, const Numbers &places, int64_t count) {
  int64_t used = 0;
  for (int64_t node : nodes)
    used += node >= 0;
  CHECK(used == count);
  for (size_t v = 0; v < places.size(); ++v) {
    if (int64_t(v) >= count)
      CHECK(places[v] == -1);
    else
      CHECK(nodes[size_t(places[v])] == int64_t(v));
  }
}

/// Ends of edges in the order that models see.
std::vector<std::pair<int64_t, int64_t>> canonicalPairs(const Graph &graph) {
  std::vector<std::pair<int64_t, int64_t>> list;
  for (int64_t e : canonicalOrder(graph))
    list.emplace_back(graph.source(e), graph.destination(e));
  return list;
}

void checkBuckets(const Graph &graph, const Rooms &rooms, const Lists &lists) {
  const Numbers &nodes = lists(Kind::BucketNodes),
                &edges = lists(Kind::BucketEdges);
  checkRows(nodes, lists(Kind::BucketPlaces), graph.nodes());
  std::vector<Numbers> received(size_t(graph.nodes()));
  const auto pairs = canonicalPairs(graph);
  for (size_t e = 0; e < pairs.size(); ++e)
    received[size_t(pairs[e].second)].push_back(int64_t(e));
  size_t row = 0, edge = 0;
  for (size_t b = 0; b < rooms.buckets.size(); ++b) {
    const BucketRoom &room = rooms.buckets[b];
    int64_t before = -1;
    for (int64_t i = 0; i < room.nodes; ++i, ++row) {
      Numbers messages;
      if (nodes[row] >= 0) {
        CHECK(nodes[row] > before);
        before = nodes[row];
        messages = received[size_t(nodes[row])];
      }
      CHECK(lists(Kind::BucketLengths, b)[size_t(i)] ==
            int64_t(messages.size()));
      REQUIRE(int64_t(messages.size()) <= room.width);
      messages.resize(size_t(room.places()), -1);
      const auto at = edges.begin() + int64_t(edge);
      CHECK(Numbers(at, at + room.places()) == messages);
      edge += messages.size();
    }
  }
  CHECK(edge == edges.size());
}

void checkLevels(const Graph &graph, const Rooms &rooms, const Lists &lists) {
  const Numbers &nodes = lists(Kind::LevelNodes);
  checkRows(nodes, lists(Kind::LevelPlaces), graph.nodes());
  // Edges by both levels, in the order of edges; rows within the level.
  std::map<std::pair<int64_t, int64_t>,
           std::vector<std::pair<int64_t, int64_t>>>
      expected;
  const auto placeOf = [&](int64_t node) {
    const int64_t row = lists(Kind::LevelPlaces)[size_t(node)];
    size_t level = 0;
    while (rooms.firstRow(level + 1) <= row)
      ++level;
    return std::pair(int64_t(level), row - rooms.firstRow(level));
  };
  for (const auto &[from, to] : canonicalPairs(graph)) {
    const auto a = placeOf(from), b = placeOf(to);
    REQUIRE(a.first < b.first);
    expected[{a.first, b.first}].emplace_back(a.second, b.second);
  }
  size_t edges = 0;
  for (size_t l = 0; l < rooms.levels.size(); ++l) {
    int64_t used = 0;
    for (int64_t r = 0; r < rooms.rows(l); ++r)
      used += nodes[size_t(rooms.firstRow(l) + r)] >= 0;
    CHECK(used <= rooms.levels[l].nodes);
    size_t at = 0;
    for (const PairRoom &pair : rooms.levels[l].from) {
      const Numbers &sources = lists(Kind::LevelSources, l, pair.from);
      const auto &real = expected[{pair.from, int64_t(l)}];
      for (size_t e = 0; e < sources.size(); ++e, ++at) {
        const int64_t to = lists(Kind::LevelDestinations, l)[at];
        if (e < real.size())
          CHECK(std::pair(sources[e], to) == real[e]);
        else
          CHECK((sources[e] == -1 && to >= used && to < rooms.rows(l)));
      }
      edges += real.size();
    }
  }
  CHECK(int64_t(edges) == graph.edges());
}

Rooms bucketRooms(const Graph &graph, std::optional<double> share) {
  Rooms rooms = roomsFor(graph, share);
  addBuckets(byDestination(graph), share, rooms);
  CHECK(check(rooms));
  return rooms;
}

Rooms levelRooms(const Graph &graph, std::optional<double> share) {
  Rooms rooms = roomsFor(graph, share);
  REQUIRE(addLevels(graph, share, rooms));
  CHECK(check(rooms));
  return rooms;
}

constexpr std::optional<double> shares[] = {std::nullopt, 0.0, 0.25, 2.0};

} // namespace

TEST_CASE("a sample fits its own rooms, and each node and edge has a place") {
  onRandomGraphs([](const Graph &graph, Die &) {
    for (const auto &share : shares) {
      const Rooms rooms = bucketRooms(graph, share);
      if (!rooms.buckets.empty())
        checkBuckets(graph, rooms, Lists(graph, rooms));
    }
  });
  onRandomGraphs(
      [](const Graph &graph, Die &) {
        for (const auto &share : shares) {
          const Rooms rooms = levelRooms(graph, share);
          if (!rooms.levels.empty())
            checkLevels(graph, rooms, Lists(graph, rooms));
        }
      },
      true);
}

TEST_CASE("rooms that are exact hold nothing else") {
  onRandomGraphs(
      [](const Graph &graph, Die &) {
        Rooms rooms = bucketRooms(graph, std::nullopt);
        REQUIRE(addLevels(graph, std::nullopt, rooms));
        CHECK(rooms.bucketRows() == graph.nodes());
        CHECK(rooms.levelRows() == graph.nodes());
        int64_t edges = 0;
        for (const LevelRoom &level : rooms.levels)
          edges += level.edges();
        CHECK(edges == graph.edges());
        if (graph.nodes() > 0)
          checkBuckets(graph, rooms, Lists(graph, rooms));
      },
      true);
}

TEST_CASE("another graph fits a sample's rooms, or is too large for one") {
  int fit = 0, refused = 0;
  const auto tryOn = [&](const Graph &other, const Rooms &rooms, auto check) {
    const auto lists = layOut(other, rooms, {});
    (lists ? fit : refused) += 1;
    if (lists)
      check(other, rooms, Lists(other, rooms));
    else
      CHECK_THAT(lists.error().message, Catch::Contains(": compile it with "));
  };
  onRandomGraphs(
      [&](const Graph &graph, Die &die) {
        const Graph other = randomGraph(die, true);
        tryOn(other, bucketRooms(graph, 0.5), checkBuckets);
        if (graph.nodes() > 0)
          tryOn(other, levelRooms(graph, 0.5), checkLevels);
      },
      true);
  CHECK(fit > 100);
  CHECK(refused > 100);
}

/// Whether nodes of these degrees have places in some order: all are tried.
static bool fitsSomehow(const Numbers &degrees, std::vector<BucketRoom> rooms,
                        size_t next = 0) {
  if (next == degrees.size())
    return true;
  for (BucketRoom &room : rooms)
    if (room.width >= degrees[next] && room.nodes > 0) {
      --room.nodes;
      const bool fits = fitsSomehow(degrees, rooms, next + 1);
      ++room.nodes;
      if (fits)
        return true;
    }
  return false;
}

TEST_CASE("nodes have buckets if there is any way to place them") {
  Die die{std::mt19937(11)};
  int fit = 0;
  for (int round = 0; round < 2000; ++round) {
    Numbers degrees = die.numbers(die.below(7), 4), destinations;
    for (size_t v = 0; v < degrees.size(); ++v)
      destinations.insert(destinations.end(), size_t(degrees[v]), int64_t(v));
    std::vector<BucketRoom> rooms;
    for (int64_t width = die.below(2); width < 5; width += 1 + die.below(3))
      rooms.push_back({width, die.below(4)});
    const Rows edges = groupBy(destinations, int64_t(degrees.size()));
    const auto found = bucketsWithin(edges, rooms);
    CHECK(bool(found) == fitsSomehow(degrees, rooms));
    if (!found)
      continue;
    ++fit;
    Numbers used(rooms.size(), 0);
    for (size_t v = 0; v < degrees.size(); ++v) {
      const size_t b = size_t((*found)[v]);
      CHECK(rooms[b].width >= degrees[v]);
      ++used[b];
    }
    for (size_t b = 0; b < rooms.size(); ++b)
      CHECK(used[b] <= rooms[b].nodes);
    // None is in a wider bucket than it must be: a narrower one is full.
    for (size_t v = 0; v < degrees.size(); ++v)
      for (size_t b = 0; int64_t(b) < (*found)[v]; ++b)
        CHECK((rooms[b].width < degrees[v] || used[b] == rooms[b].nodes));
  }
  CHECK(fit > 300);
  CHECK(fit < 1700);
}

/// A path of so many nodes.
static Graph path(int64_t nodes) {
  Numbers from, to;
  for (int64_t v = 0; v + 1 < nodes; ++v) {
    from.push_back(v);
    to.push_back(v + 1);
  }
  return Graph::sound(nodes, from, to);
}

/// Whether paths of these lengths have places on levels: all are tried.
static bool pathsFit(const Numbers &lengths, std::vector<LevelRoom> rooms,
                     size_t next = 0) {
  if (next == lengths.size())
    return true;
  for (size_t first = 0; first + size_t(lengths[next]) <= rooms.size();
       ++first) {
    std::vector<LevelRoom> left = rooms;
    bool fits = true;
    for (size_t l = first; l < first + size_t(lengths[next]); ++l) {
      fits &= --left[l].nodes >= 0;
      if (l > first)
        fits &= !left[l].from.empty() && --left[l].from.back().edges >= 0;
    }
    if (fits && pathsFit(lengths, left, next + 1))
      return true;
  }
  return false;
}

TEST_CASE("trees lie lower where the highest levels are full") {
  const std::vector<LevelRoom> rooms = {{1, {}}, {2, {{0, 2}}}, {2, {{1, 1}}}};
  CHECK(*levelsWithin(path(2), rooms) == Numbers{1, 2});
  CHECK(*levelsWithin(batch({path(2), path(2)}).graph, rooms) ==
        Numbers{1, 2, 0, 1});
  // The tallest is first.
  CHECK(*levelsWithin(batch({path(1), path(1), path(3)}).graph, rooms) ==
        Numbers{2, 1, 0, 1, 2});
  CHECK(wrong(levelsWithin(batch({path(2), path(2), path(2)}).graph, rooms)) ==
        std::string("has 3 nodes for level 2 of 0 to 2, where the plan has "
                    "room for 2, and lower levels have none for the rest: ") +
            compileForIt);
  int fit = 0, missed = 0;
  Die die{std::mt19937(5)};
  for (int round = 0; round < 2000; ++round) {
    std::vector<LevelRoom> levels;
    for (int64_t l = 0; l < 1 + die.below(4); ++l) {
      levels.push_back({die.below(4), {}});
      if (l)
        levels.back().from.push_back({l - 1, die.below(4)});
    }
    Numbers lengths = die.numbers(die.below(5), 3);
    std::vector<Graph> paths;
    for (int64_t &length : lengths)
      paths.push_back(path(++length));
    const auto found = levelsWithin(batch(paths).graph, levels);
    const bool possible = pathsFit(lengths, levels);
    fit += bool(found);
    CHECK((possible || !found));
    missed += possible && !found;
  }
  CHECK(fit > 300);
  CHECK(missed < 40); // by first fit
}

TEST_CASE("edges may be as long as the sample's, from any level") {
  // Nodes 0 to 5 in a row, and one edge past two of them.
  Graph sample = path(6);
  Numbers from = sample.sources(), to = sample.destinations();
  from.push_back(0), to.push_back(3);
  const Rooms rooms = levelRooms(Graph::sound(6, from, to), 0.25);
  for (int64_t v = 0; v < 3; ++v) {
    from.back() = v, to.back() = v + 3;
    const Graph other = Graph::sound(6, from, to);
    checkLevels(other, rooms, Lists(other, rooms));
    to.back() = v + 2;
    const Graph shorter = Graph::sound(6, from, to);
    checkLevels(shorter, rooms, Lists(shorter, rooms));
  }
  from.back() = 0, to.back() = 4;
  CHECK(wrong(layOut(Graph::sound(6, from, to), rooms, {})) ==
        "has 1 edges from level 3 to level 7, and the plan has room for none: "
        "compile it with a sample that has such edges as --graph");
}

TEST_CASE("what does not fit is said") {
  const std::string end = std::string(": ") + compileForIt;
  Rooms rooms;
  rooms.nodes = 4;
  rooms.edges = 3;
  CHECK(wrong(layOut(path(5), rooms, {})) ==
        "has 5 nodes, and the plan has room for 4" + end);
  const Graph hub = Graph::sound(4, {0, 1, 2, 3}, {3, 3, 3, 2});
  CHECK(wrong(layOut(hub, rooms, {})) ==
        "has 4 edges, and the plan has room for 3" + end);
  rooms.edges = 4;
  rooms.buckets = {{1, 2}, {2, 2}};
  CHECK(wrong(layOut(hub, rooms, {})) ==
        "has 1 nodes that receive 3 messages or more, and the plan has room "
        "for 0 such nodes" +
            end);
  rooms.buckets = {{1, 2}, {3, 1}};
  CHECK(wrong(layOut(hub, rooms, {})) ==
        "has 4 nodes that receive 0 messages or more, and the plan has room "
        "for 3 such nodes" +
            end);
  rooms.buckets.clear();
  rooms.levels = {{4, {}}, {4, {{0, 4}}}};
  CHECK(wrong(layOut(path(3), rooms, {})) ==
        "has a path of 3 nodes, and the plan has room for 2 levels" + end);
  rooms.levels = {{4, {}}, {4, {{0, 4}}}, {4, {{1, 4}}}};
  const Graph skip = Graph::sound(3, {0, 1, 0}, {1, 2, 2});
  CHECK(wrong(layOut(skip, rooms, {})) ==
        "has 1 edges from level 0 to level 2, and the plan has room for none: "
        "compile it with a sample that has such edges as --graph");
  CHECK_THAT(wrong(layOut(Graph::sound(2, {0, 1}, {1, 0}), rooms, {})),
             Catch::Contains("a cycle of 2 nodes, 1 -> 0 -> 1;"));
}
