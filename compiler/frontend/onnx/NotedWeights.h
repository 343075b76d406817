// Which initializers are weights, where the exporter has noted it: PyTorch's,
// since 2.6, makes initializers of parameters and buffers, and of each constant
// in the program's text, too.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_NOTEDWEIGHTS_H
#define SMEX_COMPILER_FRONTEND_ONNX_NOTEDWEIGHTS_H

#include "onnx.pb.h"

#include <optional>
#include <string>
#include <unordered_set>

namespace smex::frontend {

/// Names of the initializers that are parameters, or were computed of such when
/// exporting; nothing where no initializer is noted as a parameter.
std::optional<std::unordered_set<std::string>>
notedWeights(const onnx::GraphProto &graph);

} // namespace smex::frontend

#endif
