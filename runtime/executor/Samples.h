// Training on samples of a graph that is larger than the plan: each step takes
// some nodes whose label counts, neighbours of them, neighbours of these, and
// so on, a layer of the network each (GraphSAGE); or what a random walk from
// each of them sees (GraphSAINT). Or on connected parts of it, such as trees,
// some in each step.
//
// An epoch takes each node that counts, or each part, once, in an order of its
// own. What a step works on is a function of the graph, the seed and the step:
// the same for any number of workers, and after a resumed run's checkpoint.
#ifndef SMEX_RUNTIME_EXECUTOR_SAMPLES_H
#define SMEX_RUNTIME_EXECUTOR_SAMPLES_H

#include "runtime/executor/GraphInputs.h"

namespace smex::runtime {

struct Sampling {
  /// Of each layer, the network's first one first: so many neighbours of each
  /// node, or all of them, -1 (graph::sampleNeighbours).
  graph::Numbers fanouts;
  int64_t batch = 0; // nodes whose label counts in a step; fewer end an epoch
  uint64_t seed = 0;
  int64_t parts = 0; // instead of nodes: parts in a step; fewer end an epoch
  /// Instead of fan-outs: a walk of so many edges from each node of the batch,
  /// against their direction, so that messages along them lead to where it
  /// starts (graph::randomWalks). The nodes seen and the edges walked remain.
  int64_t walk = 0;
};

/// The feeds of a program that works on `graph`, with those of its ends and of
/// what has a row per node, or per part of it, replaced: by a sample in each
/// step, its nodes first, and what fills the plan's room. Labels of nodes that
/// were only sampled do not count; those of nodes in parts do. Errors: labels
/// that all count, for any value; none that count; a batch or fan-outs that
/// make no sense; a graph without parts; more parts than the plan has room for
/// graphs, where it has results for each. That a sample exceeds the plan is an
/// error of its step; so is a part that does so alone, and of several, a step
/// goes without the last ones.
Result<std::vector<Feed>> sampleFeeds(const plan::Program &program,
                                      RunGraph graph, std::vector<Feed> feeds,
                                      const Sampling &sampling);

} // namespace smex::runtime

#endif
