// The elementary functions as sequences of IEEE operations. A vector library
// would be an import, and its vector and scalar versions differ in the last
// bit: these give the same bits in a loop's vectorized body and in its tail, on
// any machine. Branch-free where it matters, so that loops around them
// vectorize.
#ifndef SMEX_COMPILER_CODEGEN_EXPRESSION_FLOATMATH_H
#define SMEX_COMPILER_CODEGEN_EXPRESSION_FLOATMATH_H

#include "dialects/support/DType.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace smex::codegen {

/// A scalar value that reads like arithmetic: `fma(r, p, 1.0)`, `a * b`. Float
/// operators on float types, integer operators on integer types.
struct Num {
  mlir::ImplicitLocOpBuilder *b = nullptr;
  mlir::Value v;

  mlir::Type type() const { return v.getType(); }
  bool isF32() const { return type().isF32(); }
  /// Constants of this value's type.
  Num real(double value) const;
  Num integer(int64_t value) const;
};

Num operator+(Num a, Num b);
Num operator-(Num a, Num b);
Num operator*(Num a, Num b);
Num operator/(Num a, Num b);
Num operator-(Num a);
inline Num operator+(Num a, double b) { return a + a.real(b); }
inline Num operator-(Num a, double b) { return a - a.real(b); }
inline Num operator*(Num a, double b) { return a * a.real(b); }
inline Num operator/(Num a, double b) { return a / a.real(b); }
inline Num operator-(double a, Num b) { return b.real(a) - b; }
inline Num operator*(double a, Num b) { return b * a; }
inline Num operator/(double a, Num b) { return b.real(a) / b; }

/// a * b + c, rounded once.
Num fma(Num a, Num b, Num c);
inline Num fma(Num a, Num b, double c) { return fma(a, b, a.real(c)); }
inline Num fma(Num a, double b, Num c) { return fma(a, a.real(b), c); }

/// Ordered comparisons of floats (false for NaN), signed ones of integers.
Num operator<(Num a, Num b);
Num operator>(Num a, Num b);
Num operator<=(Num a, Num b);
Num operator>=(Num a, Num b);
Num operator==(Num a, Num b);
inline Num operator<(Num a, double b) { return a < a.real(b); }
inline Num operator>(Num a, double b) { return a > a.real(b); }
inline Num operator<=(Num a, double b) { return a <= a.real(b); }
inline Num operator>=(Num a, double b) { return a >= a.real(b); }
inline Num operator==(Num a, double b) { return a == a.real(b); }
Num isNan(Num a);
/// Bitwise; booleans too.
Num operator&(Num a, Num b);
Num operator|(Num a, Num b);
Num operator^(Num a, Num b);
Num operator<<(Num a, int64_t by);
/// Arithmetic and logical shifts to the right.
Num operator>>(Num a, int64_t by);
Num shiftRight(Num a, int64_t by);
/// By amounts below the width.
Num shiftLeft(Num a, Num by);
Num shiftRight(Num a, Num by);

/// `condition ? a : b`, both evaluated.
Num select(Num condition, Num a, Num b);
inline Num select(Num condition, Num a, double b) {
  return select(condition, a, a.real(b));
}
inline Num select(Num condition, double a, Num b) {
  return select(condition, b.real(a), b);
}
Num abs(Num a);
Num copysign(Num magnitude, Num sign);
Num sqrt(Num a);
Num roundEven(Num a);
Num trunc(Num a);

/// The bits of a float as an integer of its width, and back.
Num bitsOf(Num a);
Num floatOf(Num bits);
Num toF64(Num a);
Num toF32(Num a);
/// Signed integer to float.
Num toReal(Num a, mlir::Type type);

/// c[0] + c[1] x + ..., Horner's scheme with fma.
Num polynomial(Num x, llvm::ArrayRef<double> c);
/// x * 2^n, rounded once, for x near 1 and n, an integer of x's width, from
/// -1500 to 1500 (f32: -200 to 200).
Num scale(Num x, Num n);

// Each takes f32 or f64 and returns the same type. Largest errors, in units of
// the last place, that the tests hold them to: f32 2 (exp, log, tanh, erf) or
// 1, f64 3.
Num expandExp(Num x);
Num expandLog(Num x);
Num expandPow(Num x, Num y);
Num expandErf(Num x);
Num expandSinh(Num x);
Num expandCosh(Num x);
Num expandTanh(Num x);
Num expandAsinh(Num x);
Num expandAcosh(Num x);
Num expandAtanh(Num x);
Num expandSin(Num x);
Num expandCos(Num x);
Num expandTan(Num x);
Num expandAsin(Num x);
Num expandAcos(Num x);
Num expandAtan(Num x);
Num expandAtan2(Num y, Num x);
/// C's fmod: exact.
Num expandFmod(Num x, Num y);
/// NaN if either is. Of 0 and -0, the second operand, as tdl::evaluate has it.
Num expandMax(Num a, Num b);
Num expandMin(Num a, Num b);

/// An f64 function for f32 as well: rounded once more, at the end.
Num throughF64(Num (*function)(Num), Num x);
/// The same for an odd function, given for x >= 0. The sign is set after the
/// rounding: LLVM would convert the sign, too, between types for which there is
/// no instruction.
Num throughF64Odd(Num (*function)(Num), Num x);

/// A value of f32 or f64 rounded, once, to f16 or bf16, as f32.
Num roundTo16(Num x, DType type);

} // namespace smex::codegen

#endif
