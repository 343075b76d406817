// A dense row-major array in memory: what models, inputs, outputs and the
// reference interpreter exchange.
#ifndef SMEX_DIALECTS_SUPPORT_TENSOR_H
#define SMEX_DIALECTS_SUPPORT_TENSOR_H

#include "dialects/support/DType.h"
#include "dialects/support/Result.h"

#include <cstddef>
#include <string>
#include <vector>

namespace smex {

struct TensorType {
  DType dtype = DType::F32;
  std::vector<int64_t> shape;

  int64_t rank() const { return int64_t(shape.size()); }
  bool operator==(const TensorType &other) const {
    return dtype == other.dtype && shape == other.shape;
  }
  bool operator!=(const TensorType &other) const { return !(*this == other); }
};

/// "f32[4, 3, 224, 224]"
std::string toString(const TensorType &type);

/// Elements (bytes) of the shape, or nothing if a dimension is negative or the
/// number does not fit in 63 bits: check once where a shape enters the program,
/// and no product of its extents overflows from then on.
std::optional<int64_t> elementCount(const std::vector<int64_t> &shape);
std::optional<int64_t> byteCount(const TensorType &type);

struct Tensor {
  TensorType type;
  std::vector<std::byte> bytes; // byteCount(type) of them

  template <typename T> T *data() {
    return reinterpret_cast<T *>(bytes.data());
  }
  template <typename T> const T *data() const {
    return reinterpret_cast<const T *>(bytes.data());
  }
};

/// Zeros of this type; the byte count must fit (see byteCount).
Tensor makeTensor(TensorType type);

/// Row-major strides in elements.
std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape);

} // namespace smex

#endif
