// The entry of the ONNX front-end; JSON models go through it as well.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_IMPORT_H
#define SMEX_COMPILER_FRONTEND_ONNX_IMPORT_H

#include "compiler/frontend/Model.h"
#include "onnx.pb.h"

namespace smex::frontend {

/// Imports a model that was read from `path`; external data is looked for in
/// the folder of that path.
Result<Model> importOnnx(std::shared_ptr<const onnx::ModelProto> model,
                         const std::string &path, const ImportOptions &options);

} // namespace smex::frontend

#endif
