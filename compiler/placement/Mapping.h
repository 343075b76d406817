// ParDNN's second stage (thesis section 4.1.1, "Mapping", Algorithm 2): each
// secondary cluster to the device of one of the primary ones.
//
// First those whose communication the work beside them cannot hide: to where
// they communicate most. Then the others, the heaviest first, by level-aware
// load balancing (LALB): to the device with the least sum of work within the
// cluster's span and communication with other devices (equation 4.2).
#ifndef SMEX_COMPILER_PLACEMENT_MAPPING_H
#define SMEX_COMPILER_PLACEMENT_MAPPING_H

#include "compiler/placement/LevelLoads.h"
#include "compiler/placement/Levels.h"
#include "compiler/placement/Slicing.h"

namespace smex::placement {

/// What mapping and refinement ask about clusters, all in seconds, before
/// anything is placed. Levels are those of the whole graph.
class ClusterFacts {
public:
  ClusterFacts(const Problem &problem, const Clusters &clusters);

  const Problem &problem;
  const Clusters &clusters;
  const std::vector<double> edges; // comm(e), by edge
  const Levels level;
  const double longest; // path, Levels::longest()
  /// By task: the number of its secondary cluster; -1 in a primary one or on
  /// the host.
  std::vector<int> secondaryOf;

  /// From when the last parent of the cluster's first task is expected to
  /// finish, to when the first child of its last task is expected to start.
  Span span(int secondary) const;
  /// What all tasks but the cluster's own take whose levels are in the span.
  double potential(int secondary) const;
  /// Of all edges with one end in the cluster.
  double communication(int secondary) const;
  /// Of those whose other end is on this or that device; 0 for the host's and
  /// for tasks that are not placed (-1).
  void communication(int secondary, const Placement &placement,
                     std::vector<double> &byDevice) const;
  double seconds(int secondary) const;

  /// Calls visit(task, seconds) for each edge with one end in the cluster, of
  /// the task at the other one.
  template <typename Visit>
  void visitNeighbours(int secondary, Visit visit) const {
    for (int task : clusters.secondary[size_t(secondary)]) {
      for (int e : problem.adjacency.into(task))
        if (const int from = problem.graph.edges[size_t(e)].from;
            secondaryOf[size_t(from)] != secondary)
          visit(from, edges[size_t(e)]);
      for (int e : problem.adjacency.outOf(task))
        if (const int to = problem.graph.edges[size_t(e)].to;
            secondaryOf[size_t(to)] != secondary)
          visit(to, edges[size_t(e)]);
    }
  }

private:
  std::vector<double> sorted; // levels of all tasks
  std::vector<double> sums;   // seconds of the tasks of the first i of them
};

/// O(V log V + E) for few devices: K times that of sums over spans.
Placement mapClusters(const ClusterFacts &facts);

/// Of clusters as placed: what LALB counts.
LevelLoads loadsByLevel(const ClusterFacts &facts, const Placement &placement);

} // namespace smex::placement

#endif
