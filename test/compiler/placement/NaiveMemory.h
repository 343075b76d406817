// Equation 4.3 by its definition, without any code of compiler/placement's: for
// each moment, each task and each device, is the output there? O(V^2 E).
#ifndef SMEX_TEST_COMPILER_PLACEMENT_NAIVEMEMORY_H
#define SMEX_TEST_COMPILER_PLACEMENT_NAIVEMEMORY_H

#include "compiler/placement/Schedule.h"

#include <algorithm>
#include <map>
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
    const std::vector<int> &order = isListed() ? schedule.list : schedule.order;
    for (size_t i = 0; i < order.size(); ++i)
      place[size_t(order[i])] = int(i);
  }

  /// Of a plan: moments are places in its list, and then 0: what the task is
  /// the first to read of residual tasks elsewhere comes, 1: it starts, 2: it
  /// has finished, 3: copies of what it made come.
  bool isListed() const { return !schedule.list.empty(); }
  Moment inList(int t, int what) const {
    return {double(place[size_t(t)]), what, 0, 0};
  }
  /// Nothing computes it.
  bool isGiven(int t) const {
    for (const Edge &edge : problem.graph.edges)
      if (edge.to == t)
        return false;
    return problem.graph.tasks[size_t(t)].seconds == 0;
  }
  static Moment before() { return {-1, 0, 0, 0}; }

  Moment starts(int t) const {
    if (isListed())
      return isGiven(t) ? before() : inList(t, 1);
    return {schedule.start[size_t(t)], 2, place[size_t(t)], 0};
  }
  bool takesTime(int t) const {
    return schedule.finish[size_t(t)] > schedule.start[size_t(t)];
  }
  Moment frees(int t) const {
    if (isListed())
      return inList(t, 2);
    if (takesTime(t))
      return {schedule.finish[size_t(t)], 0, 0, 0};
    return {schedule.start[size_t(t)], 2, place[size_t(t)], 1};
  }
  Moment copies(int t) const {
    if (isListed())
      return isGiven(t) ? before()
                        : Moment{double(schedule.copied[size_t(t)]), 3, 0, 0};
    if (takesTime(t))
      return {schedule.finish[size_t(t)], 1, 0, 0};
    return {schedule.start[size_t(t)], 2, place[size_t(t)], 2};
  }

  /// When `reader` does not need t's output any more.
  Moment leaves(int reader, int t) const {
    return problem.graph.tasks[size_t(reader)].overwrites == t ? starts(reader)
                                                               : frees(reader);
  }

  /// Of a copy: part 0 has all others.
  static int64_t bytesOfAll(const std::map<int, int64_t> &parts) {
    if (const auto whole = parts.find(0); whole != parts.end())
      return whole->second;
    int64_t sum = 0;
    for (const auto &[part, bytes] : parts)
      sum += bytes;
    return sum;
  }

  /// Bytes of t's output on the device at that moment.
  int64_t bytesOf(int t, int device, const Moment &now) const {
    const Task &task = problem.graph.tasks[size_t(t)];
    const bool own = placement[size_t(t)] == device;
    if (own && task.memory == MemoryKind::Residual)
      return task.bytes;
    if (own && task.memory == MemoryKind::Reference)
      return 0;
    std::map<int, int64_t> parts; // that are read there
    bool isRead = false;          // by one that has not finished
    // For a residual task's copy: has the first of its readers come?
    bool isFetched = !isListed() || task.memory != MemoryKind::Residual;
    for (const Edge &edge : problem.graph.edges) {
      const Task &from = problem.graph.tasks[size_t(edge.from)];
      if (placement[size_t(edge.to)] != device || edge.bytes == 0)
        continue;
      if (edge.from == t) {
        parts[edge.part] = std::max(parts[edge.part], edge.bytes);
        isFetched = isFetched || inList(edge.to, 0) <= now;
      }
      if (edge.from == t || (own && from.target == t))
        isRead = isRead || now < leaves(edge.to, t);
    }
    if (!own && isListed() && task.memory == MemoryKind::Residual)
      return isRead && isFetched ? bytesOfAll(parts) : 0;
    if (!own)
      return isRead && copies(t) <= now ? bytesOfAll(parts) : 0;
    if (task.kept)
      return starts(t) <= now ? task.bytes : 0;
    for (size_t r = 0; r < problem.graph.tasks.size(); ++r)
      if (problem.graph.tasks[r].target == t)
        isRead = isRead || now < frees(int(r));
    const bool isMade = now < frees(t) || (isListed() && now <= copies(t));
    return starts(t) <= now && (isRead || isMade) ? task.bytes : 0;
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
    for (size_t t = 0; isListed() && t < placement.size(); ++t)
      moments.push_back(inList(int(t), 0));
    std::sort(moments.begin(), moments.end());
    int64_t most = bytes(device, isListed() ? before() : Moment{0, -1, 0, 0});
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
