#include "compiler/placement/FitMemory.h"

#include "compiler/placement/Names.h"

#include <algorithm>
#include <limits>
#include <map>
#include <sstream>

using namespace smex;
using namespace smex::placement;

namespace {

constexpr int64_t kFewRounds = 4; // of a graph of any size

std::string named(const Problem &problem, size_t task) {
  return "task \"" + shortName(problem.graph.tasks[task].name) + "\"";
}

/// What of its memory a GPU has for tasks.
std::string roomOf(const Devices &devices) {
  const int64_t usable = *devices.usableBytes() / devices.gpusEach;
  const int64_t all = *devices.memoryBytes;
  if (usable == all)
    return std::to_string(usable);
  std::ostringstream text;
  text << usable << " for that of its " << all;
  if (devices.spare > 0)
    text << " (a share of " << devices.spare << " is kept free)";
  return text.str();
}

/// Bytes of a device, as those of a GPU.
std::string sizeOf(const Devices &devices, int64_t bytes) {
  return std::to_string((bytes + devices.gpusEach - 1) / devices.gpusEach) +
         (devices.gpusEach == 1 ? " bytes" : " bytes of each GPU of its group");
}

/// What a task takes while it runs, at least: its output, unless that can be in
/// the place of something that it reads, and all that it reads.
int64_t bytesWhileRunning(const Problem &problem, int task) {
  const Task &self = problem.graph.tasks[size_t(task)];
  int64_t bytes = self.memory == MemoryKind::Reference || self.overwrites >= 0
                      ? 0
                      : self.bytes;
  std::map<int, int64_t> read; // by who made it
  for (int e : problem.adjacency.into(task)) {
    const Edge &edge = problem.graph.edges[size_t(e)];
    const Task &from = problem.graph.tasks[size_t(edge.from)];
    // In place, or as a copy: the smaller of the two.
    const int64_t there =
        from.hasGpuKernel && from.memory != MemoryKind::Reference
            ? std::min(from.bytes, edge.bytes)
        : from.hasGpuKernel ? 0
                            : edge.bytes;
    read[edge.from] = std::max(read[edge.from], there);
  }
  for (const auto &[from, there] : read)
    bytes += there;
  return bytes;
}

/// What a device holds when it holds most: bytes of each union.
std::map<int, int64_t> heldAt(const Problem &problem,
                              const Placement &placement,
                              const Schedule &schedule, int device,
                              double time) {
  std::map<int, int64_t> held;
  for (size_t t = 0; t < placement.size(); ++t) {
    const Task &task = problem.graph.tasks[t];
    if (placement[t] != device || task.memory == MemoryKind::Reference)
      continue;
    double until = schedule.finish[t];
    for (int e : problem.adjacency.outOf(int(t)))
      if (const Edge &edge = problem.graph.edges[size_t(e)];
          !edge.onlyOrders() && placement[size_t(edge.to)] == device)
        until = std::max(until, schedule.finish[size_t(edge.to)]);
    if (task.memory == MemoryKind::Residual ||
        (schedule.start[t] <= time && time <= until))
      held[problem.unions[t]] += task.bytes;
  }
  return held;
}

/// Moves what is held there, the largest that the excess needs first, to where
/// most room is. False if nothing can go.
bool relieve(const Problem &problem, Placement &placement,
             const std::map<int, int64_t> &held, int device, int64_t excess,
             std::vector<int64_t> room) {
  std::vector<std::pair<int64_t, int>> bySize;
  for (const auto &[first, bytes] : held)
    if (bytes > 0)
      bySize.emplace_back(bytes, first);
  std::sort(bySize.begin(), bySize.end());
  std::vector<bool> taken(bySize.size());
  std::map<int, int> target; // of a union
  while (excess > 0 && target.size() < bySize.size()) {
    // The smallest that is enough by itself, else the largest that is left.
    size_t pick = bySize.size();
    for (size_t i = 0; i < bySize.size(); ++i)
      if (!taken[i]) {
        pick = i;
        if (bySize[i].first >= excess)
          break;
      }
    taken[pick] = true;
    int best = device == 0 ? 1 : 0;
    for (int d = 0; d < problem.devices.count; ++d)
      if (d != device && room[size_t(d)] > room[size_t(best)])
        best = d;
    target[bySize[pick].second] = best;
    room[size_t(best)] -= bySize[pick].first;
    excess -= bySize[pick].first;
  }
  for (size_t t = 0; t < placement.size(); ++t)
    if (const auto found = target.find(problem.unions[t]);
        found != target.end())
      placement[t] = found->second;
  return !target.empty();
}

} // namespace

