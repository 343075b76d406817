#include "compiler/placement/Refinement.h"
#include "test/compiler/placement/RandomTasks.h"

#include <catch2/catch.hpp>

#include <ctime>
#include <limits>

using namespace smex::placement;
using namespace smex::placement::test;

namespace {

double crossing(const Problem &problem, const Placement &placement) {
  double sum = 0;
  for (const Edge &edge : problem.graph.edges)
    if (const int a = placement[size_t(edge.from)],
        b = placement[size_t(edge.to)];
        a != b && a != problem.devices.host() && b != problem.devices.host())
      sum += problem.devices.transferSeconds(edge.bytes);
  return sum;
}

/// Processor seconds, the least of some times.
template <typename Run> double secondsOf(Run run) {
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i < 3; ++i) {
    const std::clock_t before = std::clock();
    run();
    least = std::min(least, double(std::clock() - before) / CLOCKS_PER_SEC);
  }
  return least;
}

} // namespace

TEST_CASE("a long cluster that many short ones look at costs little more") {
  // A chain, and as many tasks alone that start where it does.
  const auto seconds = [](int count) {
    TaskGraph graph;
    const int source = addTask(graph, 1);
    for (int k = 0; k < 2; ++k)
      graph.edges.push_back({source, addTask(graph, 1e6), 0});
    for (int i = 0, last = source; i < count; ++i) {
      const int next = addTask(graph, 1e-3);
      graph.edges.push_back({last, next, 0});
      last = next;
    }
    for (int i = 0; i < count; ++i)
      graph.edges.push_back({source, addTask(graph, 1e-2), 0});
    const Devices devices = devicesOf(2);
    const Problem problem(graph, devices);
    const Clusters clusters = slice(problem, 2);
    const ClusterFacts facts(problem, clusters);
    const Placement mapped = mapClusters(facts);
    return secondsOf([&] {
      Placement placement = mapped;
      swapClusters(facts, placement);
    });
  };
  const double few = seconds(20'000), many = seconds(80'000);
  CAPTURE(few, many);
  CHECK(many < 9 * few); // quadratic: 16
}

TEST_CASE("two clusters that read across swap devices") {
  TaskGraph graph;
  enum { A, B, C, D };
  for (double seconds : {2., 2., 1., 1.})
    addTask(graph, seconds);
  graph.edges = {{A, C, 8}, {B, D, 8}};
  const Devices devices = devicesOf(2, 4, 0);
  const Problem problem(graph, devices);
  Clusters clusters;
  clusters.primary = {{A}, {B}};
  clusters.secondary = {{C}, {D}};
  const ClusterFacts facts(problem, clusters);
  Placement placement = {0, 1, 1, 0};
  CHECK(swapClusters(facts, placement) == 1);
  CHECK(placement == Placement{0, 1, 0, 1});
  CHECK(swapClusters(facts, placement) == 0);
}

TEST_CASE("clusters that read each other gain nothing from swapping") {
  TaskGraph graph;
  enum { A, B, C, D };
  for (double seconds : {2., 2., 1., 1.})
    addTask(graph, seconds);
  // Between C and D there is a transfer before and after.
  graph.edges = {{C, D, 100}, {A, C, 1}, {B, D, 1}};
  const Devices devices = devicesOf(2, 4, 0);
  const Problem problem(graph, devices);
  Clusters clusters;
  clusters.primary = {{A}, {B}};
  clusters.secondary = {{C}, {D}};
  const ClusterFacts facts(problem, clusters);
  Placement placement = {0, 1, 0, 1};
  CHECK(swapClusters(facts, placement) == 0);
}

TEST_CASE("swapping keeps clusters whole, and moves no more over links") {
  int swaps = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(5 + random.below(40)), 1);
    const Devices devices = devicesOf(int(2 + random.below(3)), 16);
    const Problem problem(graph, devices);
    const Clusters clusters = slice(problem, devices.count);
    const ClusterFacts facts(problem, clusters);
    // Far from good, so that there is something to swap.
    Placement placement = mapClusters(facts);
    for (const std::vector<int> &cluster : clusters.secondary) {
      const int device = int(random.below(devices.count));
      for (int task : cluster)
        placement[size_t(task)] = device;
    }
    const Placement before = placement;
    const int swapped = swapClusters(facts, placement);
    swaps += swapped;
    CHECK(validate(problem, placement));
    CHECK(crossing(problem, placement) <= crossing(problem, before));
    for (const std::vector<int> &cluster : clusters.primary)
      for (int task : cluster)
        CHECK(placement[size_t(task)] == before[size_t(task)]);
    int changed = 0;
    for (const std::vector<int> &cluster : clusters.secondary) {
      for (int task : cluster)
        CHECK(placement[size_t(task)] == placement[size_t(cluster[0])]);
      changed += placement[size_t(cluster[0])] != before[size_t(cluster[0])];
    }
    CHECK(changed == 2 * swapped);
  }
  CHECK(swaps > 100);
}

// What the text says of Figure 4.2: transfers within a device take no time, and
// so another path becomes critical.
TEST_CASE("a task moves to the end of a transfer on the new critical path") {
  TaskGraph graph;
  enum { A, B, C, D };
  for (double seconds : {1., 2., 1., 1.})
    addTask(graph, seconds);
  graph.edges = {{A, B, 8}, {B, D, 8}, {A, C, 4}, {C, D, 4}};
  const Devices devices = devicesOf(2, 4, 0);
  const Problem problem(graph, devices);
  Placement placement = {0, 0, 1, 0};
  CHECK(switchTasks(problem, placement, 2) == 1);
  CHECK(placement == Placement{0, 0, 0, 0});
  Placement none = {0, 0, 1, 0};
  CHECK(switchTasks(problem, none, 0) == 0);
}

TEST_CASE("switching makes the critical path shorter, or changes nothing") {
  int switches = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(2 + random.below(25)), 1);
    const Devices devices = devicesOf(int(2 + random.below(3)));
    const Problem problem(graph, devices);
    const Placement before = randomPlacement(random, problem);
    Placement placement = before;
    const int moves = switchTasks(problem, placement, devices.count);
    switches += moves;
    CHECK(validate(problem, placement));
    const double was = levels(problem, edgeSeconds(problem, before)).longest();
    const double is =
        levels(problem, edgeSeconds(problem, placement)).longest();
    if (moves)
      CHECK(is < was);
    else
      CHECK(placement == before);
  }
  CHECK(switches > 100);
}
