#include "runtime/graph/Rows.h"
#include "test/runtime/graph/Graphs.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <numeric>

using namespace smex;
using namespace smex::graph;

TEST_CASE("rows hold each edge once, in order") {
  onRandomGraphs([](const Graph &graph, Die &) {
    for (const bool in : {false, true}) {
      const Rows rows = in ? byDestination(graph) : bySource(graph);
      REQUIRE(rows.rows() == graph.nodes());
      for (int64_t v = 0; v < graph.nodes(); ++v) {
        Numbers expected;
        for (int64_t e = 0; e < graph.edges(); ++e)
          if ((in ? graph.destination(e) : graph.source(e)) == v)
            expected.push_back(e);
        CHECK(Numbers(rows.begin(v), rows.end(v)) == expected);
        CHECK(rows.length(v) == int64_t(expected.size()));
      }
      CHECK(rows.offsets.front() == 0);
      CHECK(rows.offsets.back() == graph.edges());
    }
  });
}

TEST_CASE("the canonical order is by destination, then by source") {
  onRandomGraphs([](const Graph &graph, Die &) {
    Numbers expected(size_t(graph.edges()));
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(),
                     [&](int64_t a, int64_t b) {
                       return std::pair(graph.destination(a), graph.source(a)) <
                              std::pair(graph.destination(b), graph.source(b));
                     });
    CHECK(canonicalOrder(graph) == expected);
    CHECK(gather(expected, expected).size() == expected.size());
  });
}

TEST_CASE("what is no graph") {
  CHECK(wrong(Graph::make(-1, {}, {})) ==
        "a graph of -1 nodes: give a number from 0 up");
  CHECK(wrong(Graph::make(4, {1, 2}, {3})) ==
        "a graph with 2 sources of edges and 1 destinations: give as many of "
        "both");
  CHECK(wrong(Graph::make(4, {1, 4}, {3, 3})) ==
        "edge 1 leads from node 4, which is not there: the graph has 4, "
        "numbered from 0");
  CHECK(wrong(Graph::make(4, {1, 3}, {-1, 3})) ==
        "edge 0 leads to node -1, which is not there: the graph has 4, "
        "numbered from 0");
  const auto none = Graph::make(0, {}, {});
  REQUIRE(none);
  CHECK(*none == Graph());
  CHECK(bySource(*none).offsets == Numbers{0});
}

TEST_CASE("graphs in files") {
  const auto read = [](const std::string &text) {
    auto matrix = io::parseSparseMatrix(text, "g");
    REQUIRE(matrix);
    return fromMatrix(std::move(*matrix), "g");
  };
  const auto graph = read("0 3\n2 1\n0 3\n");
  REQUIRE(graph);
  CHECK(*graph == Graph::sound(4, {0, 2, 0}, {3, 1, 3}));
  const std::string market =
      "%%MatrixMarket matrix coordinate pattern general\n";
  CHECK(wrong(read(market + "2 3 1\n1 3\n")) ==
        "g: is a matrix of 2 x 3, and a graph has as many rows as columns: a "
        "row per source, a column per destination");
  // Twenty bytes are no reason to make lists of 2^39 numbers.
  CHECK(wrong(read("0 549755813887\n")) ==
        "g: a graph of 549755813888 nodes and only 1 edges: number the nodes "
        "anew, without those that have none");
  CHECK(wrong(readGraph("no/such/file.mtx")).find("no/such/file.mtx") !=
        std::string::npos);
}
