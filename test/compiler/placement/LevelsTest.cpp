#include "compiler/placement/Levels.h"
#include "test/compiler/placement/RandomTasks.h"

#include <catch2/catch.hpp>

using namespace smex::placement;
using namespace smex::placement::test;

namespace {

/// The longest path from or to a task, by trying all.
double longest(const Problem &problem, const std::vector<double> &edgeSeconds,
               const std::vector<char> &removed, int task, bool forward) {
  double most = 0;
  for (size_t e = 0; e < problem.graph.edges.size(); ++e) {
    const Edge &edge = problem.graph.edges[e];
    const int next = forward ? edge.to : edge.from;
    if ((forward ? edge.from : edge.to) == task && !removed[size_t(next)])
      most = std::max(
          most, edgeSeconds[e] + problem.graph.tasks[size_t(next)].seconds +
                    longest(problem, edgeSeconds, removed, next, forward));
  }
  return most;
}

} // namespace

TEST_CASE("levels are longest paths") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(1 + random.below(12)), 1);
    const Devices devices = devicesOf(3);
    const Problem problem(graph, devices);
    std::vector<char> removed(graph.tasks.size());
    for (char &each : removed)
      each = seed % 2 && random.chance(20);
    const std::vector<double> seconds =
        random.chance(50)
            ? edgeSeconds(problem)
            : edgeSeconds(problem, randomPlacement(random, problem));
    const Levels level = levels(problem, seconds, &removed);
    double most = 0;
    for (size_t t = 0; t < graph.tasks.size(); ++t) {
      if (removed[t]) {
        CHECK(level.weighted(int(t)) == 0);
        continue;
      }
      CHECK(level.top[t] == longest(problem, seconds, removed, int(t), false));
      CHECK(level.bottom[t] ==
            longest(problem, seconds, removed, int(t), true) +
                graph.tasks[t].seconds);
      most = std::max(most, level.bottom[t]);
    }
    CHECK(level.longest() == most);
  }
}
