#ifndef SMEX_TEST_EMULATED_PTX_TYPES_H
#define SMEX_TEST_EMULATED_PTX_TYPES_H

#include <optional>
#include <string_view>

namespace smex::ptx {

enum class Type {
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F64
};

/// State spaces. Generic addresses name a byte of any of them.
enum class Space { Generic, Register, Param, Global, Shared, Local, Const };

/// The type that a modifier names, such as "u32".
std::optional<Type> typeNamed(std::string_view name);
const char *nameOf(Type type);
/// Bytes in memory and in a register; 1 for a predicate.
unsigned bytesOf(Type type);
bool isSigned(Type type);
bool isFloat(Type type); // packed ones included

} // namespace smex::ptx

#endif
