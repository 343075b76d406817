#include "compiler/placement/Levels.h"

#include <algorithm>

using namespace smex;
using namespace smex::placement;

double Levels::longest() const {
  return bottom.empty() ? 0 : *std::max_element(bottom.begin(), bottom.end());
}

std::vector<double> placement::edgeSeconds(const Problem &problem) {
  std::vector<double> seconds;
  seconds.reserve(problem.graph.edges.size());
  for (const Edge &edge : problem.graph.edges)
    seconds.push_back(problem.devices.transferSeconds(edge.bytes));
  return seconds;
}

std::vector<double> placement::edgeSeconds(const Problem &problem,
                                           const Placement &placement) {
  std::vector<double> seconds;
  seconds.reserve(problem.graph.edges.size());
  for (const Edge &edge : problem.graph.edges)
    seconds.push_back(problem.devices.transferSeconds(
        edge.bytes, placement[size_t(edge.from)], placement[size_t(edge.to)]));
  return seconds;
}

Levels placement::levels(const Problem &problem,
                         const std::vector<double> &edgeSeconds,
                         const std::vector<char> *removed) {
  const TaskGraph &graph = problem.graph;
  const auto isThere = [&](int task) {
    return !removed || !(*removed)[size_t(task)];
  };
  Levels levels;
  levels.top.assign(graph.tasks.size(), 0);
  for (int task : problem.order) {
    if (!isThere(task))
      continue;
    double top = 0;
    for (int e : problem.adjacency.into(task))
      if (const int from = graph.edges[size_t(e)].from; isThere(from))
        top = std::max(top, levels.top[size_t(from)] +
                                graph.tasks[size_t(from)].seconds +
                                edgeSeconds[size_t(e)]);
    levels.top[size_t(task)] = top;
  }
  levels.bottom = bottomLevels(problem, edgeSeconds, removed);
  return levels;
}

std::vector<double>
placement::bottomLevels(const Problem &problem,
                        const std::vector<double> &edgeSeconds,
                        const std::vector<char> *removed) {
  const TaskGraph &graph = problem.graph;
  std::vector<double> levels(graph.tasks.size());
  for (auto task = problem.order.rbegin(); task != problem.order.rend();
       ++task) {
    if (removed && (*removed)[size_t(*task)])
      continue;
    double bottom = 0;
    for (int e : problem.adjacency.outOf(*task))
      if (const int to = graph.edges[size_t(e)].to;
          !removed || !(*removed)[size_t(to)])
        bottom = std::max(bottom, levels[size_t(to)] + edgeSeconds[size_t(e)]);
    levels[size_t(*task)] = bottom + graph.tasks[size_t(*task)].seconds;
  }
  return levels;
}

std::vector<int> placement::longestPath(const Problem &problem,
                                        const std::vector<double> &edgeSeconds,
                                        const std::vector<double> &bottom,
                                        const std::vector<char> *removed) {
  const auto isThere = [&](int task) {
    return !removed || !(*removed)[size_t(task)];
  };
  int at = -1;
  for (int task : problem.order)
    if (isThere(task) && (at < 0 || bottom[size_t(task)] > bottom[size_t(at)]))
      at = task;
  std::vector<int> path;
  while (at >= 0) {
    path.push_back(at);
    int next = -1;
    double most = -1;
    for (int e : problem.adjacency.outOf(at)) {
      const int to = problem.graph.edges[size_t(e)].to;
      const double through = edgeSeconds[size_t(e)] + bottom[size_t(to)];
      if (isThere(to) && through > most)
        next = to, most = through;
    }
    at = next;
  }
  return path;
}
