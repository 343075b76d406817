#include "compiler/placement/Mapping.h"
#include "test/compiler/placement/RandomTasks.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

using namespace smex::placement;
using namespace smex::placement::test;

namespace {

/// What the thesis defines, from all tasks and all edges each time.
struct Naive {
  const Problem &problem;
  const Clusters &clusters;
  const Levels level = levels(problem, edgeSeconds(problem));

  bool has(int cluster, int task) const {
    const auto &tasks = clusters.secondary[size_t(cluster)];
    return std::find(tasks.begin(), tasks.end(), task) != tasks.end();
  }
  double secondsOf(int task) const {
    return problem.graph.tasks[size_t(task)].seconds;
  }
  Span span(int cluster) const {
    Span span{0, level.longest()};
    for (const Edge &edge : problem.graph.edges) {
      if (edge.to == clusters.secondary[size_t(cluster)].front())
        span.begin = std::max(span.begin, level.top[size_t(edge.from)] +
                                              secondsOf(edge.from));
      if (edge.from == clusters.secondary[size_t(cluster)].back())
        span.end = std::min(span.end, level.top[size_t(edge.to)]);
    }
    return span;
  }
  template <typename Counts>
  double workWithin(const Span &span, Counts counts) const {
    double work = 0;
    for (size_t t = 0; t < problem.graph.tasks.size(); ++t)
      if (span.begin <= level.top[t] && level.top[t] < span.end &&
          counts(int(t)))
        work += secondsOf(int(t));
    return work;
  }
  template <typename Counts>
  double communication(int cluster, Counts counts) const {
    double sum = 0;
    for (const Edge &edge : problem.graph.edges) {
      const bool from = has(cluster, edge.from), to = has(cluster, edge.to);
      if (from != to && counts(from ? edge.to : edge.from))
        sum += problem.devices.transferSeconds(edge.bytes);
    }
    return sum;
  }

  Placement map() const {
    const int devices = problem.devices.count;
    Placement placement(problem.graph.tasks.size(), -1);
    for (size_t t = 0; t < placement.size(); ++t)
      if (!problem.graph.tasks[t].hasGpuKernel)
        placement[t] = devices;
    const auto put = [&](const std::vector<int> &cluster, int device) {
      for (int task : cluster)
        placement[size_t(task)] = device;
    };
    const auto with = [&](int cluster, int device) {
      return communication(
          cluster, [&](int task) { return placement[size_t(task)] == device; });
    };
    for (int k = 0; k < devices; ++k)
      put(clusters.primary[size_t(k)], k);
    std::vector<std::pair<double, int>> left; // -seconds, cluster
    for (int s = 0; s < int(clusters.secondary.size()); ++s) {
      int most = 0;
      for (int d = 1; d < devices; ++d)
        if (with(s, d) > with(s, most))
          most = d;
      const double all = communication(s, [](int) { return true; });
      const double potential =
          workWithin(span(s), [&](int task) { return !has(s, task); });
      double seconds = 0;
      for (int task : clusters.secondary[size_t(s)])
        seconds += secondsOf(task);
      if (all - potential > 0 && with(s, most) > 0)
        put(clusters.secondary[size_t(s)], most);
      else
        left.emplace_back(-seconds, s);
    }
    std::sort(left.begin(), left.end());
    for (auto [weight, s] : left) {
      int best = -1;
      double least = 0;
      for (int d = 0; d < devices; ++d) {
        const double work = workWithin(
            span(s), [&](int task) { return placement[size_t(task)] == d; });
        const double others = communication(s, [&](int task) {
          const int device = placement[size_t(task)];
          return device >= 0 && device < devices && device != d;
        });
        if (best < 0 || work + others < least ||
            (work + others == least && with(s, d) > with(s, best)))
          best = d, least = work + others;
      }
      put(clusters.secondary[size_t(s)], best);
    }
    return placement;
  }
};

/// Guided load balancing: the heaviest cluster first, to the device with the
/// least work so far.
Placement globalBalance(const Problem &problem, const Clusters &clusters) {
  Placement placement(problem.graph.tasks.size());
  std::vector<double> load(size_t(problem.devices.count));
  const auto put = [&](const std::vector<int> &cluster, size_t device) {
    for (int task : cluster) {
      placement[size_t(task)] = int(device);
      load[device] += problem.graph.tasks[size_t(task)].seconds;
    }
  };
  for (size_t k = 0; k < load.size(); ++k)
    put(clusters.primary[k], k);
  for (const std::vector<int> &cluster : clusters.secondary)
    put(cluster,
        size_t(std::min_element(load.begin(), load.end()) - load.begin()));
  return placement;
}

} // namespace

