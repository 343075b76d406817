#include "compiler/placement/Bounds.h"
#include "compiler/placement/StageBound.h"
#include "compiler/placement/StagePatterns.h"
#include "test/compiler/placement/Exhaustive.h"

#include <catch2/catch.hpp>

using namespace smex::placement;
using namespace smex::placement::test;

namespace {

constexpr double kRounding = 1 + 1e-9;

/// The least that `costOf` says of all placements.
template <typename Cost> double leastOf(const Problem &problem, Cost &&costOf) {
  double least = std::numeric_limits<double>::infinity();
  forEachPlacement(problem, [&](const Placement &placement) {
    least = std::min(least, costOf(placement));
  });
  return least;
}

double leastLoadOf(const Problem &problem, bool transfersOverlap = false) {
  return leastOf(problem, [&](const Placement &placement) {
    return naiveLargestLoad(problem, placement, transfersOverlap);
  });
}

} // namespace

TEST_CASE("no schedule is shorter than the bound") {
  int isReached = 0, isMoreThanPath = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(2 + random.below(5)), 1.5);
    const Devices devices = devicesOf(int(1 + random.below(3)), 8, 0.125);
    const Problem problem(graph, devices);
    const double best = leastOf(problem, [&](const Placement &placement) {
      return shortest(problem, placement);
    });
    Params params;
    const Bounds bounds = lowerBounds(problem, params, best);
    REQUIRE(bounds.best <= best * kRounding);
    REQUIRE(bounds.criticalPath <= bounds.best);
    REQUIRE(bounds.work <= bounds.best);
    isReached += bounds.best * kRounding >= best;
    isMoreThanPath += bounds.best > std::max({bounds.criticalPath, bounds.work,
                                              bounds.largest}) *
                                        kRounding;
  }
  CHECK(isReached > 100);
  CHECK(isMoreThanPath > 50);
}

TEST_CASE("no placement has a smaller largest load than the bound") {
  int isReached = 0, isMoreThanWork = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(2 + random.below(7)), 1.5);
    const Devices devices = devicesOf(int(1 + random.below(3)), 16, 0.125);
    const Problem problem(graph, devices);
    Params params;
    params.objective = Objective::Throughput;
    params.transfersOverlap = random.chance(30);
    const double best = leastLoadOf(problem, params.transfersOverlap);
    const double inOrder = leastOf(problem, [&](const Placement &placement) {
      return goesForward(problem, placement)
                 ? naiveLargestLoad(problem, placement, params.transfersOverlap)
                 : std::numeric_limits<double>::infinity();
    });
    // The bound must hold from any placement's load on.
    const double reached = best * (1 + double(random.below(3)) / 4);
    const Bounds bounds = lowerBounds(problem, params, reached);
    REQUIRE(bounds.best <= best * kRounding);
    StageBoundParams stages;
    stages.stages = devices.count;
    stages.transfersOverlap = params.transfersOverlap;
    stages.reached = inOrder * (1 + double(random.below(3)) / 4);
    stages.inOrder = true;
    REQUIRE(stageBound(StageGraph(problem), stages) <= inOrder * kRounding);
    isReached += bounds.best * kRounding >= best;
    isMoreThanWork +=
        bounds.best > std::max(bounds.work, bounds.largest) * kRounding;
  }
  CHECK(isReached > 150);
  CHECK(isMoreThanWork > 50);
}

TEST_CASE("which large blocks go together bounds the largest load") {
  int isReached = 0, isMore = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(3 + random.below(6)), 1.5);
    const Devices devices = devicesOf(int(2 + random.below(2)), 16, 0.125);
    const Problem problem(graph, devices);
    const StageGraph unions(problem, Blocks::OfAnyPlacement);
    const double best = leastLoadOf(problem);
    StageBoundParams params;
    params.stages = devices.count;
    params.reached = best * (1 + double(random.below(3)) / 4);
    BlockCapacities capacities(unions);
    const double bound = patternBound(unions, capacities, params, 0, [&](int) {
      return std::vector<char>(size_t(unions.count()), true);
    });
    REQUIRE(bound <= best * kRounding);
    isReached += bound >= best * 0.999;
    params.patternWork = -1; // without
    params.proofWork = params.priceWork = 0;
    isMore += bound > stageBound(unions, params) * kRounding;
    CHECK(patternBound(unions, capacities, params, 0.5, [&](int) {
            return std::vector<char>(size_t(unions.count()), true);
          }) == 0.5);
  }
  CHECK(isReached > 200);
  CHECK(isMore > 50);
}

