#include "compiler/placement/Memory.h"
#include "compiler/placement/TransferQueues.h"
#include "test/compiler/placement/NaiveMemory.h"
#include "test/compiler/placement/RandomTasks.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::placement;
using namespace smex::placement::test;

namespace {

/// Edges carry all of what is made.
void read(TaskGraph &graph, int maker, int reader) {
  graph.edges.push_back({maker, reader, graph.tasks[size_t(maker)].bytes});
}

int64_t peakInOrder(const TaskGraph &graph, const std::vector<int> &order) {
  const Devices devices = devicesOf(1);
  const Problem problem(graph, devices);
  const Placement placement(graph.tasks.size(), 0);
  Schedule schedule;
  schedule.order = order;
  schedule.start.resize(order.size()), schedule.finish.resize(order.size());
  for (int task : order) {
    schedule.start[size_t(task)] = schedule.makespan;
    schedule.makespan += graph.tasks[size_t(task)].seconds;
    schedule.finish[size_t(task)] = schedule.makespan;
  }
  REQUIRE(validate(problem, placement, schedule));
  return memoryUse(problem, placement, schedule).most();
}

} // namespace

// The figure is a picture; this graph has what its caption says.
TEST_CASE("Figure 4.3: the order of tasks decides about the peak") {
  TaskGraph graph;
  enum { A, B, C, D, E, F, G };
  for (int64_t bytes : {1, 4, 2, 1, 2, 2, 2})
    addTask(graph, 1, bytes);
  // C's output stays for D, E and F; B is read by G alone.
  for (auto [maker, reader] : std::vector<std::pair<int, int>>{{A, B},
                                                               {A, C},
                                                               {C, D},
                                                               {C, E},
                                                               {C, F},
                                                               {D, F},
                                                               {E, F},
                                                               {B, G},
                                                               {F, G}})
    read(graph, maker, reader);
  CHECK(peakInOrder(graph, {A, C, D, E, F, B, G}) == 8);  // B, F and G
  CHECK(peakInOrder(graph, {A, B, C, D, E, F, G}) == 11); // B to F
}

TEST_CASE("a copy is there from when its maker has finished, by largest part") {
  TaskGraph graph;
  const int maker = addTask(graph, 1, 10), other = addTask(graph, 4, 5);
  const int small = addTask(graph, 1), large = addTask(graph, 1);
  graph.edges = {{maker, small, 3}, {maker, large, 7}};
  Devices devices = devicesOf(2, 1, 0);
  const Problem problem(graph, devices);
  const Placement placement = {0, 1, 1, 1};
  const Schedule schedule = firstInFirstOut(problem, placement);
  REQUIRE(validate(problem, placement, schedule));
  CHECK(schedule.start[size_t(other)] == 0);
  CHECK(schedule.start[size_t(small)] == 8); // both wait for the larger part
  const MemoryUse use = memoryUse(problem, placement, schedule);
  CHECK(use.peakBytes == std::vector<int64_t>{10, 12});
  CHECK(use.peakTime == std::vector<double>{0, 1});
  devices.memoryBytes = 12;
  CHECK(fits(devices, use));
  devices.memoryBytes = 11;
  CHECK(!fits(devices, use));
  devices.memoryBytes = 14, devices.spare = 0.1;
  CHECK(fits(devices, use));
  devices.spare = 0.2;
  CHECK(!fits(devices, use));
}

TEST_CASE("residual outputs stay, references have their target's") {
  TaskGraph graph;
  const int weight = addTask(graph, 0, 100), x = addTask(graph, 1, 10);
  const int update = addTask(graph, 1, 10), reader = addTask(graph, 1, 1);
  const int later = addTask(graph, 1, 50);
  graph.tasks[size_t(weight)].memory = MemoryKind::Residual;
  graph.tasks[size_t(update)].memory = MemoryKind::Reference;
  graph.tasks[size_t(update)].target = x;
  read(graph, weight, x), read(graph, x, update);
  read(graph, update, reader), read(graph, reader, later);
  const Devices devices = devicesOf(1);
  const Problem problem(graph, devices);
  const Placement placement(5, 0);
  const Schedule schedule = inGivenOrder(problem, placement);
  const MemoryUse use = memoryUse(problem, placement, schedule);
  CHECK(use.residualBytes == std::vector<int64_t>{100});
  // weight, reader and later; x has gone when reader had finished.
  CHECK(use.peakBytes == std::vector<int64_t>{151});
  CHECK(use.peakTime == std::vector<double>{3});
  const NaiveMemory naive(problem, placement, schedule);
  CHECK(naive.bytesOf(x, 0, naive.starts(reader)) == 10);
  CHECK(naive.bytesOf(x, 0, naive.starts(later)) == 0);
}

