// What PyTorch's exporter notes in a file, and its optimizer: the parameters
// that the module had, the call of the exported program that each node is of,
// what was computed of constants. An example of a call:
//
//   %linear : [num_users=1] = call_function[target=torch.ops.aten.linear.
//   default](args = (%relu, %p_fc_weight, %p_fc_bias), kwargs = {})
#ifndef SMEX_COMPILER_FRONTEND_ONNX_EXPORTERNOTES_H
#define SMEX_COMPILER_FRONTEND_ONNX_EXPORTERNOTES_H

#include "onnx.pb.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace smex::frontend {

/// A call of the exported program.
struct Call {
  std::string name;      // of its result: linear_1
  std::string operation; // linear; empty unless it is one of aten's
  int64_t users = 0;     // calls that read its result, before optimization
  /// Its arguments as they are written, without spaces; a list is one.
  std::vector<std::string> arguments;
  std::vector<std::string> keywords; // names of further arguments
  std::vector<std::string> reads;    // names after a '%', each once, in order
};

/// Nothing unless the text is a call.
std::optional<Call> parseCall(const std::string &text);

/// Splits at commas outside of brackets and quotes.
std::vector<std::string> splitArguments(const std::string &text);

/// The name without what makes it unique: linear of linear_1.
std::string baseOf(const std::string &name);

/// What one node is noted to be of.
struct NodeNotes {
  std::optional<Call> call;
  std::string module;             // the path of the module that makes the call
  std::vector<std::string> rules; // of the optimizer, that made the node
};

struct ExporterNotes {
  /// Names of the module's parameters, in its order.
  std::vector<std::string> parameters;
  /// What calls call them, and the module's buffers and constants: p_fc_weight
  /// to fc.weight.
  std::map<std::string, std::string> placeholders;
  std::set<std::string> inputs;     // of the program, as calls call them
  std::vector<std::string> outputs; // results of calls
  std::vector<NodeNotes> nodes;     // one per node of the graph
  /// By initializer: the names of all values that it was computed of.
  std::map<std::string, std::vector<std::string>> foldedFrom;

  bool isParameter(const std::string &name) const {
    return parameterSet.count(name) > 0;
  }
  /// The parameter or buffer that an argument is, or nothing.
  std::optional<std::string> placeholder(const std::string &argument) const;

  std::set<std::string> parameterSet;
};

ExporterNotes readNotes(const onnx::GraphProto &graph);

/// The parameters that the exported program's signature lists: lines such as
/// `p_weight: PARAMETER target='weight'`.
std::vector<std::string> listedParameters(const onnx::GraphProto &graph);

} // namespace smex::frontend

#endif
