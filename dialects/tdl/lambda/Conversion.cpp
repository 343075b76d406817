// Scalars between types, and to and from memory.
#include "dialects/tdl/lambda/Arithmetic.h"

#include <cmath>
#include <cstring>

using namespace smex;
using namespace smex::tdl;

namespace {

/// To f32, inexact results odd: rounding those again, to 16 bits, then gives
/// what rounding once would have.
float narrowToOdd(double value) {
  float narrow = float(value);
  if (double(narrow) == value || std::isnan(value) || std::isinf(narrow))
    return narrow;
  if (std::fabs(double(narrow)) > std::fabs(value))
    narrow = std::nextafter(narrow, 0.f);
  uint32_t bits;
  std::memcpy(&bits, &narrow, sizeof bits);
  bits |= 1;
  std::memcpy(&narrow, &bits, sizeof bits);
  // The sign of a value that became zero was lost with it.
  return std::copysign(narrow, float(value));
}

double fromInteger(DType to, int64_t value, bool isUnsignedValue) {
  const uint64_t magnitude =
      isUnsignedValue || value >= 0 ? uint64_t(value) : 0 - uint64_t(value);
  const double sign = isUnsignedValue || value >= 0 ? 1 : -1;
  if (to == DType::F32)
    return sign * double(float(magnitude));
  // More bits than a double holds: the last one stands for all that follow, so
  // that the only rounding is the one to 16 bits.
  if (to != DType::F64 && magnitude >> 53) {
    const uint64_t sticky = magnitude >> 12 | uint64_t((magnitude & 4095) != 0);
    return roundTo(to, sign * std::ldexp(double(sticky), 12));
  }
  return roundTo(to, sign * double(magnitude));
}

int64_t toInteger(DType to, double value) {
  if (std::isnan(value))
    return 0;
  const int bits = int(byteSize(to)) * 8;
  value = std::trunc(value);
  if (isUnsigned(to)) {
    if (value <= 0)
      return 0;
    if (value >= std::ldexp(1.0, bits))
      return int64_t(~uint64_t(0) >> (64 - bits));
    return int64_t(uint64_t(value));
  }
  const double limit = std::ldexp(1.0, bits - 1);
  if (value >= limit)
    return int64_t(~uint64_t(0) >> (65 - bits));
  if (value < -limit)
    return -int64_t(~uint64_t(0) >> (65 - bits)) - 1;
  return int64_t(value);
}

template <typename T> T readAs(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <typename T> void writeAs(T value, std::byte *to) {
  std::memcpy(to, &value, sizeof value);
}

} // namespace

double tdl::roundTo(DType type, double value) {
  switch (type) {
  case DType::F16:
    return halfToFloat(floatToHalf(narrowToOdd(value)));
  case DType::BF16:
    return bfloatToFloat(floatToBfloat(narrowToOdd(value)));
  case DType::F32:
    return float(value);
  default:
    return value;
  }
}

int64_t tdl::wrapTo(DType type, int64_t value) {
  switch (type) {
  case DType::Bool:
    return value != 0;
  case DType::I8:
    return int8_t(value);
  case DType::I16:
    return int16_t(value);
  case DType::I32:
    return int32_t(value);
  case DType::U8:
    return uint8_t(value);
  case DType::U16:
    return uint16_t(value);
  case DType::U32:
    return uint32_t(value);
  default:
    return value;
  }
}

Scalar tdl::convert(DType from, DType to, Scalar value) {
  if (isFloat(from)) {
    if (isFloat(to))
      return scalarOf(roundTo(to, value.real));
    if (to == DType::Bool)
      return scalarOf(int64_t(value.real != 0));
    return scalarOf(toInteger(to, value.real));
  }
  if (isFloat(to))
    return scalarOf(fromInteger(to, value.integer, isUnsigned(from)));
  return scalarOf(wrapTo(to, value.integer));
}

Scalar tdl::load(DType type, const std::byte *from) {
  switch (type) {
  case DType::Bool:
    return scalarOf(int64_t(readAs<uint8_t>(from) != 0));
  case DType::I8:
    return scalarOf(int64_t(readAs<int8_t>(from)));
  case DType::I16:
    return scalarOf(int64_t(readAs<int16_t>(from)));
  case DType::I32:
    return scalarOf(int64_t(readAs<int32_t>(from)));
  case DType::I64:
    return scalarOf(readAs<int64_t>(from));
  case DType::U8:
    return scalarOf(int64_t(readAs<uint8_t>(from)));
  case DType::U16:
    return scalarOf(int64_t(readAs<uint16_t>(from)));
  case DType::U32:
    return scalarOf(int64_t(readAs<uint32_t>(from)));
  case DType::U64:
    return scalarOf(readAs<int64_t>(from));
  case DType::F16:
    return scalarOf(double(halfToFloat(readAs<uint16_t>(from))));
  case DType::BF16:
    return scalarOf(double(bfloatToFloat(readAs<uint16_t>(from))));
  case DType::F32:
    return scalarOf(double(readAs<float>(from)));
  case DType::F64:
    return scalarOf(readAs<double>(from));
  }
  return scalarOf(int64_t(0));
}

void tdl::store(DType type, Scalar value, std::byte *to) {
  switch (type) {
  case DType::F16:
    return writeAs(floatToHalf(narrowToOdd(value.real)), to);
  case DType::BF16:
    return writeAs(floatToBfloat(narrowToOdd(value.real)), to);
  case DType::F32:
    return writeAs(float(value.real), to);
  case DType::F64:
    return writeAs(value.real, to);
  default:
    break;
  }
  // Little-endian, as all of smex: the low bytes are the value.
  std::memcpy(to, &value.integer, size_t(byteSize(type)));
}