std::optional<Lack> placement::lackOfRoom(const Problem &problem) {
  const Devices &devices = problem.devices;
  const auto usable = devices.usableBytes();
  if (!usable)
    return std::nullopt;
  const auto &tasks = problem.graph.tasks;
  std::vector<int64_t> residual(tasks.size()); // by union
  int64_t all = 0, most = 0;
  size_t mostTask = 0;
  for (size_t t = 0; t < tasks.size(); ++t) {
    if (!tasks[t].hasGpuKernel)
      continue;
    if (tasks[t].memory == MemoryKind::Residual) {
      all += tasks[t].bytes;
      residual[size_t(problem.unions[t])] += tasks[t].bytes;
    }
    if (const int64_t bytes = bytesWhileRunning(problem, int(t)); bytes > most)
      most = bytes, mostTask = t;
  }
  if (most > *usable)
    return Lack{named(problem, mostTask) + " needs " + sizeOf(devices, most) +
                    " for what it makes and reads, and a GPU has " +
                    roomOf(devices),
                most};
  const auto largest = std::max_element(residual.begin(), residual.end());
  if (largest != residual.end() && *largest > *usable)
    return Lack{named(problem, size_t(largest - residual.begin())) +
                    " and what has to be beside it need " +
                    sizeOf(devices, *largest) +
                    " all the time, and a GPU has " + roomOf(devices),
                *largest};
  const int gpus = devices.count * devices.gpusEach;
  if (const int64_t each = (all + devices.count - 1) / devices.count;
      each > *usable)
    return Lack{"tasks whose memory is never freed need " +
                    std::to_string(all) + " bytes, and " +
                    (gpus == 1 ? "the GPU has " + roomOf(devices)
                               : std::to_string(gpus) + " GPUs have " +
                                     roomOf(devices) + " each"),
                each};
  return std::nullopt;
}

Outcome placement::withinMemory(const Problem &problem, const Params &params,
                                Placement placement) {
  const Devices &devices = problem.devices;
  const auto usable = devices.usableBytes();
  Outcome outcome;
  if (!usable) {
    outcome.placement = std::move(placement);
    return outcome;
  }
  const Placement first = placement;
  int64_t least = std::numeric_limits<int64_t>::max();
  const int rounds = mostRoundsFor(placement.size(), kFewRounds);
  for (int64_t round = 0; round <= rounds; ++round) {
    const Schedule schedule = params.emulator(problem, placement);
    const MemoryUse use = memoryUse(problem, placement, schedule);
    const auto worst =
        std::max_element(use.peakBytes.begin(), use.peakBytes.end());
    if (*worst < least) {
      least = *worst;
      outcome.placement = placement;
    }
    if (*worst <= *usable || devices.count == 1)
      break;
    const int device = int(worst - use.peakBytes.begin());
    std::vector<int64_t> room;
    for (int64_t peak : use.peakBytes)
      room.push_back(*usable - peak);
    const auto held = heldAt(problem, placement, schedule, device,
                             use.peakTime[size_t(device)]);
    if (!relieve(problem, placement, held, device, *worst - *usable, room))
      break;
  }
  for (size_t t = 0; t < first.size(); ++t)
    outcome.moved += outcome.placement[t] != first[t];
  outcome.neededBytes = least > *usable ? least : 0;
  return outcome;
}

void placement::keepIfSooner(const Problem &problem, const Params &params,
                             std::vector<int> order, Outcome &outcome) {
  if (!params.inOrder || params.objective != Objective::Makespan)
    return;
  const Schedule now = scheduleOf(problem, outcome, params);
  const Schedule then = params.inOrder(problem, outcome.placement, order);
  const auto fit = [&](const Schedule &schedule) {
    return !problem.devices.memoryBytes ||
           fits(problem.devices,
                memoryUse(problem, outcome.placement, schedule));
  };
  if (!fit(then) || (then.makespan >= now.makespan && fit(now)))
    return;
  outcome.order = std::move(order);
  outcome.neededBytes = 0;
}

Outcome placement::withinMemory(const Problem &problem, const Params &params,
                                Placement placement, std::vector<int> order) {
  Outcome outcome;
  outcome.placement = placement;
  keepIfSooner(problem, params, order, outcome);
  if (!outcome.order.empty())
    return outcome;
  outcome = withinMemory(problem, params, std::move(placement));
  if (outcome.moved > 0 || outcome.neededBytes > 0)
    keepIfSooner(problem, params, std::move(order), outcome);
  return outcome;
}
