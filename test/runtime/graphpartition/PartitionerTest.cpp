#include "runtime/graphpartition/Partitioner.h"
#include "runtime/graphpartition/RemoteRows.h"
#include "test/runtime/graph/Graphs.h"

#include <algorithm>
#include <limits>
#include <set>

using namespace smex;
using namespace smex::graph;
using namespace smex::graphpartition;

namespace {

InNeighbours in(const Graph &graph) {
  auto made = inNeighboursOf(graph);
  REQUIRE(made);
  return std::move(*made);
}

/// Vertex v has degrees[v] edges, from anywhere.
InNeighbours ofDegrees(const Numbers &degrees) {
  Numbers sources, destinations;
  for (size_t v = 0; v < degrees.size(); ++v)
    for (int64_t i = 0; i < degrees[v]; ++i) {
      sources.push_back(i % int64_t(degrees.size()));
      destinations.push_back(int64_t(v));
    }
  return in(Graph::sound(int64_t(degrees.size()), sources, destinations));
}

/// Without METIS, where it is not installed: then the message says so.
bool isMissing(const Result<Partition> &partition) {
  return !partition && partition.error().fault == Fault::Environment &&
         partition.error().message.find(
             "METIS is not installed (Debian: libmetis5): ") == 0;
}

} // namespace

TEST_CASE("every partitioner gives each vertex to one worker") {
  onRandomGraphs([](const Graph &graph, Die &die) {
    const InNeighbours rows = in(graph);
    const FeatureSums features(rows, {8, 32});
    CostModel model(2);
    for (Weights &weights : model)
      for (double &weight : weights)
        weight = double(die.below(3));
    Problem problem;
    problem.graph = &rows;
    problem.workers = 1 + die.below(6);
    problem.features = &features;
    problem.model = &model;
    problem.seed = uint64_t(die.below(100));
    const auto start = equalVertices(problem);
    REQUIRE(start);
    std::vector<double> seconds;
    for (int64_t w = 0; w < problem.workers; ++w)
      seconds.push_back(double(1 + die.below(5)));
    if (die.below(2)) {
      problem.last = &start->bounds;
      problem.seconds = &seconds;
    }
    for (const Partitioner &each : partitioners()) {
      INFO(each.name);
      const auto found = partition(each.name, problem);
      if (each.name == std::string("metis") && isMissing(found))
        continue;
      REQUIRE(found);
      REQUIRE(int64_t(found->bounds.size()) == problem.workers + 1);
      CHECK(found->bounds.front() == 0);
      CHECK(found->bounds.back() == graph.nodes());
      CHECK(std::is_sorted(found->bounds.begin(), found->bounds.end()));
      if (found->order.empty())
        continue;
      Numbers sorted = found->order;
      std::sort(sorted.begin(), sorted.end());
      REQUIRE(int64_t(sorted.size()) == graph.nodes());
      for (int64_t v = 0; v < graph.nodes(); ++v)
        CHECK(sorted[size_t(v)] == v);
    }
  });
}

TEST_CASE("partitions by what they balance") {
  const InNeighbours graph = ofDegrees({6, 1, 1, 1, 1, 1, 1, 0});
  Problem problem;
  problem.graph = &graph;
  problem.workers = 2;
  CHECK(equalVertices(problem)->bounds == Bounds{0, 4, 8});
  CHECK(equalEdges(problem)->bounds == Bounds{0, 1, 8});
  // With the second vertex, there are more than 6 edges.
  CHECK(greedyEdgeCap(problem)->bounds == Bounds{0, 2, 8});
}

TEST_CASE("measured times move bounds to where it is slow") {
  const InNeighbours graph = ofDegrees(Numbers(12, 1));
  const Bounds last = {0, 6, 12};
  const std::vector<double> seconds = {3, 1};
  Problem problem;
  problem.graph = &graph;
  problem.workers = 2;
  CHECK(dynamicRanges(problem)->bounds == last); // nothing measured yet
  problem.last = &last;
  problem.seconds = &seconds;
  CHECK(dynamicRanges(problem)->bounds == Bounds{0, 4, 12});
  // Hubs first: within a range all count alike, so that it takes iterations.
  const InNeighbours hubs = ofDegrees({32, 16, 8, 4, 2, 1, 1, 0, 0, 0, 0, 0});
  problem.graph = &hubs;
  Bounds bounds = last;
  const DegreeCost real(hubs, 0.01, 1);
  for (int iteration = 0; iteration < 10; ++iteration) {
    const std::vector<double> times = costsOf(real, bounds);
    problem.last = &bounds;
    problem.seconds = &times;
    bounds = dynamicRanges(problem)->bounds;
  }
  CHECK(bounds == Bounds{0, 1, 12});
}

