#include "compiler/placement/Slicing.h"

#include "compiler/placement/Levels.h"
#include "compiler/placement/Members.h"

#include <algorithm>

using namespace smex;
using namespace smex::placement;

namespace {

class Slicing {
public:
  explicit Slicing(const Problem &problem)
      : problem(problem), edges(edgeSeconds(problem)), members(problem.unions),
        place(problem.order.size()), removed(problem.order.size()),
        joined(problem.order.size()) {
    for (size_t i = 0; i < problem.order.size(); ++i)
      place[size_t(problem.order[i])] = int(i);
    for (size_t t = 0; t < removed.size(); ++t)
      removed[t] = !problem.graph.tasks[t].hasGpuKernel;
  }

  /// Takes the critical path of what is left; empty if nothing is.
  std::vector<int> criticalPath() {
    std::vector<int> path = longestPath(
        problem, edges, bottomLevels(problem, edges, &removed), &removed);
    for (int task : path)
      removed[size_t(task)] = true;
    return withUnions(std::move(path));
  }

  /// Takes all that is left.
  std::vector<std::vector<int>> alongLevels() {
    const Levels level = levels(problem, edges, &removed);
    std::vector<int> byWeight;
    for (int task : problem.order)
      if (!removed[size_t(task)])
        byWeight.push_back(task);
    std::stable_sort(byWeight.begin(), byWeight.end(), [&](int a, int b) {
      return level.weighted(a) > level.weighted(b);
    });
    std::vector<std::vector<int>> paths;
    for (int task : byWeight) {
      if (removed[size_t(task)])
        continue;
      // Also back, since of a path's tasks, whose levels are equal but for
      // rounding, any may come first.
      std::vector<int> path = walk(task, level, false);
      std::reverse(path.begin(), path.end());
      const std::vector<int> forward = walk(task, level, true);
      path.insert(path.end(), forward.begin() + 1, forward.end());
      paths.push_back(withUnions(std::move(path)));
    }
    return paths;
  }

private:
  /// From the task to a dead end, and takes what it passes.
  std::vector<int> walk(int at, const Levels &level, bool forward) {
    std::vector<int> path;
    while (at >= 0) {
      removed[size_t(at)] = true;
      path.push_back(at);
      int next = -1;
      for (int e :
           forward ? problem.adjacency.outOf(at) : problem.adjacency.into(at)) {
        const Edge &edge = problem.graph.edges[size_t(e)];
        const int other = forward ? edge.to : edge.from;
        if (!removed[size_t(other)] &&
            (next < 0 || level.weighted(other) > level.weighted(next)))
          next = other;
      }
      at = next;
    }
    return path;
  }

  /// And all that has to be with the path's tasks.
  std::vector<int> withUnions(std::vector<int> path) {
    const size_t alone = path.size();
    for (size_t i = 0; i < alone; ++i) {
      // Once is enough: then nothing of a union is left.
      char &isJoined = joined[size_t(problem.unions[size_t(path[i])])];
      if (isJoined)
        continue;
      isJoined = true;
      for (int other : members.with(path[i]))
        if (!removed[size_t(other)]) {
          removed[size_t(other)] = true;
          path.push_back(other);
        }
    }
    if (path.size() > alone)
      std::sort(path.begin(), path.end(), [&](int a, int b) {
        return place[size_t(a)] < place[size_t(b)];
      });
    return path;
  }

  const Problem &problem;
  const std::vector<double> edges;
  const Members members;
  std::vector<int> place;    // in the topological order, by task
  std::vector<char> removed; // by task
  std::vector<char> joined;  // by the first task of a union
};

} // namespace

Clusters placement::slice(const Problem &problem, int primaries) {
  Slicing slicing(problem);
  Clusters clusters;
  for (int k = 0; k < primaries; ++k)
    clusters.primary.push_back(slicing.criticalPath());
  clusters.secondary = slicing.alongLevels();
  return clusters;
}
