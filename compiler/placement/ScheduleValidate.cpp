// Shares no code with the emulators: it is what they are checked by.
#include "compiler/placement/Schedule.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace smex;
using namespace smex::placement;

namespace {

Error defect(Error error) {
  error.fault = Fault::Defect;
  return error;
}

std::string named(const Problem &problem, int task) {
  return "task \"" + problem.graph.tasks[size_t(task)].name + "\"";
}

/// When the last of what each task reads is where the task is.
std::vector<double> arrivals(const Problem &problem, const Placement &placement,
                             const Schedule &schedule) {
  const TaskGraph &graph = problem.graph;
  std::vector<double> arrival(graph.tasks.size(), 0);
  // As they end: in this order transfers come, where they wait for each other.
  std::vector<int> makers = schedule.order;
  std::stable_sort(makers.begin(), makers.end(), [&](int a, int b) {
    return schedule.finish[size_t(a)] < schedule.finish[size_t(b)];
  });
  std::map<int, double> received; // by device, the last of all
  for (const int from : makers) {
    std::map<int, int64_t> sent; // to each device, its largest part
    for (int e : problem.adjacency.outOf(from)) {
      const Edge &edge = graph.edges[size_t(e)];
      int64_t &bytes = sent[placement[size_t(edge.to)]];
      bytes = std::max(bytes, edge.bytes);
    }
    std::map<int, double> there;
    const double finish = schedule.finish[size_t(from)];
    for (const auto &[device, bytes] : sent) {
      const double seconds = problem.devices.transferSeconds(
          bytes, placement[size_t(from)], device);
      const bool waits = schedule.transfersWait && bytes > 0 &&
                         device != placement[size_t(from)] &&
                         device != problem.devices.host();
      there[device] =
          (waits ? std::max(finish, received[device]) : finish) + seconds;
      if (waits)
        received[device] = there[device];
    }
    for (int e : problem.adjacency.outOf(from)) {
      const int to = graph.edges[size_t(e)].to;
      arrival[size_t(to)] =
          std::max(arrival[size_t(to)], there[placement[size_t(to)]]);
    }
  }
  return arrival;
}

} // namespace

Status placement::validate(const Problem &problem, const Placement &placement,
                           const Schedule &schedule) {
  const size_t count = problem.graph.tasks.size();
  if (schedule.start.size() != count || schedule.finish.size() != count ||
      schedule.order.size() != count)
    return defect(fail("the schedule has not one entry per task"));
  std::vector<bool> ordered(count);
  for (int task : schedule.order) {
    if (task < 0 || size_t(task) >= count || ordered[size_t(task)])
      return defect(fail("the schedule's order has not each task once"));
    ordered[size_t(task)] = true;
  }
  const std::vector<double> arrival = arrivals(problem, placement, schedule);
  std::vector<double> free(size_t(problem.devices.count) + 1, 0);
  double last = 0, makespan = 0;
  for (int task : schedule.order) {
    const double start = schedule.start[size_t(task)];
    const double finish = schedule.finish[size_t(task)];
    if (!std::isfinite(start) ||
        finish != start + problem.graph.tasks[size_t(task)].seconds)
      return defect(fail("the schedule: ", named(problem, task), " runs from ",
                         start, " to ", finish,
                         " seconds, which is not how long it takes"));
    if (start < last)
      return defect(fail("the schedule's order: ", named(problem, task),
                         " starts at ", start,
                         " seconds, before the one that "
                         "comes before it"));
    last = start;
    const int device = placement[size_t(task)];
    const double earliest =
        std::max(free[size_t(device)], arrival[size_t(task)]);
    if (start != earliest)
      return defect(fail("the schedule: ", named(problem, task), " starts at ",
                         start, " seconds on device ", device,
                         ", which is free, and has what it reads, at ",
                         earliest));
    if (device != problem.devices.host())
      free[size_t(device)] = finish;
    makespan = std::max(makespan, finish);
  }
  if (schedule.makespan != makespan)
    return defect(fail("the schedule ends at ", makespan, " seconds, not at ",
                       schedule.makespan));
  // Also where tasks take no time, makers come before readers.
  std::vector<size_t> place(count);
  for (size_t i = 0; i < count; ++i)
    place[size_t(schedule.order[i])] = i;
  for (const Edge &edge : problem.graph.edges)
    if (place[size_t(edge.from)] > place[size_t(edge.to)])
      return defect(fail("the schedule's order: ", named(problem, edge.to),
                         " comes before ", named(problem, edge.from),
                         ", which it reads"));
  return {};
}

Status placement::validate(const Problem &problem, const Placement &placement) {
  const TaskGraph &graph = problem.graph;
  if (placement.size() != graph.tasks.size())
    return defect(fail("the placement has ", placement.size(), " entries for ",
                       graph.tasks.size(), " tasks"));
  for (size_t t = 0; t < graph.tasks.size(); ++t) {
    const int device = placement[t], first = problem.unions[t];
    if (device < 0 || device > problem.devices.host())
      return defect(fail("the placement: ", named(problem, int(t)),
                         " is on device ", device, " of ",
                         problem.devices.count));
    if (graph.tasks[t].hasGpuKernel == (device == problem.devices.host()))
      return defect(fail("the placement: ", named(problem, int(t)),
                         graph.tasks[t].hasGpuKernel
                             ? " has a kernel for GPUs, but is on the host"
                             : " has no kernel for GPUs, but is on one"));
    if (device != placement[size_t(first)])
      return defect(fail("the placement: ", named(problem, int(t)), " and ",
                         named(problem, first), " have to be on one device"));
  }
  return {};
}
