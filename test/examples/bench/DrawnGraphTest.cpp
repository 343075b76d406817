#include "examples/bench/DrawnGraph.h"

#include "runtime/graph/Graph.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

using namespace smex;
using bench::DrawnGraph;

static void checkRows(const DrawnGraph &graph, int64_t nodes, int64_t edges) {
  REQUIRE(graph.nodes() == nodes);
  REQUIRE(graph.edges() == edges);
  CHECK(graph.starts.front() == 0);
  CHECK(graph.starts.back() == edges);
  for (int64_t v = 0; v < nodes; ++v) {
    const auto from = graph.ends.begin() + graph.starts[size_t(v)],
               to = graph.ends.begin() + graph.starts[size_t(v) + 1];
    REQUIRE(from <= to);
    CHECK(std::is_sorted(from, to));
    CHECK((from == to || (*from >= 0 && *(to - 1) < nodes)));
  }
}

/// Edges out of, and into, the node that has most.
static std::pair<int64_t, int64_t> most(const DrawnGraph &graph) {
  std::vector<int64_t> in(size_t(graph.nodes())), out;
  for (int32_t end : graph.ends)
    ++in[size_t(end)];
  for (int64_t v = 0; v < graph.nodes(); ++v)
    out.push_back(graph.starts[size_t(v) + 1] - graph.starts[size_t(v)]);
  return {*std::max_element(out.begin(), out.end()),
          *std::max_element(in.begin(), in.end())};
}

TEST_CASE("uniform graphs have no hubs") {
  const DrawnGraph graph = bench::drawUniform(1000, 50000, 3);
  checkRows(graph, 1000, 50000);
  CHECK(most(graph).first < 100); // mean 50, standard deviation 7
  CHECK(most(graph).second < 100);
  CHECK(graph.ends == bench::drawUniform(1000, 50000, 3).ends);
  CHECK(graph.ends != bench::drawUniform(1000, 50000, 4).ends);
}

TEST_CASE("R-MAT has hubs, as large as its skew says") {
  // The largest of 1000 nodes is the one that is first ten times.
  for (const double skew : {0.76, 0.62}) {
    const DrawnGraph graph = bench::drawRmat(1000, 100000, skew, 3);
    checkRows(graph, 1000, 100000);
    const double expected = 100000 * std::pow(skew, 10);
    for (const int64_t hub : {most(graph).first, most(graph).second}) {
      CHECK(double(hub) > 0.8 * expected);
      CHECK(double(hub) < 1.25 * expected);
    }
  }
}

TEST_CASE("nodes in order of degree are the same graph") {
  const DrawnGraph graph = bench::drawRmat(500, 20000, 0.7, 3);
  const DrawnGraph sorted = bench::inOrderOfDegree(graph);
  checkRows(sorted, 500, 20000);
  // Out-degree and in-degree of each node, in any order.
  const auto degreesOf = [](const DrawnGraph &of) {
    std::vector<std::pair<int64_t, int64_t>> degrees;
    for (int64_t v = 0; v < of.nodes(); ++v)
      degrees.push_back({0, of.starts[size_t(v) + 1] - of.starts[size_t(v)]});
    for (int32_t end : of.ends)
      ++degrees[size_t(end)].first;
    return degrees;
  };
  auto before = degreesOf(graph), after = degreesOf(sorted);
  CHECK(!std::is_sorted(before.rbegin(), before.rend()));
  for (size_t v = 1; v < after.size(); ++v)
    CHECK(after[v - 1].first >= after[v].first);
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  CHECK(before == after);
}

TEST_CASE("trees are binary, and of the mean size") {
  const int64_t trees = 400;
  const DrawnGraph forest = bench::drawTrees(0, trees, 19, 5);
  checkRows(forest, forest.nodes(), forest.nodes() - trees);
  std::map<int32_t, int> children;
  int64_t roots = 0;
  for (int64_t v = 0; v < forest.nodes(); ++v) {
    const int64_t at = forest.starts[size_t(v)];
    if (forest.starts[size_t(v) + 1] == at) {
      ++roots;
      continue;
    }
    REQUIRE(forest.starts[size_t(v) + 1] == at + 1);
    CHECK(forest.ends[size_t(at)] < v); // so there is no cycle
    ++children[forest.ends[size_t(at)]];
  }
  CHECK(roots == trees);
  for (const auto &[parent, count] : children)
    CHECK(count == 2);
  const double words =
      double(forest.nodes() - int64_t(children.size())) / trees;
  CHECK(std::abs(words - 19) < 1.5); // standard deviation 9 / sqrt(400)
}

TEST_CASE("trees are a row that can be cut anywhere") {
  const DrawnGraph both = bench::drawTrees(10, 2, 19, 5),
                   first = bench::drawTrees(10, 1, 19, 5),
                   second = bench::drawTrees(11, 1, 19, 5);
  CHECK(both.nodes() == first.nodes() + second.nodes());
  std::vector<int32_t> joined = first.ends;
  for (int32_t end : second.ends)
    joined.push_back(end + int32_t(first.nodes()));
  CHECK(both.ends == joined);
}

TEST_CASE("a graph comes back from its file") {
  const char *folder = std::getenv("TEST_TMPDIR");
  const std::string path =
      std::string(folder ? folder : ".") + "/drawn_graph.npz";
  const DrawnGraph graph = bench::drawRmat(100, 5000, 0.7, 1);
  REQUIRE(bench::writeGraph(path, graph));
  const auto read = graph::readGraph(path);
  if (!read)
    FAIL(read.error().message);
  REQUIRE(read->nodes() == 100);
  REQUIRE(read->edges() == 5000);
  for (int64_t v = 0; v < 100; ++v)
    for (int64_t e = graph.starts[size_t(v)]; e < graph.starts[size_t(v) + 1];
         ++e) {
      CHECK(read->source(e) == v);
      CHECK(read->destination(e) == graph.ends[size_t(e)]);
    }
}

TEST_CASE("R-MAT in communities: halves have more edges among themselves") {
  const auto inHalf = [](bool inCommunities) {
    const DrawnGraph graph =
        bench::drawRmat(1024, 100000, 0.7, 5, inCommunities);
    int64_t among = 0;
    for (int64_t v = 0; v < graph.nodes(); ++v)
      for (int64_t e = graph.starts[size_t(v)]; e < graph.starts[size_t(v) + 1];
           ++e)
        among += (v < 512) == (graph.ends[size_t(e)] < 512);
    return double(among) / double(graph.edges());
  };
  // 0.525 + 0.125; numbered anew, a half.
  CHECK(inHalf(true) == Approx(0.65).margin(0.01));
  CHECK(inHalf(false) < 0.6);
}
