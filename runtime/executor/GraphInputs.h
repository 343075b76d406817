// The graphs that a plan's model works on, from files of edges, and what has a
// row per node or edge of them, or per graph of a batch.
#ifndef SMEX_RUNTIME_EXECUTOR_GRAPHINPUTS_H
#define SMEX_RUNTIME_EXECUTOR_GRAPHINPUTS_H

#include "runtime/executor/Feed.h"
#include "runtime/graph/Bind.h"
#include "runtime/plan/Plan.h"

#include <optional>

namespace smex::runtime {

/// What steps work on (Samples.h): all of a graph, samples of neighbours, such
/// samples of each layer's own, what random walks have seen of it, or some of
/// its connected parts, each of which is a graph of a batch.
enum class Portion { Whole, Samples, Layers, Walks, Parts };

/// One of a plan's graphs, for which it has room.
struct RunGraph {
  std::string name; // of its files, for messages
  graph::Relation relation;
  /// Not whole: it may be larger than the plan.
  bool sampled = false;
  int64_t graphs = 1; // of a batch: its files, or parts
  /// Whole, and something has a row per edge: edgeRowsOf.
  graph::Numbers edgeRows = {};
};

/// The graphs of the plan, in its order, from arguments `NAME=FILE`, or `FILE`
/// where it has one (graph::readRelation); several files of one graph are that
/// graph, side by side in this order (graph::sideBySide). Where layers have
/// edges of their own, each has them from the same files; of what is sampled,
/// the first one has them for all, and others only tell how many nodes there
/// are. Errors: a plan
/// without a graph, or with one already; a graph without a file; what is wrong
/// with a file; graphs that tell differently how many nodes an input has;
/// samples, where there is no one graph to take them of.
Result<std::vector<RunGraph>>
readRunGraphs(const plan::Program &program,
              const std::vector<std::string> &arguments,
              Portion portion = Portion::Whole);

/// The inputs that are of one of the plan's graphs (graphOf), in their order:
/// sources and destinations, with self-loops where the model wants them, and
/// with spare edges where the plan has room for more (graph::endsWithin), types
/// and values of edges, which of them are added, the graph that each node is of
/// (graph::membersWithin), lists of what is where (graph::layOut). Errors: a
/// graph that does not fit the plan.
Result<std::vector<Tensor>> bindGraph(const plan::Program &program,
                                      const plan::GraphInputs &names,
                                      graph::Relation relation);

/// For each edge of the plan, in the order of bindGraph, the row of its
/// features among those of the relation's edges as they are given, or -1
/// (graph::edgeRows).
graph::Numbers edgeRowsOf(const plan::Program &program,
                          const plan::GraphInputs &names,
                          graph::Relation relation);

/// The graph whose edges, members, or places in groups an input holds, or null.
const plan::GraphInputs *graphOf(const plan::Program &program,
                                 const plan::Port &port);

/// What the command line calls an input: where several layers have rows of
/// edges for themselves, the one name that they have together
/// (graph::layerName).
std::string givenName(const plan::Program &program, const plan::Port &port);

/// How many nodes, edges or graphs files say that there are, where an input has
/// a row for each.
struct GraphRows {
  std::string of; // the graph's files
  int64_t rows = 0;
  const char *each = ""; // "node", "edge" or "graph"
  bool sampled = false;
  /// Of edges, for each row of the plan which one of the file it is, or -1. Of
  /// nothing else: the plan has the same rows, and then perhaps more.
  const graph::Numbers *order = nullptr;
};
/// `edgeOrders`: the plan's, of graphs that it was compiled with.
std::optional<GraphRows>
graphRows(const plan::Program &program, const std::vector<RunGraph> &graphs,
          const std::vector<graph::Numbers> &edgeOrders,
          const plan::Port &port);

/// What a node that is none has: the value that does not count, or else zeros.
void fillRows(const plan::Port &port, Tensor &tensor, int64_t firstByte,
              int64_t bytes);

/// The rows of `port`, of each step, with more of them that count for nothing,
/// up to the plan's `type`. `rows` at most the plan's.
Feed padRows(const plan::Port &port, const TensorType &type, Feed feed,
             int64_t rows);

/// The same in the order of the plan's edges: row i of each step is row
/// order[i], and counts for nothing where that is -1. `rows` of each step.
Feed orderRows(const plan::Port &port, const TensorType &type, Feed feed,
               int64_t rows, const graph::Numbers &order);

/// Outputs with a row per edge, by name, as the files have the edges: the rows
/// of edges of the graphs that were given, or that the plan was compiled with.
/// Others as they are.
Status orderOutputs(const plan::Program &program,
                    const std::vector<RunGraph> &graphs,
                    const std::vector<graph::Numbers> &edgeOrders,
                    std::vector<Tensor> &outputs);

} // namespace smex::runtime

#endif
