// What all algorithms keep, memory limits above all; linear clusters and HEFT.
#include "compiler/placement/Algorithm.h"
#include "compiler/placement/Bounds.h"
#include "compiler/placement/FitMemory.h"
#include "compiler/placement/Levels.h"
#include "compiler/placement/LinearClustering.h"
#include "test/compiler/placement/Exhaustive.h"
#include "test/compiler/placement/NaiveMemory.h"

#include <catch2/catch.hpp>

using namespace smex::placement;
using namespace smex::placement::test;

namespace {

int64_t largestPeak(const Problem &problem, const Placement &placement) {
  const Schedule schedule = firstInFirstOut(problem, placement);
  const auto peaks = memoryUse(problem, placement, schedule).peakBytes;
  return *std::max_element(peaks.begin(), peaks.end());
}

/// The number after the last word of a message.
int64_t lastNumber(const std::string &text) {
  size_t end = text.find_last_of("0123456789");
  const size_t start = text.find_last_not_of("0123456789", end);
  return std::stoll(text.substr(start + 1, end - start));
}

} // namespace

TEST_CASE("all algorithms keep a memory limit, or say which one works") {
  int kept = 0, refused = 0;
  for (uint64_t seed = 0; seed < 80; ++seed) {
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(4 + random.below(14)), 1.2);
    Devices devices = devicesOf(int(1 + random.below(4)));
    devices.spare = random.chance(30) ? 0.1 : 0;
    const Problem free(graph, devices);
    for (const Algorithm &algorithm : algorithms()) {
      CAPTURE(seed, algorithm.name);
      const auto unlimited = place(free, algorithm.name);
      REQUIRE(unlimited);
      CHECK(unlimited->moved == 0);
      Devices limited = devices;
      limited.memoryBytes = 1 + largestPeak(free, unlimited->placement) *
                                    (40 + random.below(50)) / 100;
      const Problem problem(graph, limited);
      auto outcome = place(problem, algorithm.name);
      if (outcome) {
        ++kept;
        CHECK(largestPeak(problem, outcome->placement) <=
              *limited.usableBytes());
        continue;
      }
      ++refused;
      CAPTURE(outcome.error().message);
      REQUIRE(outcome.error().fault == smex::Fault::Input);
      REQUIRE(outcome.error().message.find("found to work") !=
              std::string::npos);
      limited.memoryBytes = lastNumber(outcome.error().message);
      CHECK(place(Problem(graph, limited), algorithm.name));
    }
  }
  CHECK(kept > 40);
  CHECK(refused > 20);
}

TEST_CASE("where there is no room, no placement keeps the limit") {
  int refused = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(2 + random.below(5)), 1.2);
    Devices devices = devicesOf(2);
    int64_t least = std::numeric_limits<int64_t>::max();
    {
      const Problem problem(graph, devices);
      forEachPlacement(problem, [&](const Placement &placement) {
        least = std::min(least, largestPeak(problem, placement));
      });
    }
    if (least == 0)
      continue;
    devices.memoryBytes = least;
    CHECK(!lackOfRoom(Problem(graph, devices)));
    devices.memoryBytes = std::max<int64_t>(1, least * 2 / 3);
    const auto lack = lackOfRoom(Problem(graph, devices));
    if (!lack)
      continue;
    ++refused;
    // What it asks for is no more than what is needed.
    CAPTURE(lack->what);
    CHECK(lack->bytes > *devices.memoryBytes);
    CHECK(lack->bytes <= least);
  }
  CHECK(refused > 50);
}

TEST_CASE("linear clusters are the longest paths of what is left") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(1 + random.below(25)), 1.5);
    const Devices devices = devicesOf(3);
    const Problem problem(graph, devices);
    const auto seconds = edgeSeconds(problem);
    std::vector<char> removed(graph.tasks.size());
    size_t count = 0;
    for (const auto &cluster : linearClusters(problem)) {
      const Levels before = levels(problem, seconds, &removed);
      double length = 0;
      for (size_t i = 0; i < cluster.size(); ++i) {
        CHECK(!removed[size_t(cluster[i])]);
        removed[size_t(cluster[i])] = true;
        length += graph.tasks[size_t(cluster[i])].seconds;
        if (i == 0)
          continue;
        double most = -1;
        for (size_t e = 0; e < graph.edges.size(); ++e)
          if (graph.edges[e].from == cluster[i - 1] &&
              graph.edges[e].to == cluster[i])
            most = std::max(most, seconds[e]);
        REQUIRE(most >= 0);
        length += most;
      }
      CHECK(length == before.longest());
      count += cluster.size();
    }
    CHECK(count == graph.tasks.size());
  }
}

TEST_CASE("guided load balancing: by start, to the least loaded") {
  // Two chains that start at 0, of 3 and 2 s; one task of 4 s that starts at 1.
  TaskGraph graph;
  for (double seconds : {3.0, 2.0, 1.0, 4.0})
    addTask(graph, seconds);
  graph.edges = {{2, 3, 0}};
  const Devices devices = devicesOf(2, 1, 0);
  const Problem problem(graph, devices);
  const Placement placement =
      guidedLoadBalancing(problem, {{0}, {1}, {3}, {2}});
  // 3 s to device 0, 2 s to 1, 1 s to 1, and then 3 and 3: 4 s to 0.
  CHECK(placement == Placement{0, 1, 1, 0});
}

