#ifndef SMEX_TEST_EMULATED_PTX_FLOAT_H
#define SMEX_TEST_EMULATED_PTX_FLOAT_H

#include "test/emulated/ptx/Types.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace smex::ptx {

/// .rn, .rz, .rm, .rp, and .rna (ties away from zero).
enum class Rounding { Nearest, Zero, Down, Up, Away };

/// An IEEE format of at most 32 bits.
struct Format {
  int exponentBits, mantissaBits;
};
constexpr Format formatF16{5, 10}, formatBF16{8, 7}, formatF32{8, 23},
    formatTF32{8, 10};

/// Rounds once, with subnormals and infinities as IEEE 754 says. A NaN becomes
/// PTX's canonical one, all bits set but the sign. For a value that no double
/// holds, pass it rounded to odd (below): rounding that is rounding the value.
uint32_t encode(double value, Format format, Rounding rounding);
double decode(uint32_t bits, Format format);

// Results that are exact, or else rounded to odd: the last bit of an inexact
// result is set (Boldo and Melquiond, "When double rounding is odd"). Rounding
// them again to a format with at most 51 bits gives the correctly rounded
// result of the operation, in each rounding mode. Operands of oddFma and oddDiv
// have at most 24 significant bits.
double oddAdd(double a, double b);
double oddFma(double a, double b, double c); // a*b + c
double oddDiv(double a, double b);
double oddSqrt(double a);
double oddInteger(uint64_t magnitude, bool negative);

/// Evaluates `operation()` in double under a rounding mode other than Nearest.
/// The operation has to read its operands from volatile variables, or the
/// compiler would move it.
template <class Operation>
double underRounding(Rounding rounding, Operation operation);

/// The bits of a constant of the text in an instruction of this type.
uint64_t constantOfType(uint64_t bits, bool isFloat32, Type type);

// Registers hold bits; these read and write them.
inline float floatOf(uint64_t cell) {
  uint32_t bits = static_cast<uint32_t>(cell);
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
inline uint64_t cellOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
inline double doubleOf(uint64_t cell) {
  double value;
  std::memcpy(&value, &cell, 8);
  return value;
}
inline uint64_t cellOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, 8);
  return bits;
}

constexpr uint32_t canonicalNaN32 = 0x7fffffff;
constexpr uint64_t canonicalNaN64 = 0x7fffffffffffffff;

/// The result of a single-precision operation: its NaN is the canonical one.
inline uint64_t resultOf(float value) {
  return value == value ? cellOf(value) : canonicalNaN32;
}
/// Subnormal numbers to zero of the same sign (.ftz).
inline float flush(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value)
                                                : value;
}

} // namespace smex::ptx

#include <cfenv>

template <class Operation>
double smex::ptx::underRounding(Rounding rounding, Operation operation) {
  const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD,
                       FE_TONEAREST};
  std::fesetround(modes[static_cast<int>(rounding)]);
  volatile double result = operation();
  std::fesetround(FE_TONEAREST);
  return result;
}

#endif
