#include "compiler/placement/Lifetimes.h"

#include <algorithm>

using namespace smex;
using namespace smex::placement;

Moments::Moments(const Problem &problem, const Schedule &schedule) {
  const size_t tasks = problem.graph.tasks.size();
  start.resize(tasks), free.resize(tasks), copy.resize(tasks);
  if (!schedule.list.empty()) {
    asListed(problem, schedule);
    return;
  }
  const auto takesTime = [&](int task) {
    return schedule.finish[size_t(task)] > schedule.start[size_t(task)];
  };
  std::vector<int> finishing;
  for (int task : schedule.order)
    if (takesTime(task))
      finishing.push_back(task);
  std::stable_sort(finishing.begin(), finishing.end(), [&](int a, int b) {
    return schedule.finish[size_t(a)] < schedule.finish[size_t(b)];
  });
  auto next = finishing.begin();
  // All that finish up to this time, those of one time together.
  const auto finishUpTo = [&](double time) {
    while (next != finishing.end() && schedule.finish[size_t(*next)] <= time) {
      const double now = schedule.finish[size_t(*next)];
      for (; next != finishing.end() && schedule.finish[size_t(*next)] == now;
           ++next)
        free[size_t(*next)] = count, copy[size_t(*next)] = count + 1;
      count += 2;
    }
  };
  for (int task : schedule.order) {
    finishUpTo(schedule.start[size_t(task)]);
    start[size_t(task)] = count++;
    if (!takesTime(task)) {
      free[size_t(task)] = count++;
      copy[size_t(task)] = count++;
    }
  }
  finishUpTo(schedule.makespan);
}

void Moments::asListed(const Problem &problem, const Schedule &schedule) {
  fetch.resize(start.size());
  for (size_t place = 0; place < schedule.list.size(); ++place) {
    const int task = schedule.list[place];
    // What nothing computes is there before the first instruction.
    const bool isGiven = problem.adjacency.into(task).size() == 0 &&
                         problem.graph.tasks[size_t(task)].seconds == 0;
    const int first = 1 + 4 * int(place);
    fetch[size_t(task)] = first;
    start[size_t(task)] = isGiven ? 0 : first + 1;
    free[size_t(task)] = first + 2;
    copy[size_t(task)] =
        isGiven ? 0 : 1 + 4 * schedule.copied[size_t(task)] + 3;
  }
  count = 1 + 4 * int(schedule.list.size());
}

int placement::startOfCopy(const TaskGraph &graph, const Moments &moments,
                           int task, int first) {
  return moments.isListed() &&
                 graph.tasks[size_t(task)].memory == MemoryKind::Residual
             ? moments.fetch[size_t(first)]
             : moments.copy[size_t(task)];
}

int64_t placement::bytesOfCopy(const Problem &problem,
                               const Placement &placement, int task,
                               int device) {
  int64_t largest = 0, sum = 0;
  std::vector<std::pair<int, int64_t>> parts;
  for (const int e : problem.adjacency.outOf(task)) {
    const Edge &edge = problem.graph.edges[size_t(e)];
    if (placement[size_t(edge.to)] != device)
      continue;
    if (edge.part == 0)
      largest = std::max(largest, edge.bytes);
    else
      parts.emplace_back(edge.part, edge.bytes);
  }
  if (largest > 0)
    return largest;
  std::sort(parts.begin(), parts.end());
  for (size_t p = 0; p < parts.size(); ++p)
    if (p + 1 == parts.size() || parts[p + 1].first != parts[p].first)
      sum += parts[p].second;
  return sum;
}

int placement::endOf(const TaskGraph &graph, const Moments &moments, int task,
                     int last) {
  if (moments.isListed() && last == task) // or until copies have come
    return std::max(moments.free[size_t(task)], moments.copy[size_t(task)] + 1);
  return graph.tasks[size_t(last)].overwrites == task
             ? moments.start[size_t(last)]
             : moments.free[size_t(last)];
}

