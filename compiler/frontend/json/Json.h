// Models as JSON (README.md): translated into an ONNX model in memory, and
// imported as that.
#ifndef SMEX_COMPILER_FRONTEND_JSON_JSON_H
#define SMEX_COMPILER_FRONTEND_JSON_JSON_H

#include "dialects/support/Result.h"
#include "onnx.pb.h"

#include <memory>

namespace smex::frontend {

/// Reads a model; any file is a safe input. The error lists all that is wrong,
/// each with its place in the file. `drawMissing`: parameters whose file is not
/// there are drawn.
Result<std::shared_ptr<const onnx::ModelProto>>
readJson(const std::string &path, bool drawMissing);

} // namespace smex::frontend

#endif
