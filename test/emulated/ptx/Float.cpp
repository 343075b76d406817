#include "test/emulated/ptx/Float.h"

namespace smex::ptx {

uint32_t encode(double value, Format format, Rounding rounding) {
  const int mantissa = format.mantissaBits;
  const int bias = (1 << (format.exponentBits - 1)) - 1;
  const int width = 1 + format.exponentBits + mantissa;
  const uint32_t sign = std::signbit(value) ? 1u << (width - 1) : 0;
  const uint32_t infinity = ((1u << format.exponentBits) - 1) << mantissa;
  if (value != value)
    return (1u << (width - 1)) - 1;
  if (std::isinf(value))
    return sign | infinity;
  if (value == 0)
    return sign;
  // |value| = count * 2^quantum, count with a fraction that is rounded off.
  const double magnitude = std::fabs(value);
  const int smallest = 1 - bias - mantissa;
  const int quantum = std::max(std::ilogb(magnitude) - mantissa, smallest);
  const double scaled = std::ldexp(magnitude, -quantum);
  double count = std::floor(scaled);
  const double rest = scaled - count;
  bool up = false;
  switch (rounding) {
  case Rounding::Nearest:
    up = rest > 0.5 || (rest == 0.5 && std::fmod(count, 2) == 1);
    break;
  case Rounding::Away:
    up = rest >= 0.5;
    break;
  case Rounding::Zero:
    break;
  case Rounding::Down:
    up = sign && rest > 0;
    break;
  case Rounding::Up:
    up = !sign && rest > 0;
    break;
  }
  // The mantissa's leading bit adds one to the exponent's field; a subnormal
  // has none.
  uint64_t bits = (static_cast<uint64_t>(quantum - smallest) << mantissa) +
                  static_cast<uint64_t>(count) + up;
  if (bits >= infinity) {
    bool away = rounding == Rounding::Nearest || rounding == Rounding::Away ||
                rounding == (sign ? Rounding::Down : Rounding::Up);
    bits = away ? infinity : infinity - 1;
  }
  return sign | static_cast<uint32_t>(bits);
}

double decode(uint32_t bits, Format format) {
  const int mantissa = format.mantissaBits;
  const int bias = (1 << (format.exponentBits - 1)) - 1;
  const uint32_t fraction = bits & ((1u << mantissa) - 1);
  const int exponent = (bits >> mantissa) & ((1 << format.exponentBits) - 1);
  const bool negative = bits >> (mantissa + format.exponentBits) & 1;
  double value;
  if (exponent == (1 << format.exponentBits) - 1)
    value = fraction ? std::nan("") : HUGE_VAL;
  else if (exponent == 0)
    value = std::ldexp(fraction, 1 - bias - mantissa);
  else
    value = std::ldexp(fraction | (1u << mantissa), exponent - bias - mantissa);
  return negative ? -value : value;
}

/// `nearest` is the value rounded to nearest, `error` has the sign of what is
/// missing.
static double toOdd(double nearest, double error) {
  if (error == 0 || !std::isfinite(nearest))
    return nearest;
  uint64_t bits = cellOf(nearest);
  if (bits & 1)
    return nearest;
  bool larger = (error > 0) == (nearest > 0);
  return doubleOf(larger ? bits + 1 : bits - 1);
}

double oddAdd(double a, double b) {
  double sum = a + b;
  if (!std::isfinite(sum))
    return sum;
  // Knuth's exact error of a sum.
  double other = sum - a;
  double error = (a - (sum - other)) + (b - other);
  return toOdd(sum, error);
}

double oddFma(double a, double b, double c) { return oddAdd(a * b, c); }

double oddDiv(double a, double b) {
  double quotient = a / b;
  if (!std::isfinite(quotient) || std::isinf(b) || quotient == 0)
    return quotient;
  double rest = std::fma(-quotient, b, a);
  return toOdd(quotient, b > 0 ? rest : -rest);
}

double oddSqrt(double a) {
  double root = std::sqrt(a);
  if (!std::isfinite(root) || root == 0)
    return root;
  return toOdd(root, std::fma(-root, root, a));
}

double oddInteger(uint64_t magnitude, bool negative) {
  int shift = 0;
  while (magnitude >> 53) {
    magnitude = magnitude >> 1 | (magnitude & 1);
    ++shift;
  }
  double value = std::ldexp(static_cast<double>(magnitude), shift);
  return negative ? -value : value;
}

uint64_t constantOfType(uint64_t bits, bool isFloat32, Type type) {
  switch (type) {
  case Type::F32:
    return isFloat32 ? bits : cellOf(static_cast<float>(doubleOf(bits)));
  case Type::F64:
    return isFloat32 ? cellOf(static_cast<double>(floatOf(bits))) : bits;
  case Type::F16:
  case Type::BF16:
    return encode(isFloat32 ? floatOf(bits) : doubleOf(bits),
                  type == Type::F16 ? formatF16 : formatBF16,
                  Rounding::Nearest);
  default:
    return bits;
  }
}

} // namespace smex::ptx