TEST_CASE("HEFT fills gaps") {
  // a (2 s) -> b (2 s), whose data takes 3 s; c (1 s), d (3 s) free.
  TaskGraph graph;
  for (double seconds : {2.0, 2.0, 1.0, 3.0})
    addTask(graph, seconds);
  graph.edges = {{0, 1, 3}};
  const Devices devices = devicesOf(2, 1, 0);
  const Problem problem(graph, devices);
  const auto outcome = place(problem, "heft");
  REQUIRE(outcome);
  // Ranks: a 7, d 3, b 2, c 1. a and b on 0 until 4, d on 1 until 3, c there.
  CHECK(outcome->placement == Placement{0, 0, 1, 1});
  CHECK(cost(problem, outcome->placement, {}) == 4);
}

/// By its definition: tasks by rank, each into the first gap of each device.
double naiveHeft(const Problem &problem) {
  const auto &graph = problem.graph;
  const std::vector<double> rank = levels(problem, edgeSeconds(problem)).bottom;
  std::vector<int> order = problem.order;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return rank[size_t(a)] > rank[size_t(b)];
  });
  std::vector<int> device(order.size(), -1);
  std::vector<double> start(order.size()), finish(order.size());
  double makespan = 0;
  for (int task : order) {
    const double seconds = graph.tasks[size_t(task)].seconds;
    double best = std::numeric_limits<double>::infinity();
    for (int d = 0; d < problem.devices.count; ++d) {
      double at = 0;
      for (const Edge &edge : graph.edges)
        if (edge.to == task)
          at = std::max(at, finish[size_t(edge.from)] +
                                problem.devices.transferSeconds(
                                    edge.bytes, device[size_t(edge.from)], d));
      for (bool isFree = false; !isFree;) {
        isFree = true;
        for (size_t other = 0; other < order.size(); ++other)
          if (int(other) != task && device[other] == d &&
              start[other] < at + seconds && at < finish[other]) {
            at = finish[other];
            isFree = false;
          }
      }
      if (at < best) {
        best = start[size_t(task)] = at;
        device[size_t(task)] = d;
      }
    }
    finish[size_t(task)] = best + seconds;
    makespan = std::max(makespan, finish[size_t(task)]);
  }
  return makespan;
}

TEST_CASE("HEFT takes what its own schedule says, by its own order") {
  int sooner = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Kinds kinds;
    kinds.zeroSeconds = kinds.memory = kinds.together = kinds.host = false;
    TaskGraph graph =
        randomTasks(random, int(4 + random.below(20)), 1.3, kinds);
    for (Edge &edge : graph.edges)
      edge.bytes = graph.tasks[size_t(edge.from)].bytes;
    const Devices devices = devicesOf(int(2 + random.below(2)));
    const Problem problem(graph, devices);
    Params params;
    const auto first = place(problem, "heft", params);
    params.inOrder = inOrder;
    const auto own = place(problem, "heft", params);
    REQUIRE((first && own));
    CHECK(own->placement == first->placement);
    CHECK(first->order.empty());
    const double published = naiveHeft(problem);
    const double byFirstIn = cost(problem, first->placement, params);
    CHECK(cost(problem, *own, params) ==
          Approx(std::min(published, byFirstIn)));
    sooner += published < byFirstIn * 0.999;
  }
  CHECK(sooner > 20);
}

TEST_CASE("an order that keeps a memory limit is enough") {
  int ordered = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(8 + random.below(20)), 1.3);
    const Devices devices = devicesOf(int(2 + random.below(3)));
    const Problem free(graph, devices);
    Params params;
    params.inOrder = inOrder;
    for (const char *name : {"heft", "linear-clustering"}) {
      CAPTURE(seed, name);
      const auto unlimited = place(free, name, params);
      REQUIRE(unlimited);
      Devices limited = devices;
      limited.memoryBytes = memoryUse(free, unlimited->placement,
                                      scheduleOf(free, *unlimited, params))
                                .most();
      if (*limited.memoryBytes == 0)
        continue;
      const auto kept = place(Problem(graph, limited), name, params);
      REQUIRE(kept); // place() has checked its memory, by its order
      ordered += !kept->order.empty();
    }
  }
  CHECK(ordered > 30);
}

TEST_CASE("times of next to nothing are halved to an end") {
  for (const double smallest : {1e-318, 5e-324})
    for (const int count : {2, 3}) {
      TaskGraph graph;
      addTask(graph, smallest);
      addTask(graph, smallest);
      if (count == 2)
        graph.edges = {{0, 1, 8}};
      Devices devices = devicesOf(count);
      const Problem problem(graph, devices);
      for (const Algorithm &algorithm : algorithms())
        for (const Objective objective :
             {Objective::Makespan, Objective::Throughput}) {
          CAPTURE(smallest, count, algorithm.name);
          Params params;
          params.objective = objective;
          const auto outcome = place(problem, algorithm.name, params);
          REQUIRE(outcome);
          const double seconds = cost(problem, outcome->placement, params);
          CHECK(lowerBounds(problem, params, seconds).best <= seconds);
        }
    }
}

TEST_CASE("an unknown algorithm is refused by name") {
  TaskGraph graph;
  addTask(graph, 1);
  const Devices devices = devicesOf(2);
  const auto outcome = place(Problem(graph, devices), "nonsense");
  REQUIRE(!outcome);
  CHECK(outcome.error().message.find("round-robin") != std::string::npos);
}
