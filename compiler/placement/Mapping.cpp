#include "compiler/placement/Mapping.h"

#include <algorithm>
#include <numeric>

using namespace smex;
using namespace smex::placement;

ClusterFacts::ClusterFacts(const Problem &problem, const Clusters &clusters)
    : problem(problem), clusters(clusters), edges(edgeSeconds(problem)),
      level(levels(problem, edges)), longest(level.longest()),
      secondaryOf(problem.graph.tasks.size(), -1) {
  for (size_t s = 0; s < clusters.secondary.size(); ++s)
    for (int task : clusters.secondary[s])
      secondaryOf[size_t(task)] = int(s);
  std::vector<int> byLevel(problem.graph.tasks.size());
  std::iota(byLevel.begin(), byLevel.end(), 0);
  std::stable_sort(byLevel.begin(), byLevel.end(), [&](int a, int b) {
    return level.top[size_t(a)] < level.top[size_t(b)];
  });
  sums.push_back(0);
  for (int task : byLevel) {
    sorted.push_back(level.top[size_t(task)]);
    sums.push_back(sums.back() + problem.graph.tasks[size_t(task)].seconds);
  }
}

Span ClusterFacts::span(int secondary) const {
  const std::vector<int> &tasks = clusters.secondary[size_t(secondary)];
  Span span{0, longest};
  for (int e : problem.adjacency.into(tasks.front())) {
    const int from = problem.graph.edges[size_t(e)].from;
    span.begin =
        std::max(span.begin, level.top[size_t(from)] +
                                 problem.graph.tasks[size_t(from)].seconds);
  }
  for (int e : problem.adjacency.outOf(tasks.back()))
    span.end = std::min(span.end,
                        level.top[size_t(problem.graph.edges[size_t(e)].to)]);
  return span;
}

double ClusterFacts::potential(int secondary) const {
  const Span span = this->span(secondary);
  if (span.begin >= span.end)
    return 0;
  const auto below = [&](double level) {
    return size_t(std::lower_bound(sorted.begin(), sorted.end(), level) -
                  sorted.begin());
  };
  double work = sums[below(span.end)] - sums[below(span.begin)];
  for (int task : clusters.secondary[size_t(secondary)])
    if (span.has(level.top[size_t(task)]))
      work -= problem.graph.tasks[size_t(task)].seconds;
  return work;
}

double ClusterFacts::communication(int secondary) const {
  double sum = 0;
  visitNeighbours(secondary, [&](int, double seconds) { sum += seconds; });
  return sum;
}

void ClusterFacts::communication(int secondary, const Placement &placement,
                                 std::vector<double> &byDevice) const {
  byDevice.assign(size_t(problem.devices.count), 0);
  visitNeighbours(secondary, [&](int task, double seconds) {
    const int device = placement[size_t(task)];
    if (device >= 0 && device != problem.devices.host())
      byDevice[size_t(device)] += seconds;
  });
}

double ClusterFacts::seconds(int secondary) const {
  double sum = 0;
  for (int task : clusters.secondary[size_t(secondary)])
    sum += problem.graph.tasks[size_t(task)].seconds;
  return sum;
}

LevelLoads placement::loadsByLevel(const ClusterFacts &facts,
                                   const Placement &placement) {
  LevelLoads loads(facts.level.top, facts.problem.devices.count);
  for (size_t t = 0; t < placement.size(); ++t)
    if (placement[t] >= 0 && placement[t] != facts.problem.devices.host())
      loads.add(int(t), placement[t], facts.problem.graph.tasks[t].seconds);
  return loads;
}

Placement placement::mapClusters(const ClusterFacts &facts) {
  const Problem &problem = facts.problem;
  const size_t devices = size_t(problem.devices.count);
  Placement placement(problem.graph.tasks.size(), -1);
  for (size_t t = 0; t < placement.size(); ++t)
    if (!problem.graph.tasks[t].hasGpuKernel)
      placement[t] = problem.devices.host();
  const auto put = [&](const std::vector<int> &cluster, size_t device) {
    for (int task : cluster)
      placement[size_t(task)] = int(device);
  };
  for (size_t k = 0; k < facts.clusters.primary.size(); ++k)
    put(facts.clusters.primary[k], k);

  // Initial merging.
  std::vector<int> left;
  std::vector<double> with, work;
  for (size_t s = 0; s < facts.clusters.secondary.size(); ++s) {
    bool merges = facts.communication(int(s)) - facts.potential(int(s)) > 0;
    if (merges) {
      facts.communication(int(s), placement, with);
      const auto most = std::max_element(with.begin(), with.end());
      // One that only communicates with clusters without a device is left.
      merges = *most > 0;
      if (merges)
        put(facts.clusters.secondary[s], size_t(most - with.begin()));
    }
    if (!merges)
      left.push_back(int(s));
  }

  // Level-aware load balancing.
  std::vector<double> seconds(facts.clusters.secondary.size());
  for (int s : left)
    seconds[size_t(s)] = facts.seconds(s);
  std::stable_sort(left.begin(), left.end(), [&](int a, int b) {
    return seconds[size_t(a)] > seconds[size_t(b)];
  });
  LevelLoads loads = loadsByLevel(facts, placement);
  for (int s : left) {
    loads.within(facts.span(s), work);
    facts.communication(s, placement, with);
    const double total = std::accumulate(with.begin(), with.end(), 0.0);
    size_t best = 0;
    const auto criterion = [&](size_t d) { return work[d] + total - with[d]; };
    for (size_t d = 1; d < devices; ++d)
      if (criterion(d) < criterion(best) ||
          (criterion(d) == criterion(best) && with[d] > with[best]))
        best = d;
    put(facts.clusters.secondary[size_t(s)], best);
    for (int task : facts.clusters.secondary[size_t(s)])
      loads.add(task, int(best), problem.graph.tasks[size_t(task)].seconds);
  }
  return placement;
}
