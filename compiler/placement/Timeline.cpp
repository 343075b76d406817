#include "compiler/placement/Timeline.h"

#include <algorithm>

using namespace smex;
using namespace smex::placement;

Timeline::Timeline(const Problem &problem, const std::vector<double> &apart,
                   const Placement &placement, Schedule made)
    : schedule(std::move(made)), tail(placement.size()) {
  const auto &tasks = problem.graph.tasks;
  // What the next task on each device takes, with all behind it.
  std::vector<double> next(size_t(problem.devices.count) + 1);
  for (size_t i = placement.size(); i-- > 0;) {
    const int task = schedule.order[i];
    const int device = placement[size_t(task)];
    const bool isOnHost = device == problem.devices.host();
    double most = isOnHost ? 0 : next[size_t(device)];
    for (int e : problem.adjacency.outOf(task)) {
      const size_t to = size_t(problem.graph.edges[size_t(e)].to);
      most = std::max(most, (placement[to] == device ? 0 : apart[size_t(e)]) +
                                tasks[to].seconds + tail[to]);
    }
    tail[size_t(task)] = most;
    next[size_t(device)] = tasks[size_t(task)].seconds + most;
  }
}
