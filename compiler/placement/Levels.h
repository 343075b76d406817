// Top, bottom and weighted levels (thesis Table 4.2): how long a graph takes
// before and after a task, at least.
#ifndef SMEX_COMPILER_PLACEMENT_LEVELS_H
#define SMEX_COMPILER_PLACEMENT_LEVELS_H

#include "compiler/placement/Schedule.h"

namespace smex::placement {

/// Seconds, by task.
struct Levels {
  std::vector<double> top;    // tl(n): the longest path to n, without n
  std::vector<double> bottom; // bl(n): the longest path from n, with n
  /// w_lvl(n): the longest path through n.
  double weighted(int task) const {
    return top[size_t(task)] + bottom[size_t(task)];
  }
  /// The longest path of all.
  double longest() const;
};

/// comm(e) of every edge, by edge: as if all tasks were on devices of their
/// own, or as placed.
std::vector<double> edgeSeconds(const Problem &problem);
std::vector<double> edgeSeconds(const Problem &problem,
                                const Placement &placement);

/// Of the graph without the tasks that are `removed` (whose levels are 0), if
/// given. O(V + E).
Levels levels(const Problem &problem, const std::vector<double> &edgeSeconds,
              const std::vector<char> *removed = nullptr);

/// Bottom levels alone, which is half of the work.
std::vector<double> bottomLevels(const Problem &problem,
                                 const std::vector<double> &edgeSeconds,
                                 const std::vector<char> *removed = nullptr);

/// A path as long as any, by bottom levels: from each task on to the one whose
/// level, with the transfer, is largest; of equal ones the first. Empty if all
/// tasks are removed.
std::vector<int> longestPath(const Problem &problem,
                             const std::vector<double> &edgeSeconds,
                             const std::vector<double> &bottom,
                             const std::vector<char> *removed = nullptr);

} // namespace smex::placement

#endif
