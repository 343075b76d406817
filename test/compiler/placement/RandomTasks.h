// Small random task graphs with all that a graph may have: residual tasks and
// references, tasks that stay together, tasks without a kernel for GPUs, tasks
// without time or bytes, readers of parts.
#ifndef SMEX_TEST_COMPILER_PLACEMENT_RANDOMTASKS_H
#define SMEX_TEST_COMPILER_PLACEMENT_RANDOMTASKS_H

#include "compiler/placement/Schedule.h"

#include <algorithm>
#include <random>

namespace smex::placement::test {

/// The same numbers on every machine, which std's distributions don't promise.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  /// One of 0 .. n - 1.
  int64_t below(int64_t n) { return int64_t(engine() % uint64_t(n)); }
  bool chance(int percent) { return below(100) < percent; }

private:
  std::mt19937_64 engine;
};

inline int addTask(TaskGraph &graph, double seconds, int64_t bytes = 0) {
  Task task;
  task.name = "t" + std::to_string(graph.tasks.size());
  task.seconds = seconds;
  task.bytes = bytes;
  graph.tasks.push_back(task);
  return int(graph.tasks.size()) - 1;
}

struct Kinds {
  bool zeroSeconds = true, memory = true, together = true, host = true;
  /// Outputs that are kept, parts that are told apart.
  bool kept = false, parts = false;
  /// Ids that are not in a topological order.
  bool shuffled = true;
};

/// Of `count` tasks with about `density` inputs each. Seconds are multiples of
/// 1/4, so that sums of them are exact.
inline TaskGraph randomTasks(Random &random, int count, double density,
                             const Kinds &kinds = {}) {
  TaskGraph graph;
  std::vector<int> id(static_cast<size_t>(count)); // of the i-th in a
                                                   // topological order
  for (int i = 0; i < count; ++i)
    id[size_t(i)] = i;
  if (kinds.shuffled)
    for (int i = count - 1; i > 0; --i)
      std::swap(id[size_t(i)], id[size_t(random.below(i + 1))]);
  for (int i = 0; i < count; ++i) {
    const int task =
        addTask(graph, double(1 + random.below(12)) / 4, random.below(20));
    Task &made = graph.tasks[size_t(task)];
    if (kinds.zeroSeconds && random.chance(15))
      made.seconds = 0;
    if (kinds.host && random.chance(8))
      made.hasGpuKernel = false;
    if (kinds.memory && random.chance(15))
      made.memory = MemoryKind::Residual;
    else if (kinds.kept && random.chance(8))
      made.kept = true;
  }
  for (int i = 1; i < count; ++i) {
    const int reader = id[size_t(i)];
    const int inputs = int(random.below(int64_t(density * 2) + 1));
    for (int k = 0; k < inputs; ++k) {
      const int maker = id[size_t(random.below(i))];
      const int64_t bytes = graph.tasks[size_t(maker)].bytes;
      const bool isWhole = random.chance(70);
      graph.edges.push_back({maker, reader, isWhole ? bytes : bytes / 2});
      if (!isWhole && kinds.parts && random.chance(60))
        graph.edges.back().part = int(1 + random.below(3));
    }
  }
  for (int i = 1; i < count && kinds.memory; ++i) {
    Task &task = graph.tasks[size_t(id[size_t(i)])];
    const int target = id[size_t(random.below(i))];
    const Task &targeted = graph.tasks[size_t(target)];
    if (!random.chance(10) || targeted.memory == MemoryKind::Reference)
      continue;
    task.memory = MemoryKind::Reference;
    task.target = target;
    graph.edges.push_back({target, id[size_t(i)], 0});
  }
  for (const Edge &edge : graph.edges) {
    Task &task = graph.tasks[size_t(edge.to)];
    if (kinds.memory && task.memory == MemoryKind::Normal &&
        edge.bytes >= task.bytes && random.chance(30))
      task.overwrites = edge.from;
  }
  for (int i = 0; i < count && kinds.together; ++i)
    if (random.chance(10))
      graph.tasks[size_t(i)].together = int(random.below(4));
  // Unions are on GPUs or on the host as their first tasks are.
  const std::vector<int> unions = unionsOf(graph);
  for (int i = 0; i < count; ++i)
    graph.tasks[size_t(i)].hasGpuKernel =
        graph.tasks[size_t(unions[size_t(i)])].hasGpuKernel;
  return graph;
}

inline Placement randomPlacement(Random &random, const Problem &problem) {
  Placement placement(problem.graph.tasks.size());
  for (size_t t = 0; t < placement.size(); ++t) {
    const size_t first = size_t(problem.unions[t]);
    placement[t] = !problem.graph.tasks[t].hasGpuKernel ? problem.devices.host()
                   : first == t ? int(random.below(problem.devices.count))
                                : placement[first];
  }
  return placement;
}

inline Devices devicesOf(int count, double bytesPerSecond = 4,
                         double latencySeconds = 0.25) {
  Devices devices;
  devices.count = count;
  devices.bytesPerSecond = bytesPerSecond;
  devices.hostBytesPerSecond = bytesPerSecond / 2;
  devices.latencySeconds = latencySeconds;
  return devices;
}

} // namespace smex::placement::test

#endif
