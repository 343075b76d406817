#include "runtime/graph/Relation.h"
#include "runtime/graph/Batch.h"
#include "test/runtime/graph/Graphs.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

using namespace smex;
using namespace smex::graph;

namespace {

/// A list of edges in a file of its own.
struct File {
  explicit File(const std::string &text) { std::ofstream(path) << text; }
  ~File() { std::remove(path.c_str()); }
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/edges";
};

} // namespace

TEST_CASE("a relation is what the model takes of a file") {
  const File file("0 1 2\n3 0 0\n1 1 1\n");
  const auto plain = readRelation(file.path, {});
  REQUIRE(plain);
  CHECK(plain->graph == Graph::sound(4, {0, 3, 1}, {1, 0, 1}));
  CHECK(plain->sourceNodes == 4);
  CHECK(plain->destinationNodes == 4);
  CHECK(plain->types.empty());
  CHECK(plain->sizes == Numbers{4});

  const auto typed = readRelation(file.path, {true, false, 3});
  REQUIRE(typed);
  CHECK(typed->types == Numbers{2, 0, 1});

  const auto loops = readRelation(file.path, {true, true, 0});
  REQUIRE(loops);
  CHECK(loops->graph ==
        Graph::sound(4, {0, 3, 1, 0, 2, 3}, {1, 0, 1, 0, 2, 3}));
}

TEST_CASE("values that are no types of edges") {
  const auto message = [](const std::string &text) {
    const File file(text);
    return wrong(readRelation(file.path, {true, false, 3}));
  };
  CHECK(message("0 1 3\n").find("the edge from 0 to 1 has the value 3, and the "
                                "model takes types of edges from it: whole "
                                "numbers from 0 to 2") != std::string::npos);
  CHECK(message("0 1 0.5\n").find("has the value 0.5") != std::string::npos);
  CHECK(message("0 1 -1\n").find("has the value -1") != std::string::npos);
  CHECK(message("0 1\n") == "no error"); // 1
  CHECK(wrong(readRelation("/nowhere/at/all", {})).find("/nowhere/at/all") !=
        std::string::npos);
}

TEST_CASE("side by side is what a batch is") {
  onRandomGraphs([](const Graph &graph, Die &die) {
    std::vector<Graph> graphs;
    std::vector<Relation> relations;
    Numbers types, sizes;
    for (int64_t count = 1 + die.below(3); count > 0; --count) {
      graphs.push_back(count == 1 ? graph : randomGraph(die));
      relations.push_back(Relation::of(graphs.back()));
      sizes.push_back(graphs.back().nodes());
      relations.back().types = die.numbers(graphs.back().edges(), 5);
      types.insert(types.end(), relations.back().types.begin(),
                   relations.back().types.end());
    }
    const Relation all = sideBySide(relations);
    CHECK(all.graph == batch(graphs).graph);
    CHECK(all.sourceNodes == all.graph.nodes());
    CHECK(all.destinationNodes == all.graph.nodes());
    CHECK(all.types == types);
    CHECK(all.sizes == sizes);
  });
}

TEST_CASE("side by side, each type of nodes has its own numbers") {
  Relation a = {Graph::sound(3, {2}, {0}), 3, 1, {}};
  Relation b = {Graph::sound(4, {1}, {3}), 2, 4, {}};
  const Relation all = sideBySide({a, b});
  CHECK(all.graph == Graph::sound(5, {2, 4}, {0, 4}));
  CHECK(all.sourceNodes == 5);
  CHECK(all.destinationNodes == 5);
}
