#include "compiler/placement/TaskGraph.h"

#include "compiler/placement/Names.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>

using namespace smex;
using namespace smex::placement;

namespace {

/// Offsets of each task's edges in a list that is sorted by task.
void gather(const TaskGraph &graph, int Edge::*end, std::vector<int> &offsets,
            std::vector<int> &edges) {
  offsets.assign(graph.tasks.size() + 1, 0);
  for (const Edge &edge : graph.edges)
    ++offsets[size_t(edge.*end) + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  edges.resize(graph.edges.size());
  std::vector<int> next(offsets.begin(), offsets.end() - 1);
  for (size_t e = 0; e < graph.edges.size(); ++e)
    edges[size_t(next[size_t(graph.edges[e].*end)]++)] = int(e);
}

std::string named(const TaskGraph &graph, int task) {
  return "task \"" + shortName(graph.tasks[size_t(task)].name) + "\"";
}

/// A cycle among tasks that no topological order has, as names.
std::string cycleOf(const TaskGraph &graph, const Adjacency &adjacency,
                    const std::vector<int> &ordered) {
  std::vector<bool> done(graph.tasks.size());
  for (int task : ordered)
    done[size_t(task)] = true;
  // Each task that is left has a predecessor that is left: going back from any
  // of them ends in a cycle.
  int at = int(std::find(done.begin(), done.end(), false) - done.begin());
  std::vector<int> path, placeInPath(graph.tasks.size(), -1);
  while (placeInPath[size_t(at)] < 0) {
    placeInPath[size_t(at)] = int(path.size());
    path.push_back(at);
    for (int e : adjacency.into(at))
      if (!done[size_t(graph.edges[size_t(e)].from)]) {
        at = graph.edges[size_t(e)].from;
        break;
      }
  }
  std::vector<int> cycle(path.begin() + placeInPath[size_t(at)], path.end());
  std::reverse(cycle.begin(), cycle.end());
  const auto quoted = [&](int task) {
    return "\"" + shortName(graph.tasks[size_t(task)].name) + "\"";
  };
  std::string text;
  constexpr size_t shown = 8;
  for (size_t i = 0; i < std::min(cycle.size(), shown); ++i)
    text += quoted(cycle[i]) + " -> ";
  if (cycle.size() > shown)
    text += "... -> ";
  return text + quoted(cycle[0]);
}

/// Adds what one more of a list has.
Status addBytes(int64_t bytes, int64_t &sum) {
  if (bytes < 0)
    return fail("its bytes are ", bytes, ", and must not be negative");
  if (bytes > kMostBytes - sum)
    return fail("its ", bytes, " bytes, and the ", sum,
                " of all before it, are more than 2^60 in sum");
  sum += bytes;
  return {};
}

Status validateTasks(const TaskGraph &graph) {
  double seconds = 0;
  int64_t bytes = 0;
  const int count = int(graph.tasks.size());
  for (int t = 0; t < count; ++t) {
    const Task &task = graph.tasks[size_t(t)];
    if (!std::isfinite(task.seconds) || task.seconds < 0)
      return fail(named(graph, t), ": seconds must be a number that is not "
                                   "negative");
    seconds += task.seconds;
    if (seconds > kMostSeconds)
      return fail(named(graph, t), ": tasks up to this one take more than ",
                  int64_t(kMostSeconds), " seconds");
    if (const Status counted = addBytes(task.bytes, bytes); !counted)
      return fail(named(graph, t), ": ", counted.error().message);
    if (task.overwrites != -1 &&
        (task.memory != MemoryKind::Normal || task.overwrites < 0 ||
         task.overwrites >= count))
      return fail(named(graph, t), ": only a normal task overwrites another "
                                   "task's output");
    const bool isReference = task.memory == MemoryKind::Reference;
    if (isReference != (task.target != -1))
      return fail(named(graph, t), ": a reference has a target, and no other "
                                   "task has");
    if (!isReference)
      continue;
    if (task.target < 0 || task.target >= count || task.target == t)
      return fail(named(graph, t), ": its target is no other task");
    if (graph.tasks[size_t(task.target)].memory == MemoryKind::Reference)
      return fail(named(graph, t), ": its target ", named(graph, task.target),
                  " is a reference itself");
  }
  return {};
}

} // namespace

Adjacency::Adjacency(const TaskGraph &graph) {
  gather(graph, &Edge::to, inOffsets, inEdges);
  gather(graph, &Edge::from, outOffsets, outEdges);
}

std::vector<int> placement::topologicalOrder(const TaskGraph &graph,
                                             const Adjacency &adjacency) {
  std::vector<int> missing(graph.tasks.size());
  std::priority_queue<int, std::vector<int>, std::greater<int>> ready;
  for (size_t t = 0; t < graph.tasks.size(); ++t)
    if (!(missing[t] = int(adjacency.into(int(t)).size())))
      ready.push(int(t));
  std::vector<int> order;
  order.reserve(graph.tasks.size());
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (int e : adjacency.outOf(order.back()))
      if (const int to = graph.edges[size_t(e)].to; --missing[size_t(to)] == 0)
        ready.push(to);
  }
  return order;
}