bool placement::endsBefore(const TaskGraph &graph, const Moments &moments,
                           int task, int a, int b) {
  const auto when = [&](int reader) {
    return std::pair(moments.free[size_t(reader)],
                     endOf(graph, moments, task, reader));
  };
  return when(a) < when(b);
}

Lifetimes::Lifetimes(const Problem &problem, const Placement &placement,
                     const Moments &moments) {
  const TaskGraph &graph = problem.graph;
  const int tasks = int(graph.tasks.size()), host = problem.devices.host();
  residualBytes.assign(size_t(problem.devices.count), 0);
  // Of the last task that changes or reads a target through a reference.
  std::vector<int> lastThroughReference(graph.tasks.size(), -1);
  const auto later = [&](int task, int a, int b) {
    return a < 0 || endsBefore(graph, moments, task, a, b) ? b : a;
  };
  for (int t = 0; t < tasks; ++t)
    if (const int target = graph.tasks[size_t(t)].target; target >= 0) {
      int &last = lastThroughReference[size_t(target)];
      last = later(target, last, t);
      for (int e : problem.adjacency.outOf(t))
        if (const Edge &edge = graph.edges[size_t(e)];
            !edge.onlyOrders() &&
            placement[size_t(edge.to)] == placement[size_t(t)])
          last = later(target, last, edge.to);
    }
  std::vector<int> at(size_t(host) + 1, -1); // buffer by device
  offsets.reserve(graph.tasks.size() + 1);
  for (int t = 0; t < tasks; ++t) {
    const Task &task = graph.tasks[size_t(t)];
    const int own = placement[size_t(t)];
    const size_t first = buffers.size();
    offsets.push_back(int(first));
    if (own != host && task.memory == MemoryKind::Residual)
      residualBytes[size_t(own)] += task.bytes;
    if (own != host && task.memory == MemoryKind::Normal) {
      Buffer buffer{t, own, task.bytes, moments.start[size_t(t)], 0, t};
      if (const int last = lastThroughReference[size_t(t)]; last >= 0)
        buffer.last = later(t, t, last);
      at[size_t(own)] = int(first);
      buffers.push_back(buffer);
    }
    bool hasParts = false;
    for (int e : problem.adjacency.outOf(t)) {
      const Edge &edge = graph.edges[size_t(e)];
      if (edge.onlyOrders())
        continue;
      const int device = placement[size_t(edge.to)];
      int &buffer = at[size_t(device)];
      if (buffer < 0) {
        if (device == own || device == host)
          continue; // residual, a reference, or no GPU's memory
        buffer = int(buffers.size());
        buffers.push_back({t, device, 0, moments.count, 0, edge.to});
      }
      Buffer &there = buffers[size_t(buffer)];
      if (device != own) {
        there.bytes = std::max(there.bytes, edge.bytes);
        hasParts = hasParts || edge.part > 0;
        there.from =
            std::min(there.from, startOfCopy(graph, moments, t, edge.to));
      }
      there.last = later(t, there.last, edge.to);
    }
    for (size_t b = first; b < buffers.size(); ++b) {
      if (hasParts && buffers[b].device != own)
        buffers[b].bytes =
            bytesOfCopy(problem, placement, t, buffers[b].device);
      buffers[b].to = endOf(graph, moments, t, buffers[b].last);
      at[size_t(buffers[b].device)] = -1;
      if (buffers[b].device == own && task.kept)
        buffers[b].to = moments.count, buffers[b].last = t;
    }
  }
  offsets.push_back(int(buffers.size()));
}

ByMoment::ByMoment(const std::vector<Buffer> &buffers, int Buffer::*moment,
                   int count)
    : offsets(size_t(count) + 1), list(buffers.size()) {
  for (const Buffer &buffer : buffers)
    ++offsets[size_t(buffer.*moment) + 1];
  for (size_t i = 1; i < offsets.size(); ++i)
    offsets[i] += offsets[i - 1];
  std::vector<int> next(offsets.begin(), offsets.end() - 1);
  for (size_t b = 0; b < buffers.size(); ++b)
    list[size_t(next[size_t(buffers[b].*moment)]++)] = int(b);
}
