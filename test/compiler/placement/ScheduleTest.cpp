#include "compiler/placement/Schedule.h"
#include "compiler/placement/TransferQueues.h"
#include "test/compiler/placement/RandomTasks.h"

#include <catch2/catch.hpp>

#include <functional>
#include <map>
#include <set>

using namespace smex;
using namespace smex::placement;
using namespace smex::placement::test;

namespace {

/// When all that a task reads has arrived; only if it has all finished.
double arrivalOf(const Problem &problem, const Placement &placement,
                 const Schedule &schedule, int task) {
  double arrival = 0;
  for (const Edge &edge : problem.graph.edges) {
    if (edge.to != task)
      continue;
    int64_t bytes = 0;
    for (const Edge &other : problem.graph.edges)
      if (other.from == edge.from &&
          placement[size_t(other.to)] == placement[size_t(task)])
        bytes = std::max(bytes, other.bytes);
    arrival = std::max(arrival, schedule.finish[size_t(edge.from)] +
                                    problem.devices.transferSeconds(
                                        bytes, placement[size_t(edge.from)],
                                        placement[size_t(task)]));
  }
  return arrival;
}

/// What a ready queue would do, by trying all tasks again and again: `better`
/// says whether the first may start rather than the second, of tasks whose
/// inputs are all made.
template <typename Better>
Schedule naive(const Problem &problem, const Placement &placement,
               Better better) {
  const size_t count = problem.graph.tasks.size();
  Schedule schedule;
  schedule.start.resize(count), schedule.finish.resize(count);
  std::set<int> left;
  for (size_t t = 0; t < count; ++t)
    left.insert(int(t));
  std::map<int, double> free;
  while (!left.empty()) {
    int best = -1;
    double bestArrival = 0, bestStart = 0;
    for (int t : left) {
      bool isReady = true;
      for (const Edge &edge : problem.graph.edges)
        isReady = isReady && (edge.to != t || !left.count(edge.from));
      if (!isReady)
        continue;
      const double arrival = arrivalOf(problem, placement, schedule, t);
      const int device = placement[size_t(t)];
      const double start = std::max(
          arrival, device == problem.devices.host() ? 0 : free[device]);
      if (best < 0 || better(t, arrival, start, best, bestArrival, bestStart))
        best = t, bestArrival = arrival, bestStart = start;
    }
    left.erase(best);
    schedule.start[size_t(best)] = bestStart;
    schedule.finish[size_t(best)] =
        bestStart + problem.graph.tasks[size_t(best)].seconds;
    free[placement[size_t(best)]] = schedule.finish[size_t(best)];
  }
  return schedule;
}

/// The longest path from a task to the end, by trying all paths.
double bottomOf(const Problem &problem, const Placement &placement, int task) {
  double longest = 0;
  for (const Edge &edge : problem.graph.edges)
    if (edge.from == task)
      longest = std::max(longest, problem.devices.transferSeconds(
                                      edge.bytes, placement[size_t(task)],
                                      placement[size_t(edge.to)]) +
                                      bottomOf(problem, placement, edge.to));
  return longest + problem.graph.tasks[size_t(task)].seconds;
}

struct Case {
  TaskGraph graph;
  Devices devices;
};

Case randomCase(Random &random) {
  Kinds kinds;
  kinds.zeroSeconds = random.chance(50);
  return {randomTasks(random, int(1 + random.below(14)),
                      1 + double(random.below(2)), kinds),
          devicesOf(int(1 + random.below(4)), 4, random.chance(50) ? 0 : 0.25)};
}

} // namespace

TEST_CASE("first in, first out") {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Case drawn = randomCase(random);
    const Problem problem(drawn.graph, drawn.devices);
    const Placement placement = randomPlacement(random, problem);
    REQUIRE(validate(problem, placement));
    const Schedule schedule = firstInFirstOut(problem, placement);
    const Status status = validate(problem, placement, schedule);
    CHECK((status ? "" : status.error().message) == "");
    const Schedule expected = naive(
        problem, placement,
        [](int a, double arrivalA, double, int b, double arrivalB, double) {
          return std::pair(arrivalA, a) < std::pair(arrivalB, b);
        });
    CHECK(schedule.start == expected.start);
  }
}

