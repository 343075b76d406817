// Values of narrow types (NarrowTypes.h) while a model is imported: nodes that
// move elements pass them on as they are stored, casts and quantization turn
// them into numbers and back, and all other nodes refuse them.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_NARROW_H
#define SMEX_COMPILER_FRONTEND_ONNX_NARROW_H

#include "compiler/frontend/onnx/NarrowTypes.h"
#include "compiler/frontend/onnx/Node.h"

namespace smex::frontend {

/// An element type, narrow where `narrow` is not null.
struct ElementType {
  DType dtype = DType::F32; // its storage, of a narrow one
  const NarrowType *narrow = nullptr;
};
/// An attribute that is an element type; where it is left out or 0,
/// `otherwise`.
ElementType elementType(Node &n, const char *name, ElementType otherwise);
ElementType elementType(Node &n, const char *name);
/// The operand's.
ElementType operandType(const Node &n, size_t i);

/// The operand as it is stored.
ValueId storedOperand(const Node &n, size_t i);
/// Stored elements as a value of the type.
ValueId asType(Node &n, ValueId stored, ElementType type);

enum class RoundMode { Up, Down, Nearest };

/// How numbers become a narrow type.
struct Rounding {
  bool saturate = true;
  RoundMode mode = RoundMode::Up; // to float8e8m0
};
/// Reads the attributes "saturate" and "round_mode".
Rounding roundingOf(Node &n);

/// The numbers that stored elements of a type stand for, as a DType.
ValueId widen(Node &n, ValueId stored, ElementType from, DType to);
/// Numbers as stored elements: integers wrap. Of a DType, as cast does.
ValueId castTo(Node &n, ValueId x, ElementType to, Rounding rounding);

/// The value of a stored tensor: weights that are packed get the lambda which
/// unpacks them. `isWeight`: training may move it.
Result<ValueId> addStoredTensor(Builder &builder, const std::string &name,
                                StoredTensor stored, bool isWeight);

/// Converts a node of an operator that only moves elements, of any type.
void convertMoving(Node &n, const std::function<void(Node &)> &convert);

} // namespace smex::frontend

#endif
