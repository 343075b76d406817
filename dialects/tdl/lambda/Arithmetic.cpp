#include "dialects/tdl/lambda/Arithmetic.h"

#include <cmath>
#include <cstring>
#include <limits>

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

double signOf(double v) { return v > 0 ? 1 : v < 0 ? -1 : v; }

double evaluateReal(UnaryOp op, double a) {
  switch (op) {
  case UnaryOp::Neg: return -a;
  case UnaryOp::Abs: return std::fabs(a);
  case UnaryOp::Sign: return signOf(a);
  case UnaryOp::Floor: return std::floor(a);
  case UnaryOp::Ceil: return std::ceil(a);
  case UnaryOp::Round: return std::nearbyint(a);
  case UnaryOp::Trunc: return std::trunc(a);
  case UnaryOp::Exp: return std::exp(a);
  case UnaryOp::Log: return std::log(a);
  case UnaryOp::Sqrt: return std::sqrt(a);
  case UnaryOp::Erf: return std::erf(a);
  case UnaryOp::Sin: return std::sin(a);
  case UnaryOp::Cos: return std::cos(a);
  case UnaryOp::Tan: return std::tan(a);
  case UnaryOp::Asin: return std::asin(a);
  case UnaryOp::Acos: return std::acos(a);
  case UnaryOp::Atan: return std::atan(a);
  case UnaryOp::Sinh: return std::sinh(a);
  case UnaryOp::Cosh: return std::cosh(a);
  case UnaryOp::Tanh: return std::tanh(a);
  case UnaryOp::Asinh: return std::asinh(a);
  case UnaryOp::Acosh: return std::acosh(a);
  case UnaryOp::Atanh: return std::atanh(a);
  case UnaryOp::Not: case UnaryOp::BitNot:
  case UnaryOp::IsNan: case UnaryOp::IsInf:
    break;
  }
  return a;
}

/// The rest of a / b with the sign of b, as in Python.
double floorMod(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double floorDiv(double a, double b) {
  if (b == 0 || std::isinf(a) || std::isnan(a) || std::isnan(b))
    return std::floor(a / b);
  // a - rest is a multiple of b, so the quotient is whole but for its rounding.
  return std::nearbyint((a - floorMod(a, b)) / b);
}

double evaluateReal(BinaryOp op, double a, double b) {
  switch (op) {
  case BinaryOp::Add: return a + b;
  case BinaryOp::Sub: return a - b;
  case BinaryOp::Mul: return a * b;
  case BinaryOp::Div: return a / b;
  case BinaryOp::FloorDiv: return floorDiv(a, b);
  case BinaryOp::Mod: return floorMod(a, b);
  case BinaryOp::Rem: return std::fmod(a, b);
  case BinaryOp::Pow: return std::pow(a, b);
  case BinaryOp::Min: return std::isnan(a) || a < b ? a : b;
  case BinaryOp::Max: return std::isnan(a) || a > b ? a : b;
  case BinaryOp::Atan2: return std::atan2(a, b);
  default: return a;
  }
}

template <typename T> bool compare(BinaryOp op, T a, T b) {
  switch (op) {
  case BinaryOp::Eq: return a == b;
  case BinaryOp::Ne: return a != b;
  case BinaryOp::Lt: return a < b;
  case BinaryOp::Le: return a <= b;
  case BinaryOp::Gt: return a > b;
  default: return a >= b;
  }
}

/// False: 0 to a negative power, which divides by zero.
bool power(int64_t base, int64_t exponent, bool isUnsignedType, int64_t &result) {
  if (exponent < 0 && !isUnsignedType) {
    // 1 / base^|exponent|, truncated.
    result = base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
    return base != 0;
  }
  uint64_t value = 1, square = uint64_t(base), bits = uint64_t(exponent);
  for (; bits; bits >>= 1, square *= square)
    if (bits & 1)
      value *= square;
  result = int64_t(value);
  return true;
}

/// Division of the types that fit int64_t; all but u64.
bool divide(BinaryOp op, int64_t a, int64_t b, int64_t &result) {
  if (b == 0)
    return false;
  if (b == -1) { // the smallest integer divided by -1 wraps instead of trapping
    const bool quotient = op == BinaryOp::Div || op == BinaryOp::FloorDiv;
    result = quotient ? int64_t(0 - uint64_t(a)) : 0;
    return true;
  }
  const int64_t quotient = a / b, rest = a % b;
  const bool floors = rest != 0 && (rest < 0) != (b < 0);
  switch (op) {
  case BinaryOp::Div: result = quotient; break;
  case BinaryOp::FloorDiv: result = quotient - floors; break;
  case BinaryOp::Mod: result = floors ? rest + b : rest; break;
  default: result = rest; break;
  }
  return true;
}

bool divide(BinaryOp op, uint64_t a, uint64_t b, int64_t &result) {
  if (b == 0)
    return false;
  const bool quotient = op == BinaryOp::Div || op == BinaryOp::FloorDiv;
  result = int64_t(quotient ? a / b : a % b);
  return true;
}

int64_t shift(BinaryOp op, DType type, int64_t a, int64_t by) {
  const int bits = int(byteSize(type)) * 8;
  const bool out = by < 0 || by >= bits; // a u64 count above 2^63 is negative here
  if (op == BinaryOp::Shl)
    return out ? 0 : int64_t(uint64_t(a) << by);
  if (isUnsigned(type))
    return out ? 0 : int64_t(uint64_t(a) >> by);
  return out ? (a < 0 ? -1 : 0) : a >> by;
}

bool evaluateInteger(BinaryOp op, DType type, int64_t a, int64_t b, int64_t &r) {
  const uint64_t ua = uint64_t(a), ub = uint64_t(b);
  const bool less = isUnsigned(type) ? ua < ub : a < b;
  switch (op) {
  case BinaryOp::Add: r = int64_t(ua + ub); break;
  case BinaryOp::Sub: r = int64_t(ua - ub); break;
  case BinaryOp::Mul: r = int64_t(ua * ub); break;
  case BinaryOp::Div: case BinaryOp::FloorDiv:
  case BinaryOp::Mod: case BinaryOp::Rem:
    if (!(isUnsigned(type) ? divide(op, ua, ub, r) : divide(op, a, b, r)))
      return false;
    break;
  case BinaryOp::Pow:
    if (!power(a, b, isUnsigned(type), r))
      return false;
    break;
  case BinaryOp::Min: r = less ? a : b; break;
  case BinaryOp::Max: r = less ? b : a; break;
  case BinaryOp::And: r = a & b; break;
  case BinaryOp::Or: r = a | b; break;
  case BinaryOp::Xor: r = a ^ b; break;
  case BinaryOp::Shl: case BinaryOp::Shr: r = shift(op, type, a, b); break;
  default: r = a; break;
  }
  r = wrapTo(type, r);
  return true;
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
  case DType::F16: return halfToFloat(floatToHalf(narrowToOdd(value)));
  case DType::BF16: return bfloatToFloat(floatToBfloat(narrowToOdd(value)));
  case DType::F32: return float(value);
  default: return value;
  }
}