TEST_CASE("earliest start first") {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Case drawn = randomCase(random);
    const Problem problem(drawn.graph, drawn.devices);
    const Placement placement = randomPlacement(random, problem);
    const Schedule schedule = earliestStartFirst(problem, placement);
    const Status status = validate(problem, placement, schedule);
    CHECK((status ? "" : status.error().message) == "");
    const Schedule expected =
        naive(problem, placement,
              [&](int a, double, double startA, int b, double, double startB) {
                return std::tuple(startA, -bottomOf(problem, placement, a), a) <
                       std::tuple(startB, -bottomOf(problem, placement, b), b);
              });
    CHECK(schedule.start == expected.start);
  }
}

TEST_CASE("in the given order") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Case drawn = randomCase(random);
    const Problem problem(drawn.graph, drawn.devices);
    const Placement placement = randomPlacement(random, problem);
    const Schedule schedule = inGivenOrder(problem, placement);
    const Status status = validate(problem, placement, schedule);
    CHECK((status ? "" : status.error().message) == "");
    for (int device = 0; device < drawn.devices.count; ++device) {
      std::vector<int> wanted, got;
      for (int task : problem.order)
        if (placement[size_t(task)] == device)
          wanted.push_back(task);
      for (int task : schedule.order)
        if (placement[size_t(task)] == device)
          got.push_back(task);
      CHECK(got == wanted);
    }
  }
}

TEST_CASE("with transfers that wait for each other") {
  const ReadyOrder orders[] = {ReadyOrder::FirstIn, ReadyOrder::BottomLevel,
                               ReadyOrder::Given};
  int longer = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Case drawn = randomCase(random);
    // Where no transfer has bytes, none waits.
    const bool noBytes = random.chance(25);
    for (Edge &edge : drawn.graph.edges)
      edge.bytes = noBytes ? 0 : edge.bytes;
    // What takes no time may make another task ready at the time at which a
    // device has chosen.
    const bool hasInstants =
        std::any_of(drawn.graph.tasks.begin(), drawn.graph.tasks.end(),
                    [](const Task &task) { return task.seconds == 0; });
    const Problem problem(drawn.graph, drawn.devices);
    const Placement placement = randomPlacement(random, problem);
    for (const ReadyOrder order : orders) {
      const Schedule schedule = withTransferQueues(problem, placement, order);
      const Status status = validate(problem, placement, schedule);
      CHECK((status ? "" : status.error().message) == "");
      if (order == ReadyOrder::Given) {
        const Schedule free = inGivenOrder(problem, placement);
        longer += schedule.makespan > free.makespan;
        CHECK(schedule.makespan >= free.makespan);
        if (noBytes)
          CHECK(schedule.start == free.start);
      } else if (noBytes && !hasInstants && order == ReadyOrder::FirstIn) {
        CHECK(schedule.start == firstInFirstOut(problem, placement).start);
      }
    }
  }
  CHECK(longer > 50);
}

TEST_CASE("two transfers to one device come one after the other") {
  TaskGraph graph;
  const int a = addTask(graph, 1, 8), b = addTask(graph, 1.5, 8),
            c = addTask(graph, 1), d = addTask(graph, 1);
  graph.edges = {{a, c, 8}, {b, d, 8}, {a, d, 0}};
  const Devices devices = devicesOf(3, 4, 0);
  const Problem problem(graph, devices);
  const Placement placement = {0, 1, 2, 2};
  CHECK(firstInFirstOut(problem, placement).start ==
        std::vector<double>{0, 0, 3, 4});
  const Schedule schedule = transferQueues(problem, placement);
  CHECK(schedule.start == std::vector<double>{0, 0, 3, 5}); // d's at 3 + 2
  CHECK(schedule.makespan == 6);
}

TEST_CASE("on one device the makespan is the work") {
  Random random(7);
  const TaskGraph graph =
      randomTasks(random, 40, 2, {true, true, true, false, true});
  const Devices devices = devicesOf(1);
  const Problem problem(graph, devices);
  double work = 0;
  for (const Task &task : graph.tasks)
    work += task.seconds;
  for (const Emulator &emulator :
       {Emulator(firstInFirstOut), Emulator(inGivenOrder),
        Emulator(earliestStartFirst)})
    CHECK(emulator(problem, Placement(graph.tasks.size(), 0)).makespan == work);
}

