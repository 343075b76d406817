// f32 and f64: the processor's own arithmetic where the rounding is to nearest,
// which IEEE 754 defines to the last bit.
#include "test/emulated/ptx/Operations.h"

namespace smex::ptx {
namespace {

// apply: to nearest. odd: exact or rounded to odd, for other roundings of f32.
struct Add {
  template <class T> static T apply(T a, T b, T) { return a + b; }
  static double odd(double a, double b, double) { return oddAdd(a, b); }
};
struct Sub {
  template <class T> static T apply(T a, T b, T) { return a - b; }
  static double odd(double a, double b, double) { return oddAdd(a, -b); }
};
struct Mul {
  template <class T> static T apply(T a, T b, T) { return a * b; }
  static double odd(double a, double b, double) { return a * b; }
};
struct Fma {
  template <class T> static T apply(T a, T b, T c) { return std::fma(a, b, c); }
  static double odd(double a, double b, double c) { return oddFma(a, b, c); }
};
struct Div {
  template <class T> static T apply(T a, T b, T) { return a / b; }
  static double odd(double a, double b, double) { return oddDiv(a, b); }
};
struct Sqrt {
  template <class T> static T apply(T a, T, T) { return std::sqrt(a); }
  static double odd(double a, double, double) { return oddSqrt(a); }
};
struct Rcp {
  template <class T> static T apply(T a, T, T) { return T(1) / a; }
  static double odd(double a, double, double) { return oddDiv(1, a); }
};

template <class T> uint64_t finish(T value) {
  if (value == value)
    return cellOf(value);
  return sizeof(T) == 4 ? canonicalNaN32 : canonicalNaN64;
}

template <class T, class Op> void plain(Thread &t, const Instruction &i) {
  t.r[i.d] = finish<T>(Op::template apply<T>(
      valueOf<T>(t.r[i.a]), valueOf<T>(t.r[i.b]), valueOf<T>(t.r[i.c])));
}

double atRounding(Rounding rounding, double a, double b, double c,
                  double (*apply)(double, double, double)) {
  volatile double x = a, y = b, z = c;
  return underRounding(rounding, [&] { return apply(x, y, z); });
}

/// The sign of an exact zero that is a sum: negative only when rounding down,
/// or when both terms are.
template <class Op>
float roundedFloat(float a, float b, float c, Rounding rounding) {
  double exact = Op::odd(a, b, c);
  if (exact == 0 && rounding == Rounding::Down)
    return static_cast<float>(
        atRounding(rounding, a, b, c, Op::template apply<double>));
  return floatOf(encode(exact, formatF32, rounding));
}

template <class T> T saturate(T value) {
  return value > 0 ? (value < 1 ? value : T(1)) : T(0); // NaN and -0 to +0
}

template <class T, class Op> void modified(Thread &t, const Instruction &i) {
  T a = valueOf<T>(t.r[i.a]), b = valueOf<T>(t.r[i.b]),
    c = valueOf<T>(t.r[i.c]);
  const auto rounding = static_cast<Rounding>(i.detail & RoundingBits);
  T value;
  if constexpr (std::is_same_v<T, float>) {
    if (i.detail & FlushBit) {
      a = flush(a);
      b = flush(b);
      c = flush(c);
    }
    value = rounding == Rounding::Nearest ? Op::template apply<float>(a, b, c)
                                          : roundedFloat<Op>(a, b, c, rounding);
    if (i.detail & FlushBit)
      value = flush(value);
  } else {
    value = rounding == Rounding::Nearest
                ? Op::template apply<double>(a, b, c)
                : atRounding(rounding, a, b, c, Op::template apply<double>);
  }
  if (i.detail & SaturateBit)
    value = saturate(value);
  t.r[i.d] = finish<T>(value);
}

/// "If one input is NaN, the result is the other one; if both are, the
/// canonical NaN. -0.0 < +0.0" (PTX ISA, min). With .NaN, NaN goes on.
template <class T, bool isMax> void extremum(Thread &t, const Instruction &i) {
  T a = valueOf<T>(t.r[i.a]), b = valueOf<T>(t.r[i.b]);
  if constexpr (std::is_same_v<T, float>)
    if (i.detail & FlushBit) {
      a = flush(a);
      b = flush(b);
    }
  T result;
  if (a != a || b != b)
    result = (i.detail & NaNBit) ? T(NAN) : a != a ? b : a;
  else if (a == b)
    result = std::signbit(a) == isMax ? b : a;
  else
    result = (a < b) == isMax ? b : a;
  t.r[i.d] = finish<T>(result);
}

template <class T>
constexpr uint64_t signOf = uint64_t(1) << (8 * sizeof(T) - 1);

template <class T, bool isAbs> void signs(Thread &t, const Instruction &i) {
  T a = valueOf<T>(t.r[i.a]);
  if constexpr (std::is_same_v<T, float>)
    if (i.detail & FlushBit)
      a = flush(a);
  t.r[i.d] = isAbs ? cellOf(a) & ~signOf<T> : cellOf(a) ^ signOf<T>;
}

/// copysign d, a, b: the sign of a on the magnitude of b.
template <class T> void copysign(Thread &t, const Instruction &i) {
  t.r[i.d] =
      toCell<T>(std::copysign(valueOf<T>(t.r[i.b]), valueOf<T>(t.r[i.a])));
}

template <class T, class Op> Handler choose(bool isPlain) {
  return isPlain ? plain<T, Op> : modified<T, Op>;
}

template <class T> Handler forType(Operation operation, bool isPlain) {
  switch (operation) {
  case Operation::Add:
    return choose<T, Add>(isPlain);
  case Operation::Sub:
    return choose<T, Sub>(isPlain);
  case Operation::Mul:
    return choose<T, Mul>(isPlain);
  case Operation::Fma:
    return choose<T, Fma>(isPlain);
  case Operation::Div:
    return choose<T, Div>(isPlain);
  case Operation::Sqrt:
    return choose<T, Sqrt>(isPlain);
  case Operation::Rcp:
    return choose<T, Rcp>(isPlain);
  case Operation::Min:
    return extremum<T, false>;
  case Operation::Max:
    return extremum<T, true>;
  case Operation::Abs:
    return signs<T, true>;
  case Operation::Neg:
    return signs<T, false>;
  case Operation::Copysign:
    return copysign<T>;
  default:
    return nullptr;
  }
}

} // namespace

Handler floatOperation(Operation operation, Type type, bool isPlain) {
  if (type == Type::F32)
    return forType<float>(operation, isPlain);
  return forType<double>(operation, isPlain);
}

} // namespace smex::ptx
