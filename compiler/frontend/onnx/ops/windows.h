// Windows that slide over spatial dimensions: what convolution and pooling
// share, ONNX's attributes for them included.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_OPS_WINDOWS_H
#define SMEX_COMPILER_FRONTEND_ONNX_OPS_WINDOWS_H

#include "compiler/frontend/onnx/Node.h"

namespace smex::frontend {

struct Windows {
  std::vector<int64_t> kernel, strides, dilations;
  std::vector<int64_t> before, after; // pads
  std::vector<int64_t> out;

  /// "strides", "dilations", "pads", "out" of the templates.
  tdl::Attributes attributes() const;
};

/// Reads kernel_shape (or takes `kernel`), strides, dilations, pads, auto_pad
/// and ceil_mode for operand x[N, C, spatial...].
Windows readWindows(Node &n, const std::vector<int64_t> &x,
                    std::vector<int64_t> kernel = {});

} // namespace smex::frontend

#endif
