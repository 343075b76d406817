// A model that PyTorch exported, with the parameters of its module again.
//
// The exporter's optimizer stores equal tensors once, whatever parameters they
// are, leaves zero biases out, and computes what follows from constants, so
// that a parameter is transposed or expanded, and is itself gone. None of that
// changes a result, all of it changes training. But each node notes the call
// that it is of (ExporterNotes), and the call names its parameters.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_MODULEPARAMETERS_H
#define SMEX_COMPILER_FRONTEND_ONNX_MODULEPARAMETERS_H

#include "compiler/frontend/onnx/Reader.h"

namespace smex::frontend {

/// The model in which each parameter is an initializer of its own, under the
/// module's name, and what the optimizer computed of it is computed of it by
/// nodes; the model itself where there is nothing to undo. An error, of a line
/// per reason, where something cannot be undone exactly; parameters in `frozen`
/// are none.
Result<std::shared_ptr<const onnx::ModelProto>> withModuleParameters(
    std::shared_ptr<const onnx::ModelProto> model, const std::string &path,
    const std::vector<std::string> &frozen, const TensorSource &source);

} // namespace smex::frontend

#endif
