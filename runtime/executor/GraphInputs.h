// The graph that a plan's model works on, from files of edges, and what has a
// row per node of it.
#ifndef SMEX_RUNTIME_EXECUTOR_GRAPHINPUTS_H
#define SMEX_RUNTIME_EXECUTOR_GRAPHINPUTS_H

#include "runtime/executor/Feed.h"
#include "runtime/graph/Bind.h"
#include "runtime/plan/Plan.h"

namespace smex::runtime {

/// A graph for a plan that has room for one.
struct RunGraph {
  std::string name; // of its files, for messages
  graph::Graph graph;
  /// Steps work on samples of it (Samples.h): it may be larger than the plan.
  bool sampled = false;
};

/// The graph in a file (graph::readGraph), or several as one, side by side in
/// this order (graph::batch). Errors: a plan whose model has no graph, has
/// several, or has it already; what is wrong with a file.
Result<RunGraph> readRunGraph(const plan::Program &program,
                              const std::vector<std::string> &files,
                              bool sampled = false);

/// The plan's inputs that are of the graph (isOfGraph), in their order: sources
/// and destinations, with self-loops where the model wants them, and with spare
/// edges where the plan has room for more (graph::endsWithin); lists of what is
/// where (graph::layOut). Errors: a graph that does not fit the plan.
Result<std::vector<Tensor>> bindGraph(const plan::Program &program,
                                      graph::Graph graph);

/// Of an input, by the plan.
bool isOfGraph(const plan::Program &program, const plan::Port &port);
bool isPerNode(const plan::Program &program, const plan::Port &port);

/// What a node that is none has: the value that does not count, or else zeros.
void fillRows(const plan::Port &port, Tensor &tensor, int64_t firstByte,
              int64_t bytes);

/// The rows of `port`, of each step, with more of them that count for nothing,
/// up to the plan's `type`. `rows` at most the plan's.
Feed padRows(const plan::Port &port, const TensorType &type, Feed feed,
             int64_t rows);

} // namespace smex::runtime

#endif
