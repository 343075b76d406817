#include "compiler/graphpartition/VertexSides.h"

#include "runtime/graphpartition/Ranges.h"

#include <catch2/catch.hpp>

#include <cstdio>
#include <fstream>

using namespace smex;
using namespace smex::graphpartition;
using partition::Side;

namespace {

/// Vertex v has degrees[v] in-edges, all from vertex 0.
InNeighbours graphOf(const std::vector<int64_t> &degrees) {
  InNeighbours graph;
  for (int64_t degree : degrees) {
    graph.sources.insert(graph.sources.end(), size_t(degree), 0);
    graph.offsets.push_back(graph.edges());
  }
  return graph;
}

std::shared_ptr<const BalancedGraph> balanced(InNeighbours graph, Balance by) {
  return std::make_shared<const BalancedGraph>(
      BalancedGraph{{{std::move(graph)}}, std::move(by)});
}

Balance byEdges() {
  Balance by;
  by.kind = Balance::Kind::Edges;
  return by;
}

/// A layer that sums messages of so many numbers, over edges, per vertex.
partition::OperatorGraph layers(int64_t vertices, int64_t edges,
                                const std::vector<int64_t> &widths) {
  partition::OperatorGraph graph;
  for (int64_t width : widths) {
    partition::Operator op;
    op.result = int(graph.tensors.size());
    graph.tensors.push_back({"h", {vertices, width}});
    op.extents = {vertices, width, edges};
    graph.operators.push_back(std::move(op));
  }
  return graph;
}

std::vector<Side> sides(std::shared_ptr<const BalancedGraph> graph,
                        const partition::OperatorGraph &model = {}) {
  auto made = sidesOf(std::move(graph), model);
  REQUIRE(made);
  return std::move(*made);
}

} // namespace

TEST_CASE("what the option says") {
  REQUIRE(parseBalance("equal-vertices"));
  CHECK(parseBalance("equal-vertices")->kind == Balance::Kind::Vertices);
  CHECK(parseBalance("equal-edges")->kind == Balance::Kind::Edges);
  for (const char *wrong : {"", ".json", "equal"}) {
    const auto refused = parseBalance(wrong);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().fault == Fault::Usage);
    CHECK_THAT(refused.error().message,
               Catch::Contains("give equal-vertices, equal-edges, "
                               "greedy-edge-cap, or a cost model, FILE.json"));
  }
  const auto renumbered = parseBalance("metis");
  REQUIRE_FALSE(renumbered);
  CHECK_THAT(renumbered.error().message, Catch::Contains("renumber"));
  CHECK_FALSE(parseBalance("no_such_file.json"));
  const std::string path = "vertex_sides_model.json";
  std::ofstream(path) << R"({"format": "smex-graph-cost-model", "version": 1,
    "model": "gcn", "layers": [{"width": 16, "weights": [1, 2, 0, 0, 0]}]})";
  const auto model = parseBalance(path);
  REQUIRE(model);
  CHECK(model->kind == Balance::Kind::Model);
  CHECK(model->file == path);
  CHECK(model->model.layers.size() == 1);
  std::remove(path.c_str());
}

TEST_CASE("an edge is where the vertex is that it leads to") {
  const auto found =
      sides(balanced(graphOf({9, 1, 1, 1, 1, 1, 1, 1}), byEdges()));
  REQUIRE(found.size() == 2);
  CHECK(found[0].extent == 8);
  CHECK(found[1].extent == 16);
  CHECK(found[0].bounds({2}) == Bounds{0, 1, 8});
  CHECK(found[1].bounds({2}) == Bounds{0, 9, 16});
  // The bounds of two steps have those of the first one among them.
  const Bounds four = found[0].bounds({2, 2});
  REQUIRE(four.size() == 5);
  CHECK(four[2] == 1);
  for (size_t b = 0; b < four.size(); ++b)
    CHECK(found[1].bounds({2, 2})[b] == (four[b] == 0 ? 0 : four[b] + 8));
}

TEST_CASE("as many vertices each, whatever their edges") {
  const auto found = sides(balanced(graphOf({9, 1, 1, 0, 1, 3}), {}));
  REQUIRE(found.size() == 2);
  CHECK(found[0].bounds({3}) == Bounds{0, 2, 4, 6});
  CHECK(found[1].bounds({3}) == Bounds{0, 10, 11, 15});
}

TEST_CASE("each type of nodes is divided for itself, by all edges to it") {
  NodeType first{graphOf({4, 0, 0, 2})};
  addEdges(graphOf({0, 0, 4, 1}), first);
  addEdges(graphOf({1, 0, 0, 0}), first);
  const NodeType second{graphOf({1, 1, 7})};
  const auto found = sides(std::make_shared<const BalancedGraph>(
      BalancedGraph{{first, second}, byEdges()}));
  // 4 edges are of no graph before, and 9 are of the second type alone.
  std::vector<int64_t> lengths;
  for (const Side &side : found)
    lengths.push_back(side.extent);
  CHECK(lengths == std::vector<int64_t>{4, 6, 5, 3, 9});
  // Of 12 edges, 5 lead to the first vertex and 4 to the third.
  CHECK(found[0].bounds({2}) == Bounds{0, 2, 4});
  CHECK(found[1].bounds({2}) == Bounds{0, 4, 6});
  CHECK(found[2].bounds({2}) == Bounds{0, 0, 5});
  CHECK(found[3].bounds({2}) == Bounds{0, 2, 3});
  CHECK(found[4].bounds({2}) == Bounds{0, 2, 9});
}

TEST_CASE("where there is nothing to divide, or only once") {
  CHECK(sides(balanced(graphOf({3}), {})).empty());
  CHECK(sides(balanced(graphOf({}), {})).empty());
  // As many edges as vertices: one side cannot be cut in two ways.
  CHECK(sides(balanced(graphOf({1, 0, 2}), byEdges())).size() == 1);
  CHECK(sides(balanced(graphOf({1, 0, 0}), byEdges())).size() == 1);
}

TEST_CASE("a cost model is of a network's layers") {
  const auto graph = layers(3, 5, {16, 7});
  CHECK(messageWidths(graph, 3, 5) == std::vector<int64_t>{16, 7});
  CHECK(messageWidths(graph, 3, 6).empty());
  CHECK(messageWidths(graph, 4, 5).empty());
  Balance by;
  by.kind = Balance::Kind::Model;
  by.file = "cost.json";
  by.model.model = "gcn";
  for (const int64_t width : {16, 7}) {
    FittedLayer layer;
    layer.width = width;
    layer.weights = {1, 0, 0, 0, 0};
    by.model.layers.push_back(layer);
  }
  const auto found = sides(balanced(graphOf({3, 1, 1}), by), graph);
  REQUIRE(found.size() == 2);
  CHECK(found[0].bounds({3}) == Bounds{0, 1, 2, 3});
  const auto other =
      sidesOf(balanced(graphOf({3, 1, 1}), by), layers(3, 5, {16, 8}));
  REQUIRE_FALSE(other);
  CHECK_THAT(other.error().message, Catch::Contains("cost.json"));
}
