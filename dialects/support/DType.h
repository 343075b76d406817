// Element types of tensors: the ones a lambda may compute with.
#ifndef SMEX_DIALECTS_SUPPORT_DTYPE_H
#define SMEX_DIALECTS_SUPPORT_DTYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace smex {

enum class DType : uint8_t {
  Bool, // one byte, 0 or 1
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64,
};

/// Bytes of one element.
int64_t byteSize(DType type);

/// "bool", "i8" .. "u64", "f16", "bf16", "f32", "f64": the spelling of lambdas
/// and plans.
std::string_view name(DType type);
std::optional<DType> parseDType(std::string_view name);

bool isFloat(DType type);
bool isSigned(DType type);   // signed integer
bool isUnsigned(DType type); // unsigned integer, not bool
inline bool isInteger(DType type) { return isSigned(type) || isUnsigned(type); }

/// The 16-bit formats, to and from f32, rounding to nearest even.
float halfToFloat(uint16_t bits);
uint16_t floatToHalf(float value);
float bfloatToFloat(uint16_t bits);
uint16_t floatToBfloat(float value);

} // namespace smex

#endif