std::vector<int> placement::unionsOf(const TaskGraph &graph) {
  // Each task points at an earlier one of its union, or at itself.
  std::vector<int> first(graph.tasks.size());
  std::iota(first.begin(), first.end(), 0);
  const auto find = [&](int task) {
    while (first[size_t(task)] != task)
      task = first[size_t(task)] = first[size_t(first[size_t(task)])];
    return task;
  };
  const auto unite = [&](int a, int b) {
    a = find(a), b = find(b);
    first[size_t(std::max(a, b))] = std::min(a, b);
  };
  std::vector<std::pair<int, int>> numbered; // together, task
  for (size_t t = 0; t < graph.tasks.size(); ++t) {
    if (graph.tasks[t].together >= 0)
      numbered.emplace_back(graph.tasks[t].together, int(t));
    if (graph.tasks[t].target >= 0)
      unite(int(t), graph.tasks[t].target);
  }
  std::sort(numbered.begin(), numbered.end());
  for (size_t i = 1; i < numbered.size(); ++i)
    if (numbered[i].first == numbered[i - 1].first)
      unite(numbered[i].second, numbered[i - 1].second);
  for (size_t t = 0; t < first.size(); ++t)
    first[t] = find(int(t));
  return first;
}

Status placement::validate(const TaskGraph &graph) {
  if (Status status = validateTasks(graph); !status)
    return status;
  const int count = int(graph.tasks.size());
  int64_t bytes = 0;
  std::vector<bool> readsWhole(graph.tasks.size()); // of what it overwrites
  for (size_t e = 0; e < graph.edges.size(); ++e) {
    const Edge &edge = graph.edges[e];
    if (edge.from < 0 || edge.from >= count || edge.to < 0 || edge.to >= count)
      return fail("edge ", e, ": its ends are no tasks");
    if (edge.from == edge.to)
      return fail("edge ", e, ": ", named(graph, edge.from), " reads itself");
    if (const Status counted = addBytes(edge.bytes, bytes); !counted)
      return fail("edge ", e, ", from ", named(graph, edge.from), " to ",
                  named(graph, edge.to), ": ", counted.error().message);
    if (edge.part < 0)
      return fail("edge ", e, ", from ", named(graph, edge.from), " to ",
                  named(graph, edge.to), ": its part must not be negative");
    const Task &reader = graph.tasks[size_t(edge.to)];
    if (reader.overwrites == edge.from && edge.bytes >= reader.bytes)
      readsWhole[size_t(edge.to)] = true;
  }
  for (int t = 0; t < count; ++t)
    if (const int other = graph.tasks[size_t(t)].overwrites;
        other >= 0 && !readsWhole[size_t(t)])
      return fail(named(graph, t), " overwrites the output of ",
                  named(graph, other),
                  ", and does not read as many bytes of "
                  "it as it makes");
  const Adjacency adjacency(graph);
  const std::vector<int> order = topologicalOrder(graph, adjacency);
  if (order.size() != graph.tasks.size())
    return fail("the tasks wait for each other in a circle: ",
                cycleOf(graph, adjacency, order));
  // Where tasks have to be together, all of them are on GPUs, or none.
  const std::vector<int> unions = unionsOf(graph);
  for (int t = 0; t < count; ++t)
    if (const int first = unions[size_t(t)];
        graph.tasks[size_t(t)].hasGpuKernel !=
        graph.tasks[size_t(first)].hasGpuKernel)
      return fail(named(graph, t), " and ", named(graph, first),
                  " have to be on one device, but only one of them has a "
                  "kernel for GPUs");
  return {};
}
