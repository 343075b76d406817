// Equation 4.3 by its definition, without any code of compiler/placement's: for
// each moment, each task and each device, is the output there? O(V^2 E).
#ifndef SMEX_TEST_COMPILER_PLACEMENT_NAIVEMEMORY_H
#define SMEX_TEST_COMPILER_PLACEMENT_NAIVEMEMORY_H

#include "compiler/placement/Schedule.h"

#include <algorithm>
#include <tuple>

namespace smex::placement::test {

/// Seconds; then what comes first at one time (0: finish, 1: copies arrive, 2:
/// start), and for tasks that take no time, that they are over before the next.
using Moment = std::tuple<double, int, int, int>;

struct NaiveMemory {
  const Problem &problem;
  const Placement &placement;
  const Schedule &schedule;
  std::vector<int> place; // in the order, by task

  NaiveMemory(const Problem &problem, const Placement &placement,
              const Schedule &schedule)
      : problem(problem), placement(placement), schedule(schedule),
        place(placement.size()) {
    for (size_t i = 0; i < schedule.order.size(); ++i)
      place[size_t(schedule.order[i])] = int(i);
  }

  Moment starts(int t) const {
    return {schedule.start[size_t(t)], 2, place[size_t(t)], 0};
  }
  bool takesTime(int t) const {
    return schedule.finish[size_t(t)] > schedule.start[size_t(t)];
  }
  Moment frees(int t) const {
    if (takesTime(t))
      return {schedule.finish[size_t(t)], 0, 0, 0};
    return {schedule.start[size_t(t)], 2, place[size_t(t)], 1};
  }
  Moment copies(int t) const {
    if (takesTime(t))
      return {schedule.finish[size_t(t)], 1, 0, 0};
    return {schedule.start[size_t(t)], 2, place[size_t(t)], 2};
  }

  /// When `reader` does not need t's output any more.
  Moment leaves(int reader, int t) const {
    return problem.graph.tasks[size_t(reader)].overwrites == t ? starts(reader)
                                                               : frees(reader);
  }

  /// Bytes of t's output on the device at that moment.
  int64_t bytesOf(int t, int device, const Moment &now) const {
    const Task &task = problem.graph.tasks[size_t(t)];
    const bool own = placement[size_t(t)] == device;
    if (own && task.memory == MemoryKind::Residual)
      return task.bytes;
    if (own && task.memory == MemoryKind::Reference)
      return 0;
    int64_t part = 0;
    bool isRead = false; // by one that has not finished
    for (const Edge &edge : problem.graph.edges) {
      const Task &from = problem.graph.tasks[size_t(edge.from)];
      if (placement[size_t(edge.to)] != device)
        continue;
      if (edge.from == t)
        part = std::max(part, edge.bytes);
      if (edge.from == t || (own && from.target == t))
        isRead = isRead || now < leaves(edge.to, t);
    }
    if (!own)
      return isRead && copies(t) <= now ? part : 0;
    for (size_t r = 0; r < problem.graph.tasks.size(); ++r)
      if (problem.graph.tasks[r].target == t)
        isRead = isRead || now < frees(int(r));
    return starts(t) <= now && (isRead || now < frees(t)) ? task.bytes : 0;
  }

  int64_t bytes(int device, const Moment &now) const {
    int64_t sum = 0;
    for (size_t t = 0; t < placement.size(); ++t)
      sum += bytesOf(int(t), device, now);
    return sum;
  }

  /// The most at any moment, and the first time of it.
  std::pair<int64_t, double> peak(int device) const {
    std::vector<Moment> moments;
    for (size_t t = 0; t < placement.size(); ++t)
      for (const Moment &moment :
           {starts(int(t)), frees(int(t)), copies(int(t))})
        moments.push_back(moment);
    std::sort(moments.begin(), moments.end());
    int64_t most = bytes(device, {0, -1, 0, 0});
    double when = 0;
    for (const Moment &moment : moments)
      if (const int64_t now = bytes(device, moment); now > most) {
        most = now;
        when = std::get<0>(moment);
      }
    return {most, when};
  }
};

} // namespace smex::placement::test

#endif
