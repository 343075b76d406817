// Which argument of a call of PyTorch's an operand of its ONNX node is: the
// part of the import table that undoes what the exporter's optimizer did.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_ATENOPERANDS_H
#define SMEX_COMPILER_FRONTEND_ONNX_ATENOPERANDS_H

#include "compiler/frontend/onnx/ExporterNotes.h"

namespace smex::frontend {

/// How the operand is stored, as seen from the argument.
enum class Form {
  Same,
  Transposed, // a matrix, its two dimensions exchanged
  Flat        // the argument has one dimension, the operand more of extent 1
};

struct Source {
  std::string argument; // as the call writes it, or "" where it is left out
  Form form = Form::Same;
};

/// Is it known what each operand of each node of the call is?
bool isKnown(const Call &call);

/// The argument that operand `i` of a node of the call is; nothing where the
/// operand is none, or it is not known.
std::optional<Source> sourceOf(const Call &call, const onnx::NodeProto &node,
                               int i);

/// The argument that is added as a bias: an operand of Gemm or Conv that the
/// optimizer leaves out where it is zero.
std::optional<std::string> biasOf(const Call &call);

/// Whether the operation gives elements of its first argument alone, each as it
/// is: nothing is computed.
bool isMovement(const std::string &operation);

/// Also in the same order, and each once.
bool keepsOrder(const std::string &operation);

} // namespace smex::frontend

#endif