// What Figure 4.2 (d) and (e) show: D's device is the one with less to do while
// D runs, though it has more to do in all.
TEST_CASE("level-aware load balancing is ahead of a global one") {
  TaskGraph graph;
  enum { A, B, C, J, E, F, D };
  for (double seconds : {1., 1., 1., 1., 10., 6., 4.})
    addTask(graph, seconds);
  graph.edges = {{A, B, 0}, {B, C, 8}, {C, J, 0}, {J, E, 0},
                 {A, F, 0}, {F, J, 1}, {A, D, 0}, {D, J, 1}};
  const Devices devices = devicesOf(2, 1, 0);
  const Problem problem(graph, devices);
  const Clusters clusters = slice(problem, 2);
  REQUIRE(clusters.primary ==
          std::vector<std::vector<int>>{{A, B, C, J, E}, {F}});
  REQUIRE(clusters.secondary == std::vector<std::vector<int>>{{D}});
  const ClusterFacts facts(problem, clusters);
  CHECK(facts.span(0).begin == 1);
  CHECK(facts.span(0).end == 11);
  CHECK(facts.potential(0) == 8);
  CHECK(facts.communication(0) == 1);
  const Placement levelAware = mapClusters(facts);
  const Placement global = globalBalance(problem, clusters);
  CHECK(levelAware[D] == 0);
  CHECK(global[D] == 1);
  CHECK(firstInFirstOut(problem, levelAware).makespan == 19);
  CHECK(firstInFirstOut(problem, global).makespan == 23);
}

// What Figure 4.2 (c) shows.
TEST_CASE("communication that no work hides merges a cluster") {
  TaskGraph graph;
  enum { A, B, C, D };
  for (double seconds : {4., 4., 2., 1.})
    addTask(graph, seconds);
  graph.edges = {{A, B, 6}, {C, D, 5}};
  const Devices devices = devicesOf(2, 1, 0);
  const Problem problem(graph, devices);
  Clusters clusters;
  clusters.primary = {{A, B}, {C}};
  clusters.secondary = {{D}};
  const ClusterFacts facts(problem, clusters);
  // D's span is 2 .. 14; of all work in it only B's is not D's own.
  CHECK(facts.potential(0) == 4);
  CHECK(facts.communication(0) == 5);
  CHECK(mapClusters(facts) == Placement{0, 0, 1, 1});
}

TEST_CASE("sums over levels") {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const size_t count = size_t(1 + random.below(30));
    std::vector<double> level(count);
    for (double &each : level)
      each = double(random.below(10));
    const int devices = int(1 + random.below(4));
    LevelLoads loads(level, devices);
    std::vector<std::vector<double>> naive;
    naive.resize(size_t(devices), std::vector<double>(count));
    for (int i = 0; i < 60; ++i) {
      const size_t task = size_t(random.below(int64_t(count)));
      const int device = int(random.below(devices));
      const double seconds = double(random.below(9)) - 2;
      loads.add(int(task), device, seconds);
      naive[size_t(device)][task] += seconds;
      const Span span{double(random.below(12)) - 1, double(random.below(12))};
      std::vector<double> all;
      loads.within(span, all);
      for (int d = 0; d < devices; ++d) {
        double sum = 0;
        for (size_t t = 0; t < count; ++t)
          if (span.has(level[t]))
            sum += naive[size_t(d)][t];
        CHECK(loads.within(span, d) == sum);
        CHECK(all[size_t(d)] == sum);
      }
    }
  }
}

TEST_CASE("mapping is what the thesis defines") {
  size_t balanced = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(1 + random.below(25)),
                                        1 + double(random.below(2)));
    const Devices devices =
        devicesOf(int(1 + random.below(4)), random.chance(50) ? 4 : 64,
                  random.chance(50) ? 0 : 0.25);
    const Problem problem(graph, devices);
    const Clusters clusters = slice(problem, devices.count);
    const ClusterFacts facts(problem, clusters);
    const Naive naive{problem, clusters};
    for (int s = 0; s < int(clusters.secondary.size()); ++s) {
      const Span span = naive.span(s);
      CHECK(facts.span(s).begin == span.begin);
      CHECK(facts.span(s).end == span.end);
      CHECK(facts.potential(s) == naive.workWithin(span, [&](int task) {
        return !naive.has(s, task);
      }));
      CHECK(facts.communication(s) ==
            naive.communication(s, [](int) { return true; }));
      balanced += facts.communication(s) <= facts.potential(s);
    }
    const Placement placement = mapClusters(facts);
    CHECK(placement == naive.map());
    CHECK(validate(problem, placement));
  }
  CHECK(balanced > 100); // else only merging was tested
}