TEST_CASE("a bound that may look at little is small, but holds") {
  int isLess = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(3 + random.below(5)), 1.5);
    const Devices devices = devicesOf(int(2 + random.below(2)), 16, 0.125);
    const Problem problem(graph, devices);
    const double best = leastLoadOf(problem);
    StageBoundParams params;
    params.stages = devices.count;
    params.reached = best * (1 + double(random.below(3)) / 4);
    const StageGraph unions(problem, Blocks::OfAnyPlacement);
    const double full = stageBound(unions, params);
    params.work = random.below(300);
    params.patternWork = random.below(300);
    params.proofWork = random.below(1'000);
    params.priceWork = random.below(1'000);
    const double bound = stageBound(unions, params);
    REQUIRE(bound <= best * kRounding);
    isLess += bound < full / kRounding;
  }
  CHECK(isLess > 50);
}

TEST_CASE("one cut of a dense graph takes no longer than cuts may") {
  TaskGraph graph;
  constexpr int kSide = 120;
  Random random(1);
  for (int i = 0; i < 2 * kSide; ++i)
    addTask(graph, double(1 + random.below(8)));
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j)
      graph.edges.push_back({i, kSide + j, int64_t(1 + random.below(100))});
  const Devices devices = devicesOf(4, 16, 0.125);
  const Problem problem(graph, devices);
  const StageGraph unions(problem, Blocks::OfAnyPlacement);
  const std::vector<char> all(size_t(unions.count()), true);
  const double load = unions.totalSeconds / 4;
  BlockCapacities free(unions);
  const double exact = free.of({0}, load, all).at(load);
  const int64_t whole = free.work();
  for (const int64_t most : {whole / 2, whole / 8, int64_t(0)}) {
    CAPTURE(most, whole);
    BlockCapacities capacities(unions);
    capacities.limitWork(most);
    const BlockCapacity found = capacities.of({0}, load, all);
    CHECK(found.at(load) >= exact);
    CHECK(capacities.leastLoad({0}, all) <= free.leastLoad({0}, all));
    // But for the edges of one network, and one path or one look at a node.
    constexpr int64_t kLevels = 8;
    CHECK(capacities.work() < most + 3 * kLevels * kSide * kSide);
  }
}

TEST_CASE("a task's sources run on its device, or come from another one") {
  // Four sources of 1 s whose data takes 10 s: all on one device is best.
  TaskGraph graph;
  for (int i = 0; i < 4; ++i)
    addTask(graph, 1, 10);
  const int reader = addTask(graph, 1);
  for (int i = 0; i < 4; ++i)
    graph.edges.push_back({i, reader, 10});
  const Devices devices = devicesOf(4, 1, 0);
  const Problem problem(graph, devices);
  CHECK(criticalPath(problem) == 2);
  CHECK(makespanBound(problem) == 5);
}

TEST_CASE("what has to run in a window fits into the devices") {
  // Between a first and a last task, six of 1 s on two devices.
  TaskGraph graph;
  const int first = addTask(graph, 1), last = addTask(graph, 1);
  for (int i = 0; i < 6; ++i) {
    const int task = addTask(graph, 1);
    graph.edges.push_back({first, task, 0});
    graph.edges.push_back({task, last, 0});
  }
  const Devices devices = devicesOf(2, 1, 0);
  const Problem problem(graph, devices);
  CHECK(criticalPath(problem) == 3);
  CHECK(makespanBound(problem) == 5);
}
