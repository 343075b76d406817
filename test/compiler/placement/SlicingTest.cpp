#include "compiler/placement/Slicing.h"
#include "test/compiler/placement/RandomTasks.h"

#include <catch2/catch.hpp>

#include <ctime>
#include <limits>
#include <map>
#include <set>

using namespace smex::placement;
using namespace smex::placement::test;

namespace {

/// The longest path among these tasks, by trying all from each.
double longestFrom(const Problem &problem, const std::set<int> &among, int task,
                   std::map<int, double> &known) {
  if (const auto found = known.find(task); found != known.end())
    return found->second;
  double longest = 0;
  for (const Edge &edge : problem.graph.edges)
    if (edge.from == task && among.count(edge.to))
      longest =
          std::max(longest, problem.devices.transferSeconds(edge.bytes) +
                                longestFrom(problem, among, edge.to, known));
  return known[task] = longest + problem.graph.tasks[size_t(task)].seconds;
}

double longest(const Problem &problem, const std::set<int> &among) {
  double longest = 0;
  std::map<int, double> known;
  for (int task : among)
    longest = std::max(longest, longestFrom(problem, among, task, known));
  return longest;
}

/// The heaviest edge between the two, or -1.
double edgeBetween(const Problem &problem, int from, int to) {
  double most = -1;
  for (const Edge &edge : problem.graph.edges)
    if (edge.from == from && edge.to == to)
      most = std::max(most, problem.devices.transferSeconds(edge.bytes));
  return most;
}

double lengthOf(const Problem &problem, const std::vector<int> &path) {
  double length = 0;
  for (size_t i = 0; i < path.size(); ++i) {
    length += problem.graph.tasks[size_t(path[i])].seconds;
    if (i > 0)
      length += edgeBetween(problem, path[i - 1], path[i]);
  }
  return length;
}

} // namespace

// With letters as in Figure 4.2, which is a picture.
TEST_CASE("two primary clusters, then paths and single tasks") {
  TaskGraph graph;
  enum { A, B, C, D, E, F, G, H, I, J, L };
  for (double seconds : {0., 4., 3., 2., 4., 3., 1., 1., 4., 1., 0.})
    addTask(graph, seconds);
  for (auto [from, to] : std::vector<std::pair<int, int>>{{A, B},
                                                          {B, E},
                                                          {E, G},
                                                          {G, I},
                                                          {I, L}, // 13 seconds
                                                          {A, C},
                                                          {C, F},
                                                          {F, L}, // 6 seconds
                                                          {A, D},
                                                          {D, H},
                                                          {H, L}, // 3 seconds
                                                          {A, J},
                                                          {J, L}}) // 1 second
    graph.edges.push_back({from, to, 0});
  const Devices devices = devicesOf(2, 1, 0);
  const Problem problem(graph, devices);
  const Clusters clusters = slice(problem, 2);
  CHECK(clusters.primary ==
        std::vector<std::vector<int>>{{A, B, E, G, I, L}, {C, F}});
  CHECK(clusters.secondary == std::vector<std::vector<int>>{{D, H}, {J}});
}

TEST_CASE("levels are computed anew for primary clusters only") {
  // When a, b, c has gone, d, e is the critical path. Then f and g weigh as
  // much as with h, but i, with the longer path left, is the heavier one.
  TaskGraph graph;
  enum { a, b, c, d, e, f, g, h };
  for (double seconds : {5., 5., 5., 1., 6., 2., 2., 3.})
    addTask(graph, seconds);
  graph.edges = {{a, b, 0}, {b, c, 0}, {d, b, 0}, {d, e, 0},
                 {f, g, 0}, {f, h, 0}, {h, c, 0}};
  const Devices devices = devicesOf(2, 1, 0);
  const Problem problem(graph, devices);
  const Clusters clusters = slice(problem, 2);
  CHECK(clusters.primary == std::vector<std::vector<int>>{{a, b, c}, {d, e}});
  CHECK(clusters.secondary == std::vector<std::vector<int>>{{f, h}, {g}});
}

