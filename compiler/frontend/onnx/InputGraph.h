// The graphs that a message-passing model works on: what a model says of them.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_INPUTGRAPH_H
#define SMEX_COMPILER_FRONTEND_ONNX_INPUTGRAPH_H

#include "dialects/support/Result.h"

#include <map>
#include <string>
#include <vector>

namespace onnx {
class ModelProto;
}

namespace smex::frontend {

/// Metadata property of a model: names, as an object of JSON; of several
/// graphs, a list of such objects.
constexpr const char *graphKey = "smex.graph";

/// What an input with a row per edge has for self-loops that --graph adds: a
/// number throughout, the mean of what the node's other edges have that lead to
/// it, or what a parameter of the model says, which has the shape of a row.
struct LoopRow {
  enum class Kind { Number, Mean, Parameter } kind = Kind::Number;
  double number = 0;
  std::string parameter = {};

  bool operator==(const LoopRow &other) const {
    return kind == other.kind && number == other.number &&
           parameter == other.parameter;
  }
};

/// Edge e goes from node sources[e] to node destinations[e]. The two are inputs
/// of the model, i64[edges], numbers below the ends' dimensions of nodes: bound
/// with --graph, or given when the plan runs.
///
/// A model of one graph need not name it. A heterogeneous model has one for
/// each relation between types of nodes, a type being a dimension.
struct InputGraph {
  std::string name; // "" where the model has one
  /// Dimensions; the same where both ends are of one type.
  std::string sourceNodes, destinationNodes;
  std::string edges;                 // dimension
  std::string sources, destinations; // inputs
  /// Edge e is of type types[e], below `relations`: an input like the ends, of
  /// which --graph takes the values in the file. Or "", and 0.
  std::string types;
  int64_t relations = 0;
  /// Of a batch of graphs, where the model has results for each: a dimension,
  /// and an input, i64[nodes]: node v is of graph graphOf[v]. Or "", and "".
  std::string graphs, graphOf;
  bool selfLoops = false; // --graph adds an edge from a node to itself to all
                          // that have none
  /// An input, f32[edges]: the numbers in the file, 1 where it has none; or "".
  std::string values;
  /// An input, bool[edges]: which edges are self-loops that --graph added; or
  /// "", and smexc declares one if it needs to know.
  std::string added;
  /// Of each input that has a row per edge: those whose first dimension is
  /// `edges`, and `values`.
  std::map<std::string, LoopRow> loopRows;

  /// The input that `added` names, or that smexc declares.
  std::string addedName() const;
  bool needsAdded() const;
  bool isOfOneType() const { return sourceNodes == destinationNodes; }
};

/// What is wrong with a graph's batches, types or values of edges or
/// self-loops, or nothing.
std::string wrongGraph(const InputGraph &graph);

/// What is wrong with graphs beside one another, such as their names, or
/// nothing.
std::string wrongTogether(const std::vector<InputGraph> &graphs);

std::string toText(const std::vector<InputGraph> &graphs);

/// None if the model has none. Any text is a safe input.
Result<std::vector<InputGraph>> inputGraphs(const onnx::ModelProto &model);

} // namespace smex::frontend

#endif
