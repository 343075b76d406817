// The graph that a message-passing model works on: what a model says of it.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_INPUTGRAPH_H
#define SMEX_COMPILER_FRONTEND_ONNX_INPUTGRAPH_H

#include "support/Result.h"

#include <optional>
#include <string>

namespace onnx {
class ModelProto;
}

namespace smex::frontend {

/// Metadata property of a model: names, as an object of JSON.
constexpr const char *graphKey = "smex.graph";

/// Edge e goes from node sources[e] to node destinations[e]. The two are inputs
/// of the model, i64[edges], numbers below `nodes`: bound with --graph, or
/// given when the plan runs.
struct InputGraph {
  std::string nodes, edges;          // dimensions
  std::string sources, destinations; // inputs
  /// Edge e is of type types[e], below `relations`: an input like the ends, of
  /// which --graph takes the values in the file. Or "", and 0.
  std::string types;
  int64_t relations = 0;
  bool selfLoops = false; // --graph adds an edge from a node to itself to all
                          // that have none
};

/// What is wrong with the types of edges, or nothing.
std::string wrongTypes(const InputGraph &graph);

std::string toText(const InputGraph &graph);

/// Nothing if the model has none. Any text is a safe input.
Result<std::optional<InputGraph>> inputGraph(const onnx::ModelProto &model);

} // namespace smex::frontend

#endif
