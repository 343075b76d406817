#include "compiler/placement/Lifetimes.h"

#include <algorithm>

using namespace smex;
using namespace smex::placement;

Moments::Moments(const Problem &problem, const Schedule &schedule) {
  const size_t tasks = problem.graph.tasks.size();
  start.resize(tasks), free.resize(tasks), copy.resize(tasks);
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

int placement::endOf(const TaskGraph &graph, const Moments &moments, int task,
                     int last) {
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
        if (const int reader = graph.edges[size_t(e)].to;
            placement[size_t(reader)] == placement[size_t(t)])
          last = later(target, last, reader);
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
    for (int e : problem.adjacency.outOf(t)) {
      const Edge &edge = graph.edges[size_t(e)];
      const int device = placement[size_t(edge.to)];
      int &buffer = at[size_t(device)];
      if (buffer < 0) {
        if (device == own || device == host)
          continue; // residual, a reference, or no GPU's memory
        buffer = int(buffers.size());
        buffers.push_back({t, device, 0, moments.copy[size_t(t)], 0, edge.to});
      }
      Buffer &there = buffers[size_t(buffer)];
      if (device != own)
        there.bytes = std::max(there.bytes, edge.bytes);
      there.last = later(t, there.last, edge.to);
    }
    for (size_t b = first; b < buffers.size(); ++b) {
      buffers[b].to = endOf(graph, moments, t, buffers[b].last);
      at[size_t(buffers[b].device)] = -1;
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
