// Any array file that a user may hand in.
#ifndef SMEX_RUNTIME_IO_READTENSOR_H
#define SMEX_RUNTIME_IO_READTENSOR_H

#include "dialects/support/Tensor.h"

#include <string>

namespace smex::io {

/// By its content a .npy file or an .npz of one array or of a sparse matrix of
/// scipy's (which becomes dense), or else by its name an ONNX TensorProto
/// (.pb).
Result<Tensor> readTensor(const std::string &path);

} // namespace smex::io

#endif
