// How ModuleParameters does it. First every operand that is a parameter, or was
// computed of one, is claimed for the parameter that its node's call names;
// what cannot be claimed is refused; then the graph is changed.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_RESTORER_H
#define SMEX_COMPILER_FRONTEND_ONNX_RESTORER_H

#include "compiler/frontend/onnx/AtenOperands.h"
#include "compiler/frontend/onnx/StoredTensors.h"

#include <set>

namespace smex::frontend {

/// How a value is made of a parameter.
struct Copy {
  enum class Kind { Same, Transposed, Reshaped, Expanded, Gathered };
  Kind kind = Kind::Same;
  std::vector<int64_t> shape;    // of the copy, unless Same or Transposed
  std::vector<int64_t> elements; // of Gathered: the parameter's, by number
};

/// Operand `operand` of node `node` is this copy of the parameter.
struct Claim {
  int node = 0, operand = 0;
  std::string parameter;
  Copy copy;
  std::string stored; // the initializer that is there now; "" where none is
};

/// A parameter that the file does not hold as such.
struct Origin {
  enum class Kind { Same, Transposed, Flat, Zeros, Value };
  Kind kind = Kind::Same;
  std::string stored;         // what it is made of, or whose type it has
  std::vector<int64_t> shape; // of Zeros
  Tensor value;               // of Value
};

class Restorer {
public:
  Restorer(const onnx::GraphProto &graph, ExporterNotes notes,
           const std::vector<std::string> &frozen, const TensorSource &source);

  /// Is there anything to undo?
  bool isChanged() const;
  /// Claims all there is to claim; why that fails, a line for each reason.
  std::vector<std::string> claim();
  /// The graph as it was; a copy of the one given.
  Status apply(onnx::GraphProto &graph) const;

private:
  using Names = std::vector<std::string>;

  // Restorer.cpp
  void claimOperand(int node, int operand);
  void claimUnknown(int node, int operand);
  void claimBias(int node);
  void checkMentions();
  void checkShared();
  void checkValues();
  void addClaim(Claim claim, Origin origin);
  void detach(int node, int operand);
  void refuse(const Names &parameters, const std::string &why);
  /// Those that a call reads, or that an initializer was computed of.
  Names parametersOf(const Call &call) const;
  Names parametersIn(const std::string &stored) const;
  bool isTrained(const Names &parameters) const;
  bool isOwn(const std::string &name) const {
    return notes.isParameter(name) && tensors.find(name);
  }
  bool holdsParameter(const std::string &name) const {
    return notes.isParameter(name) || !parametersIn(name).empty();
  }
  std::string describe(int node) const;
  /// Names of the calls that a node's operands are known by.
  bool isDefined(const std::string &name) const;
  bool hasLostReads(const Call &call) const;

  // FoldedCopies.cpp: initializers that calls know by their own names.
  void claimFolded(const std::string &stored,
                   const std::vector<std::pair<int, int>> &uses);
  std::optional<Copy> tie(const std::string &stored,
                          const std::string &parameter) const;
  /// What the parameter holds, and the copy of it; nothing where it is large.
  std::optional<Tensor> valueOf(const std::string &parameter) const;
  std::optional<Tensor> valueOf(const Copy &copy,
                                const Tensor &parameter) const;
  std::optional<std::pair<Origin, Copy>>
  recover(const std::string &stored) const;
  /// What was done to the parameter, by the names of the values between.
  Names operationsOf(const std::string &stored) const;

  // LostCalls.cpp: calls that no node is of any more.
  void checkLost();
  void checkLostCall(const Call &reader);
  bool mayHideParameter(const Call &call, std::set<std::string> &visited) const;
  bool mayBeParameter(const std::string &stored) const;
  Names unseen() const;

  const onnx::GraphProto &graph;
  const ExporterNotes notes;
  const std::set<std::string> frozen;
  const StoredTensors tensors;
  std::map<std::string, std::vector<int>> nodesOf; // by the call's name
  std::map<std::string, int> producers;            // of values
  std::vector<Claim> claims;
  std::map<std::string, Origin> origins; // of parameters that are not there
  std::vector<std::pair<int, int>> detached;
  /// Operands that are their initializer only if nothing else was merged into
  /// it.
  std::vector<std::pair<int, int>> assumed;
  std::map<std::string, std::vector<std::pair<int, int>>> folded; // uses
  std::set<std::string> accounted;                                // parameters
  std::set<std::string> refused;          // of these, those with a reason
  std::vector<std::string> missing;       // parameters; see unseen
  std::map<std::string, int64_t> readers; // calls that read a call's result
  std::vector<std::string> unclear;
  std::vector<std::string> reasons;
};

} // namespace smex::frontend

#endif
