#include "compiler/placement/Bounds.h"

#include <algorithm>

using namespace smex;
using namespace smex::placement;

namespace {

/// From when on each task may run; of the reversed graph, how long what comes
/// after it takes.
class Earliest {
public:
  Earliest(const Problem &problem, bool reversed)
      : problem(problem), reversed(reversed),
        start(problem.graph.tasks.size()) {
    const auto &order = problem.order;
    for (size_t i = 0; i < order.size(); ++i)
      set(order[reversed ? order.size() - 1 - i : i]);
  }

  std::vector<double> take() { return std::move(start); }

private:
  struct Source {
    double ready, seconds; // of a task that this one reads
    double arrives;        // if it is on another device
    int task;
  };

  void set(int task) {
    const Task &self = problem.graph.tasks[size_t(task)];
    const Devices &devices = problem.devices;
    double least = 0;
    sources.clear();
    for (int e : reversed ? problem.adjacency.outOf(task)
                          : problem.adjacency.into(task)) {
      const Edge &edge = problem.graph.edges[size_t(e)];
      const int other = reversed ? edge.to : edge.from;
      const Task &that = problem.graph.tasks[size_t(other)];
      const double ready = start[size_t(other)];
      const double done = ready + that.seconds;
      if (self.hasGpuKernel != that.hasGpuKernel) {
        least = std::max(least, done + devices.transferSeconds(edge.bytes, 0,
                                                               devices.host()));
      } else if (!self.hasGpuKernel || devices.count == 1 ||
                 problem.unions[size_t(task)] ==
                     problem.unions[size_t(other)]) {
        least = std::max(least, done);
        // On one device the sources run one after the other.
        if (self.hasGpuKernel)
          sources.push_back({ready, that.seconds, kNever, other});
      } else {
        least = std::max(least, done);
        sources.push_back({ready, that.seconds,
                           done + devices.transferSeconds(edge.bytes), other});
      }
    }
    start[size_t(task)] = std::max(least, withDevice(least));
  }

  /// The smallest time t, from `least` on, such that all sources that would
  /// come from another device after t can run on the task's own until t.
  double withDevice(double least) {
    // A task that is read twice is one source, with its latest arrival.
    std::sort(sources.begin(), sources.end(), [](const auto &a, const auto &b) {
      return a.task != b.task ? a.task < b.task : a.arrives > b.arrives;
    });
    sources.erase(std::unique(sources.begin(), sources.end(),
                              [](const auto &a, const auto &b) {
                                return a.task == b.task;
                              }),
                  sources.end());
    std::sort(sources.begin(), sources.end(), [](const auto &a, const auto &b) {
      return a.arrives != b.arrives ? a.arrives > b.arrives : a.task < b.task;
    });
    // With the first `local` of them here, t is after the next one's arrival:
    // that falls with `local`, and what runs here rises.
    const auto arrival = [&](size_t local) {
      return local < sources.size() ? std::max(least, sources[local].arrives)
                                    : least;
    };
    size_t low = 0, high = sources.size();
    while (low < high) {
      const size_t local = (low + high) / 2;
      if (oneByOne(local) >= arrival(local))
        high = local;
      else
        low = local + 1;
    }
    double best = std::max(arrival(low), oneByOne(low));
    if (low > 0)
      best = std::min(best, std::max(arrival(low - 1), oneByOne(low - 1)));
    return best;
  }

  /// The first `local` sources on one device, each from when it is ready.
  double oneByOne(size_t local) {
    byReady.assign(sources.begin(), sources.begin() + ptrdiff_t(local));
    std::sort(
        byReady.begin(), byReady.end(),
        [](const Source &a, const Source &b) { return a.ready < b.ready; });
    double t = 0;
    for (const Source &source : byReady)
      t = std::max(t, source.ready) + source.seconds;
    return t;
  }

  static constexpr double kNever = 1e300;

  const Problem &problem;
  const bool reversed;
  std::vector<double> start;
  std::vector<Source> sources, byReady;
};

/// By how much what has to run in some window exceeds what K devices do there.
double excess(const Problem &problem, const std::vector<double> &first,
              const std::vector<double> &after, double length) {
  constexpr int kWindows = 48;
  const auto &tasks = problem.graph.tasks;
  double most = 0;
  // Windows begin and end where the same share of all tasks begins.
  std::vector<double> times;
  for (size_t t = 0; t < tasks.size(); ++t)
    if (tasks[t].hasGpuKernel)
      times.push_back(first[t]);
  if (times.empty())
    return 0;
  std::sort(times.begin(), times.end());
  std::vector<double> ends;
  for (int w = 0; w <= kWindows; ++w)
    ends.push_back(times[(times.size() - 1) * size_t(w) / kWindows]);
  ends.push_back(length);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  std::vector<double> work(ends.size());
  for (size_t a = 0; a + 1 < ends.size(); ++a) {
    std::fill(work.begin(), work.end(), 0);
    for (size_t t = 0; t < tasks.size(); ++t) {
      if (!tasks[t].hasGpuKernel || tasks[t].seconds <= 0)
        continue;
      const double seconds = tasks[t].seconds;
      const double early = first[t], late = length - after[t] - seconds;
      const double earlyPart = std::min(early + seconds - ends[a], seconds);
      if (earlyPart <= 0)
        continue;
      for (size_t b = ends.size(); b-- > a + 1;) {
        const double inside =
            std::min({earlyPart, ends[b] - late, ends[b] - ends[a]});
        if (inside <= 0)
          break;
        work[b] += inside;
      }
    }
    for (size_t b = a + 1; b < ends.size(); ++b)
      most =
          std::max(most, work[b] / problem.devices.count - (ends[b] - ends[a]));
  }
  return most;
}

} // namespace

double placement::criticalPath(const Problem &problem) {
  std::vector<double> finish(problem.graph.tasks.size());
  double longest = 0;
  for (int task : problem.order) {
    double &self = finish[size_t(task)];
    for (int e : problem.adjacency.into(task))
      self =
          std::max(self, finish[size_t(problem.graph.edges[size_t(e)].from)]);
    self += problem.graph.tasks[size_t(task)].seconds;
    longest = std::max(longest, self);
  }
  return longest;
}

double placement::makespanBound(const Problem &problem) {
  const std::vector<double> first = Earliest(problem, false).take();
  const std::vector<double> after = Earliest(problem, true).take();
  double length = 0;
  for (size_t t = 0; t < first.size(); ++t)
    length =
        std::max(length, first[t] + problem.graph.tasks[t].seconds + after[t]);
  return length + excess(problem, first, after, length);
}
