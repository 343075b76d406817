#include "dialects/support/Tensor.h"

using namespace smex;

std::string smex::toString(const TensorType &type) {
  std::string text(name(type.dtype));
  text += "[";
  for (size_t d = 0; d < type.shape.size(); ++d)
    text += (d ? ", " : "") + std::to_string(type.shape[d]);
  return text + "]";
}

std::optional<int64_t> smex::elementCount(const std::vector<int64_t> &shape) {
  // A zero extent must not hide that the others overflow: partial products and
  // strides are computed from them too.
  int64_t product = 1;
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    if (extent == 0)
      empty = true;
    else if (__builtin_mul_overflow(product, extent, &product))
      return std::nullopt;
  }
  return empty ? 0 : product;
}

std::optional<int64_t> smex::byteCount(const TensorType &type) {
  const auto elements = elementCount(type.shape);
  int64_t bytes;
  if (!elements ||
      __builtin_mul_overflow(*elements, byteSize(type.dtype), &bytes))
    return std::nullopt;
  return bytes;
}

Tensor smex::makeTensor(TensorType type) {
  const int64_t bytes = byteCount(type).value_or(0);
  return {std::move(type), std::vector<std::byte>(size_t(bytes))};
}

std::vector<int64_t> smex::rowMajorStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}
