#include "compiler/placement/WindowSearch.h"

#include "compiler/placement/TransferQueues.h"
#include "compiler/placement/WindowAnneal.h"

#include <algorithm>

using namespace smex;
using namespace smex::placement;

namespace {

/// Tasks of a window, sweep by sweep.
constexpr int kSizes[] = {128, 48, 400, 96, 1000, 200};
/// Moves that are tried in a window.
constexpr int64_t kMoves = 1500;
/// Of a large graph, how many times in a sweep the emulator is asked.
constexpr int kBatches = 60;
/// What a task costs where windows are made, and where the emulator runs, in
/// tasks that are run in a window.
constexpr int kMaking = 10, kEmulating = 4;

/// What a transfer of each edge takes if its tasks are not on one device.
std::vector<double> apartSeconds(const Problem &problem) {
  const Devices &devices = problem.devices;
  std::vector<double> seconds;
  for (const Edge &edge : problem.graph.edges) {
    const bool from = problem.graph.tasks[size_t(edge.from)].hasGpuKernel;
    const bool to = problem.graph.tasks[size_t(edge.to)].hasGpuKernel;
    seconds.push_back(from && to ? devices.transferSeconds(edge.bytes)
                                 : devices.transferSeconds(
                                       edge.bytes, from ? 0 : devices.host(),
                                       to ? 0 : devices.host()));
  }
  return seconds;
}

class Search {
public:
  Search(const Problem &problem, Ordered start,
         const WindowSearchParams &params)
      : problem(problem), params(params), members(problem.unions),
        apart(apartSeconds(problem)), best(std::move(start.placement)),
        line(problem, apart, best, scheduleOf(best, start.order)),
        random(params.seed, "windows"), work(params.work),
        inGivenOrder(ordersTasks() || isInGivenOrder()) {}

  Ordered run() {
    const int count = int(best.size());
    for (uint64_t sweep = 0; goesOn(); ++sweep) {
      int size = kSizes[sweep % std::size(kSizes)];
      // What a window knows of each task and device has to fit into a cache.
      size = std::clamp((1 << 18) / problem.devices.count, 2, size);
      if (count <= 2 * size)
        size = count;
      const int windows = std::max(1, count / (kBatches * size));
      // Windows of two sweeps do not begin at the same places.
      int first = size < count ? -int(random.below(size, sweep)) : 0;
      while (first < count && goesOn())
        first = batch(first, size, windows);
      if (ordersTasks() && goesOn())
        for (const auto &order : likelyOrders(problem, best))
          keepIfBetter(best, order);
    }
    return {best, ordersTasks() ? line.schedule.order : std::vector<int>()};
  }

private:
  bool ordersTasks() const { return bool(params.inOrder); }
  Schedule scheduleOf(const Placement &placement,
                      const std::vector<int> &order) const {
    return ordersTasks() ? params.inOrder(problem, placement, order)
                         : params.emulator(problem, placement);
  }
  double makespan() const { return line.schedule.makespan; }
  bool goesOn() const {
    return work > 0 && makespan() > params.bound * (1 + 1e-9);
  }

  /// Windows run tasks in the problem's order, if the emulator does; else first
  /// in, first out. Where it does neither, fewer of them turn out to be good.
  bool isInGivenOrder() const {
    Placement any = best;
    for (size_t t = 0; t < any.size(); ++t)
      if (problem.graph.tasks[t].hasGpuKernel)
        any[t] = problem.unions[t] % problem.devices.count;
    const auto given = placement::inGivenOrder(problem, any).start;
    return params.emulator(problem, any).start == given &&
           firstInFirstOut(problem, any).start != given;
  }
  const std::vector<int> &orderNow() const {
    return inGivenOrder && !ordersTasks() ? problem.order : line.schedule.order;
  }

  /// Some windows in a row; returns where the next one begins.
  int batch(int first, int size, int windows) {
    const int count = int(best.size());
    std::vector<int> order = orderNow();
    std::vector<int> position(best.size());
    for (int i = 0; i < count; ++i)
      position[size_t(order[size_t(i)])] = i;
    Placement placement = best;
    std::vector<double> finish = line.schedule.finish;
    std::vector<double> free(size_t(problem.devices.count) + 1);
    for (int i = 0; i < first; ++i) {
      const int task = order[size_t(i)];
      double &until = free[size_t(best[size_t(task)])];
      until = std::max(until, finish[size_t(task)]);
    }
    const WindowSource source = {problem,      members, apart,    line,
                                 inGivenOrder, order,   position, placement,
                                 finish,       free};
    for (int w = 0; w < windows && first < count && work > 0; ++w) {
      const int begin = std::max(first, 0), end = std::min(first + size, count);
      Window window(source, begin, end);
      WindowAnnealParams anneal;
      anneal.moves = std::min<int64_t>(kMoves, work / (end - begin) + 1);
      anneal.random = random.of(made++);
      anneal.ordersTasks = ordersTasks();
      annealWindow(window, anneal);
      window.commit(source);
      work -= window.work() + anneal.moves * 4 + (end - begin) * kMaking;
      first = end;
    }
    if (placement != best || (ordersTasks() && order != orderNow()))
      keepIfBetter(placement, order);
    return first;
  }

  void keepIfBetter(const Placement &placement, const std::vector<int> &order) {
    Timeline after(problem, apart, placement, scheduleOf(placement, order));
    work -= int64_t(best.size()) * kEmulating;
    if (after.schedule.makespan > makespan())
      return;
    if (problem.devices.memoryBytes &&
        !fits(problem.devices, memoryUse(problem, placement, after.schedule)))
      return;
    best = placement;
    line = std::move(after);
  }

  const Problem &problem;
  const WindowSearchParams &params;
  const Members members;
  const std::vector<double> apart; // by edge
  Placement best;
  Timeline line;
  const Random random;
  int64_t work;
  const bool inGivenOrder;
  uint64_t made = 0; // windows
};

} // namespace

std::vector<std::vector<int>>
placement::likelyOrders(const Problem &problem, const Placement &placement) {
  return {withTransferQueues(problem, placement, ReadyOrder::BottomLevel).order,
          earliestStartFirst(problem, placement).order};
}

Ordered placement::searchWindows(const Problem &problem, Ordered start,
                                 const WindowSearchParams &params) {
  if (problem.devices.count < 2 || start.placement.empty())
    return start;
  return Search(problem, std::move(start), params).run();
}
