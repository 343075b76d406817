// The initializers of a graph, by name, and what small ones hold.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_STOREDTENSORS_H
#define SMEX_COMPILER_FRONTEND_ONNX_STOREDTENSORS_H

#include "compiler/frontend/onnx/Reader.h"

#include <unordered_map>

namespace smex::frontend {

class StoredTensors {
public:
  /// Larger ones are not looked into.
  static constexpr int64_t mostElements = 1024 * 1024;

  StoredTensors(const onnx::GraphProto &graph, const TensorSource &source);

  const onnx::TensorProto *find(const std::string &name) const;
  bool isFloat(const std::string &name) const;
  static std::vector<int64_t> shapeOf(const onnx::TensorProto &tensor) {
    return {tensor.dims().begin(), tensor.dims().end()};
  }
  /// 0 where there is none; no more than can be counted.
  int64_t elementsOf(const std::string &name) const;
  /// Nothing where it is too large, damaged or cannot be read.
  std::shared_ptr<const Tensor> read(const std::string &name) const;

private:
  TensorSource source;
  std::unordered_map<std::string, const onnx::TensorProto *> byName;
  mutable std::unordered_map<std::string, std::shared_ptr<const Tensor>> held;
};

/// An element's bytes, to be compared.
std::string_view elementOf(const Tensor &tensor, size_t i);
size_t elementCountOf(const Tensor &tensor);
/// No two elements are the same bytes.
bool isDistinct(const Tensor &tensor);
bool isUniform(const Tensor &tensor);

Tensor transposed(const Tensor &matrix);
/// `tensor` repeated along dimensions of extent 1, as ONNX's Expand; nothing
/// where that does not give `shape`.
std::optional<Tensor> expanded(const Tensor &tensor,
                               const std::vector<int64_t> &shape);
/// The first element along dimension `d`.
Tensor firstAlong(const Tensor &tensor, size_t d);
/// All elements along dimension `d` are alike.
bool repeatsAlong(const Tensor &tensor, size_t d);

} // namespace smex::frontend

#endif
