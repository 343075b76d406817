#include "compiler/placement/LinearClustering.h"

#include "compiler/placement/Algorithms.h"
#include "compiler/placement/FitMemory.h"
#include "compiler/placement/Levels.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>

using namespace smex;
using namespace smex::placement;

namespace {

class Paths {
public:
  explicit Paths(const Problem &problem)
      : problem(problem), seconds(edgeSeconds(problem)),
        position(problem.order.size()), bottom(problem.order.size()),
        isLeft(problem.order.size(), true), isWaiting(problem.order.size()) {
    for (size_t p = 0; p < position.size(); ++p)
      position[size_t(problem.order[p])] = int(p);
    for (size_t p = position.size(); p-- > 0;)
      set(problem.order[p]);
  }

  /// The longest path of what is left, which it leaves. None: nothing is left.
  std::vector<int> next() {
    std::vector<int> path;
    while (!longest.empty()) {
      const auto [length, minus] = longest.top();
      longest.pop();
      const int task = problem.order[size_t(-minus)];
      if (!isLeft[size_t(task)] || bottom[size_t(task)] != length)
        continue; // its level has changed since
      for (int at = task; at >= 0; at = after(at))
        path.push_back(at);
      break;
    }
    for (int task : path)
      isLeft[size_t(task)] = false;
    for (int task : path)
      wake(task);
    // The last first: a level follows from those of later tasks.
    while (!waiting.empty()) {
      const int task = problem.order[size_t(waiting.top())];
      waiting.pop();
      isWaiting[size_t(task)] = false;
      const double before = bottom[size_t(task)];
      if (levelOf(task) == before)
        continue;
      set(task);
      wake(task);
    }
    return path;
  }

private:
  double through(int e) const {
    return seconds[size_t(e)] +
           bottom[size_t(problem.graph.edges[size_t(e)].to)];
  }

  double levelOf(int task) const {
    double most = 0;
    for (int e : problem.adjacency.outOf(task))
      if (isLeft[size_t(problem.graph.edges[size_t(e)].to)])
        most = std::max(most, through(e));
    return most + problem.graph.tasks[size_t(task)].seconds;
  }

  void set(int task) {
    bottom[size_t(task)] = levelOf(task);
    longest.emplace(bottom[size_t(task)], -position[size_t(task)]);
  }

  /// The next task on the longest path from this one, or -1.
  int after(int task) const {
    int best = -1;
    double most = -1;
    for (int e : problem.adjacency.outOf(task)) {
      const int to = problem.graph.edges[size_t(e)].to;
      if (!isLeft[size_t(to)])
        continue;
      if (through(e) > most ||
          (through(e) == most && position[size_t(to)] < position[size_t(best)]))
        most = through(e), best = to;
    }
    return best;
  }

  /// Those that this task reads have to look at their levels again.
  void wake(int task) {
    for (int e : problem.adjacency.into(task)) {
      const int from = problem.graph.edges[size_t(e)].from;
      if (!isLeft[size_t(from)] || isWaiting[size_t(from)])
        continue;
      isWaiting[size_t(from)] = true;
      waiting.push(position[size_t(from)]);
    }
  }

  const Problem &problem;
  const std::vector<double> seconds; // by edge
  std::vector<int> position;
  std::vector<double> bottom;
  std::vector<char> isLeft, isWaiting;
  std::priority_queue<std::pair<double, int>> longest; // level, -position
  std::priority_queue<int> waiting;                    // positions
};

} // namespace

std::vector<std::vector<int>>
placement::linearClusters(const Problem &problem) {
  Paths paths(problem);
  std::vector<std::vector<int>> clusters;
  for (std::vector<int> path = paths.next(); !path.empty(); path = paths.next())
    clusters.push_back(std::move(path));
  return clusters;
}

Placement
placement::guidedLoadBalancing(const Problem &problem,
                               const std::vector<std::vector<int>> &clusters) {
  const auto &tasks = problem.graph.tasks;
  const Devices &devices = problem.devices;
  // Clusters that share a union become one, the first.
  std::vector<int> first(clusters.size()), clusterOf(tasks.size(), -1);
  std::iota(first.begin(), first.end(), 0);
  const auto find = [&](int cluster) {
    while (first[size_t(cluster)] != cluster)
      cluster = first[size_t(cluster)] = first[size_t(first[size_t(cluster)])];
    return cluster;
  };
  std::vector<int> ofUnion(tasks.size(), -1);
  for (size_t c = 0; c < clusters.size(); ++c)
    for (int task : clusters[c]) {
      clusterOf[size_t(task)] = int(c);
      if (!tasks[size_t(task)].hasGpuKernel)
        continue;
      int &known = ofUnion[size_t(problem.unions[size_t(task)])];
      if (known < 0)
        known = int(c);
      const int a = find(known), b = find(int(c));
      first[size_t(std::max(a, b))] = std::min(a, b);
    }
  std::vector<double> transfers = edgeSeconds(problem);
  for (size_t e = 0; e < transfers.size(); ++e) {
    const Edge &edge = problem.graph.edges[e];
    if (tasks[size_t(edge.from)].hasGpuKernel ==
            tasks[size_t(edge.to)].hasGpuKernel &&
        find(clusterOf[size_t(edge.from)]) == find(clusterOf[size_t(edge.to)]))
      transfers[e] = 0;
  }
  const std::vector<double> starts = levels(problem, transfers).top;

  std::vector<double> start(clusters.size(),
                            std::numeric_limits<double>::infinity());
  std::vector<double> work(clusters.size());
  for (size_t t = 0; t < tasks.size(); ++t)
    if (tasks[t].hasGpuKernel) {
      const size_t cluster = size_t(find(clusterOf[t]));
      start[cluster] = std::min(start[cluster], starts[t]);
      work[cluster] += tasks[t].seconds;
    }
  std::vector<int> order;
  for (size_t c = 0; c < clusters.size(); ++c)
    if (find(int(c)) == int(c))
      order.push_back(int(c));
  // Equal starts: the larger cluster first.
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return start[size_t(a)] != start[size_t(b)]
               ? start[size_t(a)] < start[size_t(b)]
               : work[size_t(a)] > work[size_t(b)];
  });
  std::vector<double> loads(static_cast<size_t>(devices.count));
  std::vector<int> deviceOf(clusters.size());
  for (int cluster : order) {
    const auto least = std::min_element(loads.begin(), loads.end());
    deviceOf[size_t(cluster)] = int(least - loads.begin());
    *least += work[size_t(cluster)];
  }
  Placement placement(tasks.size());
  for (size_t t = 0; t < tasks.size(); ++t)
    placement[t] = tasks[t].hasGpuKernel ? deviceOf[size_t(find(clusterOf[t]))]
                                         : devices.host();
  return placement;
}

Result<Outcome> placement::linearClustering(const Problem &problem,
                                            const Params &params) {
  Placement placement = guidedLoadBalancing(problem, linearClusters(problem));
  if (!params.inOrder)
    return withinMemory(problem, params, std::move(placement));
  std::vector<int> order = earliestStartFirst(problem, placement).order;
  return withinMemory(problem, params, std::move(placement), std::move(order));
}