TEST_CASE("a path goes back from where its levels are equal") {
  // 0.1 + 0.2 + 0.3 depends on the order of additions: no task of the path may
  // be left behind because rounding made another one the heaviest.
  TaskGraph graph;
  addTask(graph, 100);
  for (int i = 0; i < 50; ++i) {
    addTask(graph, 0.1 * (i % 7 + 1));
    if (i > 0)
      graph.edges.push_back({i, i + 1, 0});
  }
  const Devices devices = devicesOf(1, 1, 0);
  const Problem problem(graph, devices);
  const Clusters clusters = slice(problem, 1);
  REQUIRE(clusters.secondary.size() == 1);
  CHECK(clusters.secondary[0].size() == 50);
}

TEST_CASE("a path within one union costs what its tasks do") {
  const auto seconds = [](int count) {
    TaskGraph graph;
    for (int i = 0; i < count; ++i) {
      const int task = addTask(graph, 1);
      graph.tasks.back().together = 0;
      if (i > 0)
        graph.edges.push_back({task - 1, task, 4});
    }
    const Devices devices = devicesOf(2);
    const Problem problem(graph, devices);
    double least = std::numeric_limits<double>::max();
    for (int i = 0; i < 3; ++i) {
      const std::clock_t before = std::clock();
      REQUIRE(slice(problem, 2).primary[0].size() == size_t(count));
      least = std::min(least, double(std::clock() - before) / CLOCKS_PER_SEC);
    }
    return least;
  };
  const double few = seconds(20'000), many = seconds(80'000);
  CAPTURE(few, many);
  CHECK(many < 9 * few); // quadratic: 16
}

TEST_CASE("more devices than tasks leave primary clusters empty") {
  TaskGraph graph;
  addTask(graph, 1);
  const Devices devices = devicesOf(3);
  const Problem problem(graph, devices);
  const Clusters clusters = slice(problem, 3);
  CHECK(clusters.primary == std::vector<std::vector<int>>{{0}, {}, {}});
  CHECK(clusters.secondary.empty());
}

TEST_CASE("clusters are disjoint paths, primary ones critical") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Kinds kinds;
    kinds.memory = kinds.together = seed % 2;
    const TaskGraph graph = randomTasks(random, int(1 + random.below(20)),
                                        1 + double(random.below(2)), kinds);
    const int count = int(1 + random.below(4));
    const Devices devices = devicesOf(count);
    const Problem problem(graph, devices);
    const Clusters clusters = slice(problem, count);
    REQUIRE(clusters.primary.size() == size_t(count));
    std::set<int> left;
    for (size_t t = 0; t < graph.tasks.size(); ++t)
      if (graph.tasks[t].hasGpuKernel)
        left.insert(int(t));
    const bool hasUnions = kinds.together;
    std::vector<int> place(graph.tasks.size());
    for (size_t i = 0; i < problem.order.size(); ++i)
      place[size_t(problem.order[i])] = int(i);
    const auto take = [&](const std::vector<int> &cluster) {
      for (size_t i = 0; i < cluster.size(); ++i) {
        CHECK(left.erase(cluster[i]) == 1);
        if (i == 0)
          continue;
        CHECK(place[size_t(cluster[i - 1])] < place[size_t(cluster[i])]);
        if (!hasUnions)
          CHECK(edgeBetween(problem, cluster[i - 1], cluster[i]) >= 0);
      }
      for (int task : cluster) // all of a union
        for (int other : left)
          CHECK(problem.unions[size_t(task)] != problem.unions[size_t(other)]);
    };
    for (const std::vector<int> &cluster : clusters.primary) {
      if (!hasUnions)
        CHECK(lengthOf(problem, cluster) == longest(problem, left));
      CHECK(cluster.empty() == left.empty());
      take(cluster);
    }
    for (const std::vector<int> &cluster : clusters.secondary) {
      CHECK(!cluster.empty());
      take(cluster);
      if (hasUnions)
        continue;
      // Dead ends on both sides.
      for (int other : left) {
        CHECK(edgeBetween(problem, cluster.back(), other) < 0);
        CHECK(edgeBetween(problem, other, cluster.front()) < 0);
      }
    }
    CHECK(left.empty());
  }
}