TEST_CASE("an output is in the place of one that nobody reads any more") {
  TaskGraph graph;
  enum { A, B, Sum, Reader };
  for (int64_t bytes : {10, 10, 10, 1})
    addTask(graph, 1, bytes);
  read(graph, A, Sum), read(graph, B, Sum), read(graph, Sum, Reader);
  CHECK(peakInOrder(graph, {A, B, Sum, Reader}) == 30);
  graph.tasks[Sum].overwrites = A;
  REQUIRE(validate(graph));
  CHECK(peakInOrder(graph, {A, B, Sum, Reader}) == 20);
  // Not while somebody else reads it.
  read(graph, A, Reader);
  CHECK(peakInOrder(graph, {A, B, Sum, Reader}) == 30);
  // On another device it is a copy that is overwritten.
  graph.edges.pop_back();
  const Devices devices = devicesOf(2);
  const Problem problem(graph, devices);
  const Placement placement = {0, 1, 1, 1};
  const MemoryUse use =
      memoryUse(problem, placement, inGivenOrder(problem, placement));
  CHECK(use.peakBytes == std::vector<int64_t>{10, 20});

  graph.tasks[Sum].overwrites = Reader;
  CHECK(validate(graph).error().message ==
        "task \"t2\" overwrites the output of task \"t3\", and does not read "
        "as many bytes of it as it makes");
  graph.tasks[Sum].overwrites = A;
  graph.edges[0].bytes = 9;
  CHECK(!validate(graph));
  graph.edges[0].bytes = 10;
  graph.tasks[Sum].memory = MemoryKind::Residual;
  CHECK(validate(graph).error().message ==
        "task \"t2\": only a normal task overwrites another task's output");
}

TEST_CASE("of a plan, memory is by its list, and parameters are fetched late") {
  TaskGraph graph;
  enum { Weight, X, First, Second, Last };
  for (int64_t bytes : {100, 10, 20, 30, 1})
    addTask(graph, 1, bytes);
  graph.tasks[Weight].memory = MemoryKind::Residual;
  graph.tasks[Weight].seconds = 0;
  read(graph, X, First), read(graph, First, Second), read(graph, Weight, Last);
  read(graph, Second, Last);
  // What only orders takes no memory.
  graph.edges.push_back({X, Last, 0});
  const Devices devices = devicesOf(2);
  const Problem problem(graph, devices);
  const Placement placement = {0, 0, 1, 1, 1};
  const Schedule schedule = listedInGivenOrder(problem, placement);
  CHECK(schedule.list == std::vector<int>{Weight, X, First, Second, Last});
  // X has a copy, which goes with First; then Second, Weight's copy and Last.
  CHECK(memoryUse(problem, placement, schedule).peakBytes ==
        std::vector<int64_t>{110, 131});
  // By the thesis the weight's copy is there from the start.
  CHECK(memoryUse(problem, placement, inGivenOrder(problem, placement))
            .peakBytes == std::vector<int64_t>{110, 150});
  graph.tasks[First].kept = true;
  CHECK(memoryUse(problem, placement, schedule).peakBytes ==
        std::vector<int64_t>{110, 151});
}

TEST_CASE("memory is equation 4.3's at every moment") {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Kinds kinds;
    kinds.zeroSeconds = random.chance(50);
    kinds.kept = kinds.parts = true;
    const TaskGraph graph = randomTasks(random, int(1 + random.below(14)),
                                        1 + double(random.below(3)), kinds);
    REQUIRE(validate(graph));
    const Devices devices =
        devicesOf(int(1 + random.below(4)), 4, random.chance(50) ? 0 : 0.25);
    const Problem problem(graph, devices);
    const Placement placement = randomPlacement(random, problem);
    const std::vector<Emulator> emulators = {
        firstInFirstOut, earliestStartFirst, listedInGivenOrder,
        [](const Problem &of, const Placement &placed) {
          return transferQueues(of, placed);
        }};
    const Emulator &emulator =
        emulators[size_t(random.below(int64_t(emulators.size())))];
    const Schedule schedule = emulator(problem, placement);
    const MemoryUse use = memoryUse(problem, placement, schedule);
    const NaiveMemory naive(problem, placement, schedule);
    for (int device = 0; device < devices.count; ++device) {
      CAPTURE(device);
      const auto [most, when] = naive.peak(device);
      CHECK(use.peakBytes[size_t(device)] == most);
      if (!naive.isListed())
        CHECK(use.peakTime[size_t(device)] == when);
    }
  }
}
