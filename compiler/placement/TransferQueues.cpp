#include "compiler/placement/TransferQueues.h"

#include "compiler/placement/Levels.h"
#include "compiler/placement/Transfers.h"

#include <algorithm>
#include <queue>
#include <tuple>

using namespace smex;
using namespace smex::placement;

namespace {

template <typename Key>
using MinHeap = std::priority_queue<Key, std::vector<Key>, std::greater<Key>>;

/// From event to event, in the order of time: a task ends, or all that it reads
/// has arrived.
class Emulation {
public:
  /// `given`: what devices keep to, if the order is given.
  Emulation(const Problem &problem, const Placement &placement,
            ReadyOrder order, const std::vector<int> &given)
      : problem(problem), placement(placement), order(order),
        transfers(problem, placement),
        devices(size_t(problem.devices.count) + 1), arrival(devices.size()),
        missing(problem.graph.tasks.size()), ready(problem.graph.tasks.size()),
        key(problem.graph.tasks.size()), begun(problem.graph.tasks.size()) {
    const size_t count = problem.graph.tasks.size();
    schedule.transfersWait = true;
    schedule.start.resize(count);
    schedule.finish.resize(count);
    for (size_t t = 0; t < count; ++t)
      missing[t] = int(problem.adjacency.into(int(t)).size());
    if (order == ReadyOrder::BottomLevel) {
      const Levels level = levels(problem, edgeSeconds(problem, placement));
      for (size_t t = 0; t < count; ++t)
        key[t] = -level.bottom[t];
    }
    if (order == ReadyOrder::Given)
      for (size_t i = 0; i < count; ++i) {
        const int task = given[i];
        key[size_t(task)] = double(i);
        devices[size_t(placement[size_t(task)])].given.push_back(task);
      }
  }

  /// The list is that of the tasks as they start, or the problem's.
  Schedule run(bool listsProblem) {
    for (size_t t = 0; t < missing.size(); ++t)
      if (missing[t] == 0)
        events.push({0, Kind::Ready, 0, int(t)});
    while (!events.empty()) {
      const double now = std::get<double>(events.top());
      std::vector<int> touched;
      // All that happens at this time, before anything starts.
      while (!events.empty() && std::get<double>(events.top()) == now) {
        const auto [time, kind, number, task] = events.top();
        events.pop();
        const int device = placement[size_t(task)];
        if (kind == Kind::Ready) {
          if (order == ReadyOrder::FirstIn)
            key[size_t(task)] = now;
          devices[size_t(device)].ready.push({key[size_t(task)], task});
        } else {
          devices[size_t(device)].busy = false;
          ended(task);
        }
        touched.push_back(device);
      }
      for (const int device : touched)
        startNext(device, now);
    }
    schedule.order.resize(placement.size());
    for (size_t t = 0; t < placement.size(); ++t)
      schedule.order[size_t(begun[t])] = int(t);
    if (listsProblem)
      list(problem.order, /*byTime=*/false);
    else
      list(schedule.order, /*byTime=*/true);
    return std::move(schedule);
  }

private:
  enum class Kind { Ended, Ready };

  struct Device {
    MinHeap<std::pair<double, int>> ready; // key, task
    std::vector<int> given;                // all its tasks, in the given order
    size_t next = 0;                       // of these
    bool busy = false;
    double received = 0; // when the last transfer into it is there
  };

  /// Copies come when their originals are finished, if the list is by time; or
  /// right behind what makes them.
  void list(const std::vector<int> &tasks, bool byTime) {
    schedule.list = tasks;
    schedule.copied.resize(tasks.size());
    for (size_t place = 0; place < tasks.size(); ++place) {
      const double finish = schedule.finish[size_t(tasks[place])];
      size_t behind = place + 1;
      if (byTime)
        behind = size_t(std::partition_point(
                            tasks.begin() + int64_t(behind), tasks.end(),
                            [&](int other) {
                              return schedule.start[size_t(other)] < finish;
                            }) -
                        tasks.begin());
      schedule.copied[size_t(tasks[place])] = int(behind) - 1;
    }
  }

  void startNext(int number, double now) {
    Device &device = devices[size_t(number)];
    const bool isHost = number == problem.devices.host();
    while (!device.ready.empty() && (isHost || !device.busy)) {
      const int task = device.ready.top().second;
      if (order == ReadyOrder::Given && !isHost &&
          task != device.given[device.next])
        return;
      device.ready.pop();
      ++device.next;
      device.busy = true;
      const double finish = now + problem.graph.tasks[size_t(task)].seconds;
      schedule.start[size_t(task)] = now;
      schedule.finish[size_t(task)] = finish;
      schedule.makespan = std::max(schedule.makespan, finish);
      begun[size_t(task)] = started;
      events.push({finish, Kind::Ended, started++, task});
    }
  }

  void ended(int task) {
    const int own = placement[size_t(task)];
    const double finish = schedule.finish[size_t(task)];
    for (const int to : transfers.of(task)) {
      Device &device = devices[size_t(to)];
      const int64_t bytes = transfers.bytesTo(to);
      const double seconds = problem.devices.transferSeconds(bytes, own, to);
      if (to == problem.devices.host() || bytes == 0)
        arrival[size_t(to)] = finish + seconds;
      else
        arrival[size_t(to)] = device.received =
            std::max(device.received, finish) + seconds;
    }
    arrival[size_t(own)] = finish;
    for (const int e : problem.adjacency.outOf(task)) {
      const int to = problem.graph.edges[size_t(e)].to;
      ready[size_t(to)] =
          std::max(ready[size_t(to)], arrival[size_t(placement[size_t(to)])]);
      if (--missing[size_t(to)] == 0)
        events.push({ready[size_t(to)], Kind::Ready, 0, to});
    }
  }

  const Problem &problem;
  const Placement &placement;
  const ReadyOrder order;
  Transfers transfers;
  std::vector<Device> devices;
  std::vector<double> arrival; // at each device, of what the last task made
  std::vector<int> missing;    // by task: inputs that nobody has made yet
  std::vector<double> ready;   // by task: when what it reads is there
  std::vector<double> key;     // by task: the least goes first
  std::vector<int> begun;      // by task: its place among all that started
  int started = 0;
  /// Time, kind, which of those that ended began first, task.
  MinHeap<std::tuple<double, Kind, int, int>> events;
  Schedule schedule;
};

} // namespace

Schedule placement::withTransferQueues(const Problem &problem,
                                       const Placement &placement,
                                       ReadyOrder order) {
  return Emulation(problem, placement, order, problem.order)
      .run(/*listsProblem=*/order == ReadyOrder::Given);
}

Schedule placement::transferQueuesInOrder(const Problem &problem,
                                          const Placement &placement,
                                          const std::vector<int> &order) {
  return Emulation(problem, placement, ReadyOrder::Given, order)
      .run(/*listsProblem=*/false);
}
