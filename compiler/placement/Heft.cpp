#include "compiler/placement/Algorithms.h"
#include "compiler/placement/FitMemory.h"
#include "compiler/placement/Levels.h"

#include <algorithm>
#include <limits>

using namespace smex;
using namespace smex::placement;

namespace {

/// When a device has nothing to do.
class Gaps {
public:
  /// The earliest start from `ready` on, of a task that takes so long.
  double earliest(double ready, double seconds) const {
    for (size_t g = gapAt(ready);; ++g) // the last one never ends
      if (const double start = std::max(ready, gaps[g].start);
          start + seconds <= gaps[g].end)
        return start;
  }

  void take(double start, double seconds) {
    const size_t g = gapAt(start);
    const Gap gap = gaps[g];
    const double finish = start + seconds;
    gaps[g] = {finish, gap.end};
    if (start > gap.start)
      gaps.insert(gaps.begin() + ptrdiff_t(g), {gap.start, start});
  }

private:
  struct Gap {
    double start, end;
  };
  /// The first that ends after a time.
  size_t gapAt(double time) const {
    return size_t(
        std::upper_bound(gaps.begin(), gaps.end(), time,
                         [](double t, const Gap &gap) { return t < gap.end; }) -
        gaps.begin());
  }
  std::vector<Gap> gaps = {{0, std::numeric_limits<double>::infinity()}};
};

} // namespace

Result<Outcome> placement::heft(const Problem &problem, const Params &params) {
  const Devices &devices = problem.devices;
  const auto &tasks = problem.graph.tasks;
  const std::vector<double> rank = levels(problem, edgeSeconds(problem)).bottom;
  // A rank is never below a reader's: from equal ones, in topological order.
  std::vector<int> order = problem.order;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return rank[size_t(a)] > rank[size_t(b)];
  });
  Placement placement(tasks.size(), -1);
  std::vector<double> starts(tasks.size()), finish(tasks.size());
  std::vector<int> deviceOf(tasks.size(), -1); // of a union
  std::vector<Gaps> gaps(static_cast<size_t>(devices.count));
  const auto readyOn = [&](int task, int device) {
    double ready = 0;
    for (int e : problem.adjacency.into(task)) {
      const Edge &edge = problem.graph.edges[size_t(e)];
      ready = std::max(
          ready, finish[size_t(edge.from)] +
                     devices.transferSeconds(
                         edge.bytes, placement[size_t(edge.from)], device));
    }
    return ready;
  };
  for (int task : order) {
    const double seconds = tasks[size_t(task)].seconds;
    int &device = deviceOf[size_t(problem.unions[size_t(task)])];
    double start = 0;
    if (!tasks[size_t(task)].hasGpuKernel) {
      device = devices.host();
      start = readyOn(task, device);
    } else if (device >= 0) {
      start = gaps[size_t(device)].earliest(readyOn(task, device), seconds);
    } else {
      for (int d = 0; d < devices.count; ++d)
        if (const double here =
                gaps[size_t(d)].earliest(readyOn(task, d), seconds);
            device < 0 || here < start) {
          device = d;
          start = here;
        }
    }
    placement[size_t(task)] = device;
    starts[size_t(task)] = start;
    finish[size_t(task)] = start + seconds;
    if (device != devices.host() && seconds > 0)
      gaps[size_t(device)].take(start, seconds);
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return starts[size_t(a)] < starts[size_t(b)];
  });
  return withinMemory(problem, params, std::move(placement), std::move(order));
}