TEST_CASE("what a partitioner cannot go by is refused") {
  const InNeighbours graph = ofDegrees({1, 2, 3});
  Problem problem;
  problem.graph = &graph;
  problem.workers = 2;
  CHECK(wrong(partition("roc", problem)) == "a fitted cost model is needed");
  CHECK(
      wrong(partition("best", problem)) ==
      "no graph partitioner \"best\": there are equal-vertices, equal-edges, "
      "greedy-edge-cap, dynamic, roc, roc-min-max, random-permutation, metis");
  const FeatureSums features(graph, {8, 8});
  CostModel model(1);
  problem.features = &features;
  problem.model = &model;
  CHECK(wrong(partition("roc", problem)) ==
        "the cost model is of 1 layers, and the network has 2");
  model.resize(2);
  model[1][3] = -1;
  CHECK(wrong(partition("roc-min-max", problem)) ==
        "the cost model has a weight that is negative or not finite");
  Bounds last = {0, 2, 3};
  std::vector<double> seconds = {1, 0};
  problem.last = &last;
  problem.seconds = &seconds;
  CHECK(wrong(partition("dynamic", problem)).find("worker 1: measured 0") == 0);
  seconds = {std::numeric_limits<double>::quiet_NaN(), 1};
  CHECK(wrong(partition("dynamic", problem)).find("worker 0: measured ") == 0);
  seconds = {1};
  CHECK(wrong(partition("dynamic", problem)) ==
        "seconds of 1 workers, 2 expected");
  last = {0, 3};
  CHECK(wrong(partition("dynamic", problem)) ==
        "the last bounds are not those of 2 ranges of 3 vertices");
  problem.workers = 0;
  CHECK(wrong(partition("equal-edges", problem)) ==
        "a graph is divided among 1 worker or more");
}

TEST_CASE("METIS cuts two cliques where they touch") {
  Numbers sources, destinations;
  for (int64_t a = 0; a < 20; ++a)
    for (int64_t b = 0; b < 20; ++b)
      if (a != b && a % 2 == b % 2) {
        sources.push_back(a);
        destinations.push_back(b);
      }
  const InNeighbours graph =
      in(Graph::sound(20, std::move(sources), std::move(destinations)));
  Problem problem;
  problem.graph = &graph;
  problem.workers = 2;
  const auto found = metis(problem);
  if (isMissing(found))
    return;
  REQUIRE(found);
  CHECK(found->bounds == Bounds{0, 10, 20});
  for (size_t i = 0; i < 20; ++i)
    CHECK(found->order[i] % 2 == found->order[i < 10 ? 0 : 10] % 2);
  CHECK(remoteRowCounts(renumbered(graph, found->order), found->bounds) ==
        Numbers{0, 0});
}

TEST_CASE("a worker fetches each remote neighbour once") {
  onRandomGraphs([](const Graph &graph, Die &die) {
    const InNeighbours rows = in(graph);
    Problem problem;
    problem.graph = &rows;
    problem.workers = 1 + die.below(5);
    const Bounds bounds = equalEdges(problem)->bounds;
    const Numbers counts = remoteRowCounts(rows, bounds);
    for (size_t w = 0; w + 1 < bounds.size(); ++w) {
      const auto owns = [&](int64_t v) {
        return bounds[w] <= v && v < bounds[w + 1];
      };
      std::set<int64_t> expected;
      for (const auto &[from, to] : pairs(graph))
        if (owns(to) && !owns(from))
          expected.insert(from);
      CHECK(remoteRows(rows, bounds[w], bounds[w + 1]) ==
            Numbers(expected.begin(), expected.end()));
      CHECK(counts[w] == int64_t(expected.size()));
    }
  });
}
