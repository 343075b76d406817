#include "dialects/support/DType.h"

#include <cmath>
#include <cstring>

using namespace smex;

namespace {
struct Entry {
  std::string_view name;
  int64_t bytes;
};
// In the order of the enumeration.
constexpr Entry table[] = {
    {"bool", 1}, {"i8", 1},  {"i16", 2}, {"i32", 4}, {"i64", 8},
    {"u8", 1},   {"u16", 2}, {"u32", 4}, {"u64", 8}, {"f16", 2},
    {"bf16", 2}, {"f32", 4}, {"f64", 8},
};
uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
} // namespace

int64_t smex::byteSize(DType type) { return table[size_t(type)].bytes; }
std::string_view smex::name(DType type) { return table[size_t(type)].name; }

std::optional<DType> smex::parseDType(std::string_view name) {
  for (size_t i = 0; i < std::size(table); ++i)
    if (table[i].name == name)
      return DType(i);
  return std::nullopt;
}

bool smex::isFloat(DType type) { return type >= DType::F16; }
bool smex::isSigned(DType type) {
  return type >= DType::I8 && type <= DType::I64;
}
bool smex::isUnsigned(DType type) {
  return type >= DType::U8 && type <= DType::U64;
}

float smex::halfToFloat(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000) << 16;
  const uint32_t exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
  if (exponent == 31)
    return floatOf(sign | 0x7f800000 | fraction << 13);
  if (exponent == 0) // zero and subnormal: fraction * 2^-24
    return (sign ? -1.f : 1.f) * std::ldexp(float(fraction), -24);
  return floatOf(sign | (exponent + 112) << 23 | fraction << 13);
}

uint16_t smex::floatToHalf(float value) {
  const uint32_t bits = bitsOf(value);
  const uint16_t sign = bits >> 16 & 0x8000;
  const float magnitude = std::fabs(value);
  if (value != value)
    return sign | 0x7e00;
  if (magnitude >= 65520.f) // halfway above the largest half rounds to infinity
    return sign | 0x7c00;
  if (magnitude < 0x1p-14f) // subnormal: a multiple of 2^-24
    return sign | uint16_t(std::nearbyint(std::ldexp(magnitude, 24)));
  const uint32_t m = bits & 0x7fffffff;
  const uint32_t rounded = m + 0xfff + (m >> 13 & 1);
  return sign | uint16_t((rounded >> 13) - (112 << 10));
}

float smex::bfloatToFloat(uint16_t bits) {
  return floatOf(uint32_t(bits) << 16);
}

uint16_t smex::floatToBfloat(float value) {
  const uint32_t bits = bitsOf(value);
  if (value != value)
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
