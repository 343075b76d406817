// A worker's buffer as kernels that are bound to it see it.
#ifndef SMEX_RUNTIME_BACKENDS_CONVOLUTION_BUFFERVIEW_H
#define SMEX_RUNTIME_BACKENDS_CONVOLUTION_BUFFERVIEW_H

#include "dialects/support/Box.h"
#include "dialects/support/Tensor.h"

#include <cstddef>
#include <vector>

namespace smex::runtime {

/// Where in memory, on the host or on a device; which part of which tensor.
struct BufferView {
  std::byte *data = nullptr;
  Box box;         // dense, row-major
  TensorType type; // of the whole tensor
  /// A parameter that only this instruction reads, on any worker: its storage
  /// may be rearranged once, in place.
  bool exclusive = false;

  std::vector<int64_t> strides() const { return rowMajorStrides(extents(box)); }
};

} // namespace smex::runtime

#endif
