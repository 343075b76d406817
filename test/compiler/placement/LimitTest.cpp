// Limits of memory that refusals name.
#include "compiler/placement/Algorithm.h"
#include "test/compiler/placement/RandomTasks.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::placement;
using namespace smex::placement::test;

namespace {

/// What a refusal says that works; 0 if it says nothing.
int64_t namedBy(const std::string &message) {
  const std::string before = "; the smallest limit found to work is ";
  const size_t at = message.find(before);
  if (at == std::string::npos || message.substr(message.size() - 6) != " bytes")
    return 0;
  return std::stoll(message.substr(at + before.size()));
}

/// Whether there is something that no order of tasks frees.
bool takesMemory(const TaskGraph &graph) {
  for (const Task &task : graph.tasks)
    if (task.hasGpuKernel && task.memory == MemoryKind::Residual &&
        task.bytes > 10)
      return true;
  return false;
}

} // namespace

TEST_CASE("a limit that a refusal names works, and mostly no tenth less does") {
  int named = 0, close = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const TaskGraph graph =
        randomTasks(random, int(12 + random.below(40)), 1.2);
    if (!takesMemory(graph))
      continue;
    Devices devices = devicesOf(int(1 + random.below(4)));
    devices.spare = random.chance(30) ? 0.1 : 0;
    // Far too little, as a first try may be.
    devices.memoryBytes = 1 + random.below(30);
    for (const Algorithm &algorithm : algorithms()) {
      // Each search takes a tenth of a second, for however few tasks.
      if (algorithm.name == "pipeline" && seed % 10 != 0)
        continue;
      CAPTURE(seed, algorithm.name);
      const auto refused = place(Problem(graph, devices), algorithm.name);
      if (refused)
        continue;
      CAPTURE(refused.error().message);
      const int64_t limit = namedBy(refused.error().message);
      REQUIRE(limit > *devices.memoryBytes);
      ++named;
      Devices other = devices;
      other.memoryBytes = limit;
      CHECK(place(Problem(graph, other), algorithm.name));
      Params unnamed;
      unnamed.namesLimit = false;
      other.memoryBytes = limit * 9 / 10;
      close += !place(Problem(graph, other), algorithm.name, unnamed);
    }
  }
  CAPTURE(named, close);
  CHECK(named > 200);
  CHECK(close * 10 >= named * 9);
}

TEST_CASE("limits are of a GPU where devices are groups of them") {
  TaskGraph graph;
  for (int i = 0; i < 2; ++i) {
    addTask(graph, 1, 100);
    graph.tasks.back().memory = MemoryKind::Residual;
  }
  Devices devices = devicesOf(1);
  devices.gpusEach = 4;
  devices.memoryBytes = 40;
  const auto all = place(Problem(graph, devices), "heft");
  REQUIRE(!all);
  CHECK(all.error().message ==
        "tasks whose memory is never freed need 200 bytes, and 4 GPUs have 40 "
        "each; the smallest limit found to work is 50 bytes");
  devices.memoryBytes = 20;
  const auto one = place(Problem(graph, devices), "heft");
  REQUIRE(!one);
  CHECK(one.error().message ==
        "task \"t0\" needs 25 bytes of each GPU of its group for what it makes "
        "and reads, and a GPU has 20; the smallest limit found to work is 50 "
        "bytes");
  devices.memoryBytes = 50;
  CHECK(place(Problem(graph, devices), "heft"));
}
