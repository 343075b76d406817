#include "compiler/placement/Schedule.h"

#include "compiler/placement/Levels.h"
#include "compiler/placement/Transfers.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>

using namespace smex;
using namespace smex::placement;

Problem::Problem(const TaskGraph &graph, const Devices &devices)
    : graph(graph), devices(devices), adjacency(graph),
      order(topologicalOrder(graph, adjacency)), unions(unionsOf(graph)) {}

namespace {

/// What all emulators share: who waits for what, and which devices are busy.
class Emulation {
public:
  Emulation(const Problem &problem, const Placement &placement)
      : problem(problem), placement(placement), transfers(problem, placement),
        arrival(size_t(problem.devices.count) + 1),
        free(size_t(problem.devices.count) + 1),
        missing(problem.graph.tasks.size()), ready(problem.graph.tasks.size()) {
    const size_t count = problem.graph.tasks.size();
    for (size_t t = 0; t < count; ++t)
      missing[t] = int(problem.adjacency.into(int(t)).size());
    schedule.start.resize(count);
    schedule.finish.resize(count);
    schedule.order.reserve(count);
  }

  bool waits(int task) const { return missing[size_t(task)] > 0; }
  /// When the last of what it reads arrives, once no more is missing.
  double readySeconds(int task) const { return ready[size_t(task)]; }
  int deviceOf(int task) const { return placement[size_t(task)]; }
  /// When the device has done what it has started; the host is always free.
  double freeSeconds(int device) const { return free[size_t(device)]; }

  /// Starts a task whose inputs are all known as early as its device can, and
  /// calls `release` with each task that now waits for nothing.
  template <typename Release> void run(int task, Release release) {
    const int device = deviceOf(task);
    const double start = std::max(ready[size_t(task)], free[size_t(device)]);
    const double finish = start + problem.graph.tasks[size_t(task)].seconds;
    if (device != problem.devices.host())
      free[size_t(device)] = finish;
    schedule.start[size_t(task)] = start;
    schedule.finish[size_t(task)] = finish;
    schedule.makespan = std::max(schedule.makespan, finish);
    schedule.order.push_back(task);
    for (int to : transfers.of(task))
      arrival[size_t(to)] = finish + problem.devices.transferSeconds(
                                         transfers.bytesTo(to), device, to);
    arrival[size_t(device)] = finish;
    for (int e : problem.adjacency.outOf(task)) {
      const int to = problem.graph.edges[size_t(e)].to;
      ready[size_t(to)] =
          std::max(ready[size_t(to)], arrival[size_t(deviceOf(to))]);
      if (--missing[size_t(to)] == 0)
        release(to);
    }
  }

  /// Tasks that start at the same time stay in the order in which they were
  /// run: those that read come after those that make.
  Schedule done() {
    std::stable_sort(
        schedule.order.begin(), schedule.order.end(), [&](int a, int b) {
          return schedule.start[size_t(a)] < schedule.start[size_t(b)];
        });
    return std::move(schedule);
  }

private:
  const Problem &problem;
  const Placement &placement;
  Transfers transfers;
  std::vector<double> arrival; // at each device, of what the last task made
  std::vector<double> free;    // by device
  std::vector<int> missing;    // by task: inputs that nobody has made yet
  std::vector<double> ready;   // by task
  Schedule schedule;
};

/// The tasks of one device that wait for nothing but the device.
class ReadyTasks {
public:
  void push(double ready, double bottom, int task) {
    coming.push({ready, -bottom, task});
  }
  /// The task that can start first, and when, largest bottom level first; none
  /// on an empty device.
  std::optional<std::tuple<double, double, int>> first(double free) {
    for (; !coming.empty() && std::get<0>(coming.top()) <= free; coming.pop())
      there.push({std::get<1>(coming.top()), std::get<2>(coming.top())});
    if (!there.empty())
      return std::tuple(free, there.top().first, there.top().second);
    if (!coming.empty())
      return coming.top();
    return std::nullopt;
  }
  /// Removes what `first` returned.
  void pop() {
    if (!there.empty())
      there.pop();
    else
      coming.pop();
  }

private:
  template <typename Key>
  using MinHeap = std::priority_queue<Key, std::vector<Key>, std::greater<Key>>;
  MinHeap<std::tuple<double, double, int>> coming; // ready, -bottom, task
  MinHeap<std::pair<double, int>> there;           // -bottom, task
};

} // namespace

Schedule placement::firstInFirstOut(const Problem &problem,
                                    const Placement &placement) {
  Emulation emulation(problem, placement);
  // What becomes ready does so no earlier than what made it so: one queue for
  // all devices serves them in the order of their own.
  using Ready = std::pair<double, int>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<Ready>> queue;
  for (size_t t = 0; t < problem.graph.tasks.size(); ++t)
    if (!emulation.waits(int(t)))
      queue.push({0, int(t)});
  while (!queue.empty()) {
    const int task = queue.top().second;
    queue.pop();
    emulation.run(task, [&](int next) {
      queue.push({emulation.readySeconds(next), next});
    });
  }
  return emulation.done();
}

Schedule placement::inOrder(const Problem &problem, const Placement &placement,
                            const std::vector<int> &order) {
  Emulation emulation(problem, placement);
  for (int task : order)
    emulation.run(task, [](int) {});
  return emulation.done();
}

Schedule placement::inGivenOrder(const Problem &problem,
                                 const Placement &placement) {
  return inOrder(problem, placement, problem.order);
}

Schedule placement::listedInGivenOrder(const Problem &problem,
                                       const Placement &placement) {
  Schedule schedule = inGivenOrder(problem, placement);
  schedule.list = problem.order;
  schedule.copied.resize(schedule.list.size());
  for (size_t place = 0; place < schedule.list.size(); ++place)
    schedule.copied[size_t(schedule.list[place])] = int(place);
  return schedule;
}

Schedule placement::earliestStartFirst(const Problem &problem,
                                       const Placement &placement) {
  Emulation emulation(problem, placement);
  const Levels level = levels(problem, edgeSeconds(problem, placement));
  const int places = problem.devices.count + 1;
  std::vector<ReadyTasks> ready(static_cast<size_t>(places));
  // Each device's first task, by when it can start: start, -bottom, task.
  std::set<std::tuple<double, double, int>> firsts;
  std::vector<std::optional<std::tuple<double, double, int>>> first(
      static_cast<size_t>(places));
  const auto update = [&](int device) {
    auto &now = first[size_t(device)];
    if (now)
      firsts.erase(*now);
    if ((now = ready[size_t(device)].first(emulation.freeSeconds(device))))
      firsts.insert(*now);
  };
  const auto release = [&](int task) {
    ready[size_t(emulation.deviceOf(task))].push(
        emulation.readySeconds(task), level.bottom[size_t(task)], task);
    update(emulation.deviceOf(task));
  };
  for (size_t t = 0; t < problem.graph.tasks.size(); ++t)
    if (!emulation.waits(int(t)))
      release(int(t));
  while (!firsts.empty()) {
    const int task = std::get<2>(*firsts.begin());
    const int device = emulation.deviceOf(task);
    ready[size_t(device)].pop();
    emulation.run(task, release);
    update(device);
  }
  return emulation.done();
}
