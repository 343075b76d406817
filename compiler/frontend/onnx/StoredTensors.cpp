#include "compiler/frontend/onnx/StoredTensors.h"

#include <cstring>
#include <fstream>
#include <limits>
#include <unordered_set>

using namespace smex;
using namespace smex::frontend;

StoredTensors::StoredTensors(const onnx::GraphProto &graph,
                             const TensorSource &source)
    : source(source) {
  this->source.files = nullptr;
  for (const auto &tensor : graph.initializer())
    byName.emplace(tensor.name(), &tensor);
}

const onnx::TensorProto *StoredTensors::find(const std::string &name) const {
  const auto found = byName.find(name);
  return found == byName.end() ? nullptr : found->second;
}

bool StoredTensors::isFloat(const std::string &name) const {
  const onnx::TensorProto *tensor = find(name);
  const auto type = tensor ? dtypeOf(tensor->data_type()) : std::nullopt;
  return type && smex::isFloat(*type);
}

int64_t StoredTensors::elementsOf(const std::string &name) const {
  const onnx::TensorProto *tensor = find(name);
  return tensor ? elementCount(shapeOf(*tensor))
                      .value_or(std::numeric_limits<int64_t>::max())
                : 0;
}

std::shared_ptr<const Tensor>
StoredTensors::read(const std::string &name) const {
  const auto [known, isNew] = held.try_emplace(name);
  const onnx::TensorProto *tensor = find(name);
  if (!isNew || !tensor)
    return known->second;
  auto stored = readTensor(*tensor, source);
  if (!stored || *elementCount(stored->type.shape) > mostElements)
    return nullptr;
  auto value = std::make_shared<Tensor>(makeTensor(stored->type));
  const auto size = std::streamsize(value->bytes.size());
  if (stored->data.kind == ParameterData::Kind::Memory && size) {
    std::memcpy(value->bytes.data(), stored->data.bytes, size_t(size));
  } else if (stored->data.kind == ParameterData::Kind::File) {
    std::ifstream file(stored->data.path, std::ios::binary);
    file.seekg(stored->data.offset);
    if (!file.read(reinterpret_cast<char *>(value->bytes.data()), size))
      return nullptr;
  } else if (stored->data.kind == ParameterData::Kind::Drawn) {
    return nullptr;
  }
  return known->second = std::move(value);
}

std::string_view smex::frontend::elementOf(const Tensor &tensor, size_t i) {
  const size_t size = size_t(byteSize(tensor.type.dtype));
  return {reinterpret_cast<const char *>(tensor.bytes.data()) + i * size, size};
}

size_t smex::frontend::elementCountOf(const Tensor &tensor) {
  return tensor.bytes.size() / size_t(byteSize(tensor.type.dtype));
}

bool smex::frontend::isDistinct(const Tensor &tensor) {
  std::unordered_set<std::string_view> seen;
  for (size_t i = 0; i < elementCountOf(tensor); ++i)
    if (!seen.insert(elementOf(tensor, i)).second)
      return false;
  return true;
}

bool smex::frontend::isUniform(const Tensor &tensor) {
  for (size_t i = 1; i < elementCountOf(tensor); ++i)
    if (elementOf(tensor, i) != elementOf(tensor, 0))
      return false;
  return true;
}

Tensor smex::frontend::transposed(const Tensor &matrix) {
  const size_t rows = size_t(matrix.type.shape[0]),
               columns = size_t(matrix.type.shape[1]);
  Tensor result = makeTensor(
      {matrix.type.dtype, {matrix.type.shape[1], matrix.type.shape[0]}});
  const size_t size = size_t(byteSize(matrix.type.dtype));
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j)
      std::memcpy(&result.bytes[(j * rows + i) * size],
                  &matrix.bytes[(i * columns + j) * size], size);
  return result;
}

std::optional<Tensor>
smex::frontend::expanded(const Tensor &tensor,
                         const std::vector<int64_t> &shape) {
  std::vector<int64_t> from = tensor.type.shape;
  const auto elements = elementCount(shape);
  if (from.size() > shape.size() || !elements ||
      *elements > StoredTensors::mostElements)
    return std::nullopt;
  from.insert(from.begin(), shape.size() - from.size(), 1);
  for (size_t d = 0; d < shape.size(); ++d)
    if (from[d] != shape[d] && from[d] != 1)
      return std::nullopt;
  const auto strides = rowMajorStrides(from), outer = rowMajorStrides(shape);
  Tensor result = makeTensor({tensor.type.dtype, shape});
  const size_t size = size_t(byteSize(tensor.type.dtype));
  for (int64_t i = 0; i < *elements; ++i) {
    int64_t at = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      if (from[d] != 1)
        at += i / outer[d] % shape[d] * strides[d];
    std::memcpy(&result.bytes[size_t(i) * size],
                &tensor.bytes[size_t(at) * size], size);
  }
  return result;
}

Tensor smex::frontend::firstAlong(const Tensor &tensor, size_t d) {
  std::vector<int64_t> shape = tensor.type.shape;
  shape[d] = 1;
  Tensor result = makeTensor({tensor.type.dtype, shape});
  const size_t size = size_t(byteSize(tensor.type.dtype));
  const size_t inner = size_t(rowMajorStrides(tensor.type.shape)[d]) * size;
  const size_t step = inner * size_t(tensor.type.shape[d]);
  for (size_t i = 0; i * inner < result.bytes.size(); ++i)
    std::memcpy(&result.bytes[i * inner], &tensor.bytes[i * step], inner);
  return result;
}

bool smex::frontend::repeatsAlong(const Tensor &tensor, size_t d) {
  const auto again = expanded(firstAlong(tensor, d), tensor.type.shape);
  return again && again->bytes == tensor.bytes;
}
