// Which features go with which edge of a model.
#include "runtime/graph/Bind.h"
#include "test/runtime/graph/Graphs.h"

#include <set>

using namespace smex;
using namespace smex::graph;

namespace {
/// Edge e of the files has the value e + 1.
Relation numbered(const Graph &graph, bool selfLoops) {
  Relation relation = Relation::of(graph);
  for (int64_t e = 0; e < graph.edges(); ++e)
    relation.values.push_back(float(e + 1));
  return selfLoops ? withSelfLoops(std::move(relation)) : relation;
}

/// Each of the files' edges is there once, with its ends and its value; what is
/// in no file is a self-loop that was added, or spare.
void checkRows(const Graph &files, const Relation &relation, const Ends &ends,
               const Numbers &rows) {
  REQUIRE(ends.sources.type.shape[0] == int64_t(rows.size()));
  REQUIRE(ends.values.type == TensorType{DType::F32, {int64_t(rows.size())}});
  REQUIRE(ends.added.type == TensorType{DType::Bool, {int64_t(rows.size())}});
  std::set<int64_t> seen;
  int64_t loops = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const int64_t source = ends.sources.data<int64_t>()[i];
    const int64_t destination = ends.destinations.data<int64_t>()[i];
    const bool added = ends.added.bytes[i] == std::byte(1);
    CHECK(ends.values.data<float>()[i] == float(rows[i] + 1));
    if (rows[i] < 0) {
      loops += added;
      if (added)
        CHECK((source == destination && source < files.nodes()));
      else
        CHECK((source >= files.nodes() || destination == -1));
      continue;
    }
    CHECK_FALSE(added);
    CHECK(seen.insert(rows[i]).second);
    CHECK(source == files.source(rows[i]));
    CHECK(destination == files.destination(rows[i]));
  }
  CHECK(int64_t(seen.size()) == files.edges());
  CHECK(loops == relation.loops);
}
} // namespace

TEST_CASE("rows of edges are where the edges are") {
  onRandomGraphs([](const Graph &graph, Die &die) {
    const Relation relation = numbered(graph, die.below(2) == 0);
    CHECK(relation.fileEdges() == graph.edges());
    const Room room = {graph.nodes() + die.below(3),
                       relation.graph.edges() + die.below(4), true};
    const auto within = endsWithin(relation, room);
    REQUIRE(within);
    checkRows(graph, relation, *within, edgeRows(relation, room.edges));
    const Numbers rows = edgeRows(relation, relation.graph.edges());
    checkRows(graph, relation, endsOf(relation), rows);
    checkRows(graph, relation, endsOf(Relation(relation)), rows);
  });
}

TEST_CASE(
    "rows of several graphs are those of their files, one after another") {
  onRandomGraphs([](const Graph &graph, Die &die) {
    const Graph other = randomGraph(die);
    const bool loops = die.below(2) == 0;
    Relation both =
        sideBySide({numbered(graph, loops), numbered(other, loops)});
    Numbers sources = graph.sources(), destinations = graph.destinations();
    for (int64_t e = 0; e < other.edges(); ++e) {
      sources.push_back(other.source(e) + graph.nodes());
      destinations.push_back(other.destination(e) + graph.nodes());
    }
    const Graph files =
        Graph::sound(graph.nodes() + other.nodes(), std::move(sources),
                     std::move(destinations));
    CHECK(both.fileEdges() == files.edges());
    REQUIRE(int64_t(both.values.size()) == files.edges());
    for (size_t e = 0; e < both.values.size(); ++e) {
      const bool first = int64_t(e) < graph.edges();
      CHECK(both.values[e] ==
            float(int64_t(e) + 1 - (first ? 0 : graph.edges())));
      both.values[e] = float(e + 1);
    }
    checkRows(files, both, endsOf(both), edgeRows(both, both.graph.edges()));
    // Self-loops are the same, wherever they are added.
    CHECK((loops ? withSelfLoops(both).loops : both.loops) == both.loops);
  });
}