int64_t tdl::wrapTo(DType type, int64_t value) {
  switch (type) {
  case DType::Bool: return value != 0;
  case DType::I8: return int8_t(value);
  case DType::I16: return int16_t(value);
  case DType::I32: return int32_t(value);
  case DType::U8: return uint8_t(value);
  case DType::U16: return uint16_t(value);
  case DType::U32: return uint32_t(value);
  default: return value;
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

Scalar tdl::evaluate(UnaryOp op, DType type, Scalar a) {
  if (isFloat(type)) {
    if (op == UnaryOp::IsNan)
      return scalarOf(int64_t(std::isnan(a.real)));
    if (op == UnaryOp::IsInf)
      return scalarOf(int64_t(std::isinf(a.real)));
    return scalarOf(roundTo(type, evaluateReal(op, a.real)));
  }
  const int64_t value = a.integer;
  const int64_t negated = int64_t(0 - uint64_t(value));
  const bool negative = !isUnsigned(type) && value < 0;
  switch (op) {
  case UnaryOp::Not: return scalarOf(int64_t(!value));
  case UnaryOp::BitNot: return scalarOf(wrapTo(type, ~value));
  case UnaryOp::Neg: return scalarOf(wrapTo(type, negated));
  case UnaryOp::Abs: return scalarOf(wrapTo(type, negative ? negated : value));
  case UnaryOp::Sign: return scalarOf(int64_t(negative ? -1 : value != 0));
  default: return a;
  }
}

bool tdl::evaluate(BinaryOp op, DType type, Scalar a, Scalar b, Scalar &result) {
  if (isComparison(op)) {
    result.integer =
        isFloat(type)      ? compare(op, a.real, b.real)
        : isUnsigned(type) ? compare(op, uint64_t(a.integer), uint64_t(b.integer))
                           : compare(op, a.integer, b.integer);
    return true;
  }
  if (isFloat(type)) {
    result.real = roundTo(type, evaluateReal(op, a.real, b.real));
    return true;
  }
  int64_t value = 0;
  if (!evaluateInteger(op, type, a.integer, b.integer, value))
    return false;
  result.integer = value;
  return true;
}

Scalar tdl::load(DType type, const std::byte *from) {
  switch (type) {
  case DType::Bool: return scalarOf(int64_t(readAs<uint8_t>(from) != 0));
  case DType::I8: return scalarOf(int64_t(readAs<int8_t>(from)));
  case DType::I16: return scalarOf(int64_t(readAs<int16_t>(from)));
  case DType::I32: return scalarOf(int64_t(readAs<int32_t>(from)));
  case DType::I64: return scalarOf(readAs<int64_t>(from));
  case DType::U8: return scalarOf(int64_t(readAs<uint8_t>(from)));
  case DType::U16: return scalarOf(int64_t(readAs<uint16_t>(from)));
  case DType::U32: return scalarOf(int64_t(readAs<uint32_t>(from)));
  case DType::U64: return scalarOf(readAs<int64_t>(from));
  case DType::F16: return scalarOf(double(halfToFloat(readAs<uint16_t>(from))));
  case DType::BF16: return scalarOf(double(bfloatToFloat(readAs<uint16_t>(from))));
  case DType::F32: return scalarOf(double(readAs<float>(from)));
  case DType::F64: return scalarOf(readAs<double>(from));
  }
  return scalarOf(int64_t(0));
}

void tdl::store(DType type, Scalar value, std::byte *to) {
  switch (type) {
  case DType::F16: return writeAs(floatToHalf(narrowToOdd(value.real)), to);
  case DType::BF16: return writeAs(floatToBfloat(narrowToOdd(value.real)), to);
  case DType::F32: return writeAs(float(value.real), to);
  case DType::F64: return writeAs(value.real, to);
  default: break;
  }
  // Little-endian, as all of smex: the low bytes are the value.
  std::memcpy(to, &value.integer, size_t(byteSize(type)));
}
