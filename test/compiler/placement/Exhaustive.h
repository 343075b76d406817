// Small problems by trying all there is, without any code of the algorithms or
// bounds that are tested against it.
#ifndef SMEX_TEST_COMPILER_PLACEMENT_EXHAUSTIVE_H
#define SMEX_TEST_COMPILER_PLACEMENT_EXHAUSTIVE_H

#include "test/compiler/placement/RandomTasks.h"

#include <limits>
#include <set>

namespace smex::placement::test {

/// Calls use(placement) for all that are valid.
template <typename Use>
void forEachPlacement(const Problem &problem, Use &&use) {
  std::vector<int> firsts; // of unions that are on GPUs
  for (size_t t = 0; t < problem.unions.size(); ++t)
    if (problem.unions[t] == int(t) && problem.graph.tasks[t].hasGpuKernel)
      firsts.push_back(int(t));
  std::vector<int> choice(problem.unions.size(), 0);
  for (;;) {
    Placement placement(problem.unions.size());
    for (size_t t = 0; t < placement.size(); ++t)
      placement[t] = problem.graph.tasks[t].hasGpuKernel
                         ? choice[size_t(problem.unions[t])]
                         : problem.devices.host();
    use(placement);
    size_t next = 0;
    while (next < firsts.size() &&
           ++choice[size_t(firsts[next])] == problem.devices.count)
      choice[size_t(firsts[next++])] = 0;
    if (next == firsts.size())
      return;
  }
}

/// The load of a device by its definition: sets of who sends what.
inline double naiveLoad(const Problem &problem, const Placement &placement,
                        int device, bool transfersOverlap) {
  double compute = 0, in = 0, out = 0;
  for (size_t t = 0; t < placement.size(); ++t) {
    const bool isHere = placement[t] == device;
    if (isHere)
      compute += problem.graph.tasks[t].seconds;
    double most = 0;
    for (const Edge &edge : problem.graph.edges) {
      const bool crosses = edge.from == int(t) &&
                           placement[size_t(edge.to)] != placement[t] &&
                           (isHere || placement[size_t(edge.to)] == device);
      if (crosses)
        most = std::max(
            most, problem.devices.transferSeconds(edge.bytes, placement[t],
                                                  placement[size_t(edge.to)]));
    }
    (isHere ? out : in) += most;
  }
  return transfersOverlap ? std::max({compute, in, out}) : compute + in + out;
}

inline double naiveLargestLoad(const Problem &problem,
                               const Placement &placement, bool overlap) {
  double most = 0;
  for (int d = 0; d < problem.devices.count; ++d)
    most = std::max(most, naiveLoad(problem, placement, d, overlap));
  return most;
}

/// Whether data between GPUs never goes to a smaller number, over whichever
/// tasks of the host it goes.
inline bool goesForward(const Problem &problem, const Placement &placement) {
  const size_t count = placement.size();
  std::vector<std::vector<char>> reaches(count, std::vector<char>(count));
  for (const Edge &edge : problem.graph.edges)
    reaches[size_t(edge.from)][size_t(edge.to)] = true;
  for (size_t k = 0; k < count; ++k)
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < count; ++j)
        reaches[i][j] = reaches[i][j] || (reaches[i][k] && reaches[k][j]);
  const int host = problem.devices.host();
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < count; ++j)
      if (reaches[i][j] && placement[i] != host && placement[j] != host &&
          placement[i] > placement[j])
        return false;
  return true;
}

/// The shortest of all schedules of a placement: of all orders of the tasks,
/// each as early as the ones before it let it.
inline double shortest(const Problem &problem, const Placement &placement) {
  std::vector<int> order(placement.size());
  for (size_t t = 0; t < order.size(); ++t)
    order[t] = int(t);
  double best = std::numeric_limits<double>::infinity();
  do {
    std::vector<double> finish(placement.size(), -1);
    std::vector<double> isFree(size_t(problem.devices.count) + 1);
    double last = 0;
    for (int task : order) {
      const int device = placement[size_t(task)];
      double start =
          device == problem.devices.host() ? 0 : isFree[size_t(device)];
      for (const Edge &edge : problem.graph.edges)
        if (edge.to == task) {
          if (finish[size_t(edge.from)] < 0)
            last = std::numeric_limits<double>::infinity();
          // The largest part of what goes to this device.
          int64_t bytes = edge.bytes;
          for (const Edge &other : problem.graph.edges)
            if (other.from == edge.from &&
                placement[size_t(other.to)] == device)
              bytes = std::max(bytes, other.bytes);
          start = std::max(
              start, finish[size_t(edge.from)] +
                         problem.devices.transferSeconds(
                             bytes, placement[size_t(edge.from)], device));
        }
      finish[size_t(task)] = start + problem.graph.tasks[size_t(task)].seconds;
      isFree[size_t(device)] = finish[size_t(task)];
      last = std::max(last, finish[size_t(task)]);
      if (last >= best)
        break;
    }
    best = std::min(best, last);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

} // namespace smex::placement::test

#endif