TEST_CASE("the host runs any number of tasks at once") {
  TaskGraph graph;
  for (int i = 0; i < 3; ++i)
    graph.tasks[size_t(addTask(graph, 2))].hasGpuKernel = false;
  const Devices devices = devicesOf(2);
  const Problem problem(graph, devices);
  CHECK(firstInFirstOut(problem, {2, 2, 2}).makespan == 2);
  CHECK(earliestStartFirst(problem, {2, 2, 2}).makespan == 2);
}

TEST_CASE("a wrong schedule is told") {
  TaskGraph graph;
  const int a = addTask(graph, 1, 8), b = addTask(graph, 1),
            c = addTask(graph, 1);
  graph.edges = {{a, b, 8}};
  const Devices devices = devicesOf(2, 4, 0);
  const Problem problem(graph, devices);
  const Placement placement = {0, 1, 1};
  const Schedule right = firstInFirstOut(problem, placement);
  CHECK(right.start == std::vector<double>{0, 3, 0});
  REQUIRE(validate(problem, placement, right));
  const auto wrong = [&](const std::function<void(Schedule &)> &change) {
    Schedule schedule = right;
    change(schedule);
    const Status status = validate(problem, placement, schedule);
    REQUIRE(!status);
    CHECK(status.error().fault == Fault::Defect);
    return status.error().message;
  };
  using Catch::Matchers::Contains;
  const auto move = [](int task, double to) {
    return [=](Schedule &schedule) {
      schedule.start[size_t(task)] = to, schedule.finish[size_t(task)] = to + 1;
      schedule.makespan = std::max(schedule.finish[1], schedule.finish[2]);
    };
  };
  CHECK_THAT(wrong(move(b, 2.5)), Contains("\"t1\" starts at 2.5"));
  CHECK_THAT(wrong(move(b, 4)), Contains("\"t1\" starts at 4.0"));
  CHECK_THAT(wrong(move(c, 0.5)), Contains("\"t2\" starts at 0.5"));
  CHECK_THAT(wrong([](Schedule &s) { s.finish[1] = 9; }),
             Contains("is not how long it takes"));
  CHECK_THAT(wrong([](Schedule &s) { s.order = {1, 0, 2}; }),
             Contains("before the one"));
  CHECK_THAT(wrong([](Schedule &s) { s.order = {0, 0, 2}; }),
             Contains("each task once"));
  CHECK_THAT(wrong([](Schedule &s) { s.order.pop_back(); }),
             Contains("one entry per task"));
  CHECK_THAT(wrong([](Schedule &s) { s.makespan = 3; }),
             Contains("ends at 4.0"));
}

TEST_CASE("a wrong placement is told") {
  TaskGraph graph;
  for (int i = 0; i < 3; ++i)
    addTask(graph, 1);
  graph.tasks[0].together = graph.tasks[1].together = 5;
  graph.tasks[2].hasGpuKernel = false;
  const Devices devices = devicesOf(2);
  const Problem problem(graph, devices);
  CHECK(validate(problem, {1, 1, 2}));
  const auto wrong = [&](const Placement &placement) {
    const Status status = validate(problem, placement);
    REQUIRE(!status);
    CHECK(status.error().fault == Fault::Defect);
    return status.error().message;
  };
  using Catch::Matchers::Contains;
  CHECK_THAT(wrong({1, 1}), Contains("2 entries for 3 tasks"));
  CHECK_THAT(wrong({0, 1, 2}), Contains("on one device"));
  CHECK_THAT(wrong({3, 3, 2}), Contains("is on device 3 of 2"));
  CHECK_THAT(wrong({-1, -1, 2}), Contains("is on device -1"));
  CHECK_THAT(wrong({2, 2, 2}), Contains("is on the host"));
  CHECK_THAT(wrong({0, 0, 0}), Contains("has no kernel for GPUs"));
}
