#include "compiler/placement/Algorithms.h"
#include "compiler/placement/Bounds.h"
#include "compiler/placement/FitMemory.h"
#include "compiler/placement/Overflow.h"
#include "compiler/placement/ParDNN.h"
#include "compiler/placement/WindowSearch.h"

#include <algorithm>

using namespace smex;
using namespace smex::placement;

namespace {

/// Of more tasks the best start is all that is looked for.
constexpr int64_t kMostTasks = 300'000;

/// The effort, in tasks that windows run: about 2 s for 10,000 tasks, and in
/// proportion for more; less for few, which soon get no better.
int64_t workFor(int64_t tasks) {
  if (tasks > kMostTasks)
    return 0;
  const int64_t few = std::min(400 * tasks * tasks, 40'000 * tasks);
  return std::max(std::min<int64_t>(few, 50'000'000), 4'000 * tasks);
}

/// All on the first GPU: no transfers.
Result<Outcome> together(const Problem &problem, const Params &params) {
  Placement placement;
  for (const Task &task : problem.graph.tasks)
    placement.push_back(task.hasGpuKernel ? 0 : problem.devices.host());
  return withinMemory(problem, params, std::move(placement));
}

struct Candidate {
  Outcome outcome;
  double makespan = 0;
};

class MakespanSearch {
public:
  MakespanSearch(const Problem &problem, const Params &params)
      : problem(problem), params(params), bound(makespanBound(problem)) {}

  /// What there is to start from, the best first. If no start keeps the memory
  /// limit: what the nearest one needs, or says.
  Result<std::vector<Candidate>> starts() {
    std::vector<Candidate> list;
    std::optional<Result<Outcome>> nearest;
    const auto add = [&](auto *run) {
      if (params.onlyFits && !list.empty())
        return;
      Result<Outcome> outcome = run(problem, params);
      if (outcome && outcome->neededBytes == 0)
        list.push_back(ordered(std::move(*outcome)));
      else if (!nearest || !*nearest ||
               (outcome && outcome->neededBytes < (*nearest)->neededBytes))
        nearest = std::move(outcome);
    };
    const bool isLarge = int64_t(problem.graph.tasks.size()) > kMostTasks;
    for (auto *run : {heft, parDNN})
      add(run);
    // To find a limit of a large graph two have to do.
    if (params.onlyFits && isLarge)
      return sorted(std::move(list), std::move(nearest));
    for (auto *run : {linearClustering, together, roundRobin, layerWise})
      add(run);
    // Stages in order take longer to find, and few of them are short, but on
    // chains they may be the best, and they keep limits that no other start
    // does.
    constexpr size_t kMostForStages = 2'500;
    if (list.empty() || problem.graph.tasks.size() <= kMostForStages)
      add(contiguous);
    return sorted(std::move(list), std::move(nearest));
  }

  Candidate improve(const Candidate &start, int64_t work) const {
    WindowSearchParams search;
    search.emulator = params.emulator;
    search.bound = bound;
    if (!params.inOrder) {
      search.work = work;
      Outcome outcome = start.outcome;
      outcome.placement =
          searchWindows(problem, {std::move(outcome.placement), {}}, search)
              .placement;
      return candidate(std::move(outcome));
    }
    // First in, first out, orders follow when tasks move, so that the search
    // gets far; then orders are searched for, where windows run faster.
    search.work = work / 2;
    Candidate best = start;
    if (best.outcome.order.empty() || fitsFirstIn(best.outcome)) {
      Outcome moved = best.outcome;
      moved.order.clear();
      moved.placement =
          searchWindows(problem, {std::move(moved.placement), {}}, search)
              .placement;
      if (Candidate other = ordered(std::move(moved));
          other.makespan < best.makespan)
        best = std::move(other);
    }
    search.inOrder = params.inOrder;
    search.work = work;
    Ordered found = {best.outcome.placement, best.outcome.order};
    if (found.order.empty())
      found.order = params.emulator(problem, found.placement).order;
    found = searchWindows(problem, std::move(found), search);
    Outcome outcome = std::move(best.outcome);
    outcome.placement = std::move(found.placement);
    outcome.order.clear();
    keepIfSooner(problem, params, std::move(found.order), outcome);
    return candidate(std::move(outcome));
  }

  /// The placement, moved until it keeps the memory limit, in two ways.
  void fitted(const Outcome &found, std::vector<Candidate> &list) const {
    Outcome outcome =
        found.order.empty()
            ? withinMemory(problem, params, found.placement)
            : withinMemory(problem, params, found.placement, found.order);
    if (outcome.neededBytes == 0)
      list.push_back(candidate(std::move(outcome)));
    outcome = {};
    outcome.placement = found.placement;
    const Relief relief =
        addressOverflow(problem, params.emulator, outcome.placement);
    outcome.moved = relief.moved;
    if (relief.neededBytes > 0)
      return;
    if (!found.order.empty())
      keepIfSooner(problem, params, found.order, outcome);
    list.push_back(candidate(std::move(outcome)));
  }

private:
  /// By the best of its own order and others; of large graphs by its own.
  Candidate ordered(Outcome &&outcome) const {
    if (params.inOrder && int64_t(problem.graph.tasks.size()) <= kMostTasks)
      for (std::vector<int> &order : likelyOrders(problem, outcome.placement))
        keepIfSooner(problem, params, std::move(order), outcome);
    return candidate(std::move(outcome));
  }

  /// Whether the memory limit is kept without the order.
  bool fitsFirstIn(const Outcome &outcome) const {
    return !problem.devices.memoryBytes ||
           fits(problem.devices,
                memoryUse(problem, outcome.placement,
                          params.emulator(problem, outcome.placement)));
  }

  static Result<std::vector<Candidate>>
  sorted(std::vector<Candidate> list, std::optional<Result<Outcome>> nearest) {
    if (list.empty() && !*nearest)
      return nearest->takeError();
    if (list.empty())
      list.push_back({std::move(**nearest), 0});
    std::stable_sort(
        list.begin(), list.end(),
        [](const auto &a, const auto &b) { return a.makespan < b.makespan; });
    return list;
  }

  Candidate candidate(Outcome &&outcome) const {
    const double seconds = scheduleOf(problem, outcome, params).makespan;
    return {std::move(outcome), seconds};
  }

  const Problem &problem;
  const Params &params;
  const double bound;
};

const Candidate &bestOf(const std::vector<Candidate> &list) {
  return *std::min_element(
      list.begin(), list.end(),
      [](const auto &a, const auto &b) { return a.makespan < b.makespan; });
}

} // namespace

Result<Outcome> placement::windowSearch(const Problem &problem,
                                        const Params &params) {
  MakespanSearch search(problem, params);
  auto list = search.starts();
  if (!list)
    return list.takeError();
  if (list->front().outcome.neededBytes > 0 || problem.devices.count < 2 ||
      params.onlyFits)
    return list->front().outcome;
  int64_t work = workFor(int64_t(problem.graph.tasks.size()));
  if (problem.devices.memoryBytes && work > 0) {
    // First as if there were no limit. What moves then to keep it is often
    // less than what keeps a search from going on.
    Devices unlimited = problem.devices;
    unlimited.memoryBytes.reset();
    const Problem all(problem.graph, unlimited);
    MakespanSearch first(all, params);
    work /= 2;
    if (const auto free = first.starts())
      search.fitted(first.improve(free->front(), work).outcome, *list);
  }
  return search.improve(bestOf(*list), work).outcome;
}
