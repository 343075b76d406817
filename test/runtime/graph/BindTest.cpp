#include "runtime/graph/Bind.h"
#include "test/runtime/graph/Graphs.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace smex;
using namespace smex::graph;

static std::vector<std::pair<int64_t, int64_t>> pairs(const Ends &ends) {
  std::vector<std::pair<int64_t, int64_t>> list; // destination first
  for (int64_t e = 0; e < ends.sources.type.shape[0]; ++e)
    list.emplace_back(ends.destinations.data<int64_t>()[e],
                      ends.sources.data<int64_t>()[e]);
  return list;
}

TEST_CASE("ends are those of the graph, and of spare edges") {
  onRandomGraphs([](const Graph &graph, Die &die) {
    std::vector<std::pair<int64_t, int64_t>> expected;
    for (const auto &[from, to] : graph::pairs(graph))
      expected.emplace_back(to, from);
    std::sort(expected.begin(), expected.end());
    CHECK(pairs(endsOf(graph)) == expected);

    const Room room = {graph.nodes() + die.below(3),
                       graph.edges() + die.below(9), die.below(2) == 0};
    const auto ends = endsWithin(graph, room);
    const bool spareNodes = room.nodes > graph.nodes();
    if (room.edges > graph.edges() && !spareNodes && !room.toNone) {
      CHECK(wrong(ends).find("which could lead only to a node more") !=
            std::string::npos);
      return;
    }
    REQUIRE(ends);
    CHECK(ends->sources.type == TensorType{DType::I64, {room.edges}});
    CHECK(ends->destinations.type == TensorType{DType::I64, {room.edges}});
    const auto all = pairs(*ends);
    CHECK(std::equal(expected.begin(), expected.end(), all.begin()));
    std::map<int64_t, int64_t> edgesOf;
    for (size_t e = expected.size(); e < all.size(); ++e) {
      const auto [to, from] = all[e];
      if (spareNodes) {
        CHECK(from == to);
        CHECK(from >= graph.nodes());
        CHECK(from < room.nodes);
        ++edgesOf[from];
      } else {
        CHECK(from == 0);
        CHECK(to == -1);
      }
    }
    if (spareNodes) {
      CHECK(std::is_sorted(all.begin(), all.end()));
      const int64_t share =
          (room.edges - graph.edges()) / (room.nodes - graph.nodes());
      for (const auto &[node, edges] : edgesOf)
        CHECK(edges - share <= 1);
    }
  });
}

TEST_CASE("graphs that a plan has no room for") {
  const Graph graph = Graph::sound(3, {0, 1}, {1, 2});
  CHECK(wrong(endsWithin(graph, {2, 9, true})) ==
        "has 3 nodes, and the plan has room for 2: compile it with --dim "
        "nodes=3 or more");
  CHECK(wrong(endsWithin(graph, {3, 1, true})) ==
        "has 2 edges, and the plan has room for 1: compile it with --dim "
        "edges=2 or more");
  CHECK(wrong(endsWithin(graph, {3, 5, false})) ==
        "has all of the plan's 3 nodes, and 3 edges fewer than the plan, which "
        "could lead only to a node more: compile it with --dim nodes=4");
}

TEST_CASE("between two types of nodes, with types of edges") {
  onRandomGraphs([](const Graph &graph, Die &die) {
    if (graph.nodes() == 0)
      return;
    Relation relation = Relation::of(graph);
    relation.sourceNodes += die.below(3);
    relation.graph = Graph::sound(relation.sourceNodes, graph.sources(),
                                  graph.destinations());
    relation.types = die.numbers(graph.edges(), 4);
    Room room = {relation.destinationNodes + die.below(3),
                 graph.edges() + die.below(9), die.below(2) == 0,
                 relation.sourceNodes + die.below(3)};
    const auto ends = endsWithin(relation, room);
    const bool spareNodes = room.nodes > relation.destinationNodes &&
                            *room.sourceNodes > relation.sourceNodes;
    if (room.edges > graph.edges() && !spareNodes && !room.toNone) {
      CHECK(wrong(ends).find(" a node more: compile it with --dim NODES=") !=
            std::string::npos);
      return;
    }
    REQUIRE(ends);
    using Edge = std::tuple<int64_t, int64_t, int64_t>;
    std::vector<Edge> expected, found;
    for (int64_t e = 0; e < graph.edges(); ++e)
      expected.emplace_back(graph.destination(e), graph.source(e),
                            relation.types.empty() ? 0
                                                   : relation.types[size_t(e)]);
    for (int64_t e = 0; e < room.edges; ++e) {
      const int64_t type =
          relation.types.empty() ? 0 : ends->types.data<int64_t>()[e];
      const Edge edge = {ends->destinations.data<int64_t>()[e],
                         ends->sources.data<int64_t>()[e], type};
      if (e < graph.edges()) {
        found.push_back(edge);
        continue;
      }
      const auto [to, from, of] = edge;
      CHECK(of == 0);
      CHECK((spareNodes
                 ? to >= relation.destinationNodes && to < room.nodes &&
                       from >= relation.sourceNodes && from < *room.sourceNodes
                 : to == -1 && from == 0));
    }
    // Parallel edges keep the order of the file, whatever their types.
    std::stable_sort(expected.begin(), expected.end(),
                     [](const Edge &a, const Edge &b) {
                       return std::tie(std::get<0>(a), std::get<1>(a)) <
                              std::tie(std::get<0>(b), std::get<1>(b));
                     });
    CHECK(found == expected);
  });
}

TEST_CASE("no edges have types, too") {
  const auto none = Relation::of(Graph::sound(3, {}, {}));
  CHECK(endsOf(none).types.type == TensorType{DType::I64, {0}});
  CHECK(endsOf(Relation(none)).types.type == TensorType{DType::I64, {0}});
  const auto within = endsWithin(none, {4, 2});
  REQUIRE(within);
  CHECK(within->types.type == TensorType{DType::I64, {2}});
  CHECK(within->types.data<int64_t>()[1] == 0);
}

TEST_CASE("two types of nodes that a plan has no room for") {
  Relation relation = Relation::of(Graph::sound(3, {0, 1}, {1, 1}));
  relation.destinationNodes = 2;
  const auto message = [&](Room room) {
    return wrong(endsWithin(relation, room));
  };
  CHECK(message({2, 2, false, 2}) ==
        "has 3 nodes that edges come from, and the plan has room for 2: "
        "compile it with --dim NODES=3 or more");
  CHECK(message({1, 2, false, 3}) ==
        "has 2 nodes that edges lead to, and the plan has room for 1: compile "
        "it with --dim NODES=2 or more");
  CHECK(message({9, 3, false, 3}) ==
        "has all of the plan's 3 nodes, and 1 edges fewer than the plan, which "
        "could come only from a node more: compile it with --dim NODES=4");
}
