// NumPy's .npy files: version 1 to 3, little-endian, C or Fortran order.
#ifndef SMEX_RUNTIME_IO_NPY_H
#define SMEX_RUNTIME_IO_NPY_H

#include "dialects/support/Tensor.h"

#include <string>
#include <string_view>

namespace smex::io {

/// Any byte string is a safe input; `name` is the file's, for messages.
Result<Tensor> parseNpy(std::string_view bytes, const std::string &name);
Result<Tensor> readNpy(const std::string &path);
/// C order; bf16 has no NumPy type and is written as f32.
std::string formatNpy(const Tensor &tensor);
/// A scalar of bytes (S), as scipy says the format of a sparse matrix.
std::string formatNpyText(std::string_view text);
/// Written beside the target and moved into place.
Status writeNpy(const std::string &path, const Tensor &tensor);

} // namespace smex::io

#endif
