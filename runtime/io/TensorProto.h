// ONNX TensorProto files (.pb), read and written by hand-checked wire format so
// that the runtime needs no protobuf.
#ifndef SMEX_RUNTIME_IO_TENSORPROTO_H
#define SMEX_RUNTIME_IO_TENSORPROTO_H

#include "dialects/support/Tensor.h"

#include <string>
#include <string_view>

namespace smex::io {

/// Any byte string is a safe input; `name` is the file's, for messages.
Result<Tensor> parseTensorProto(std::string_view bytes,
                                const std::string &name);
Result<Tensor> readTensorProto(const std::string &path);

} // namespace smex::io

#endif
