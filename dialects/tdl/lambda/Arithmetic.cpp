#include "dialects/tdl/lambda/Arithmetic.h"

#include <cmath>

using namespace smex;
using namespace smex::tdl;

namespace {

double signOf(double v) { return v > 0 ? 1 : v < 0 ? -1 : v; }

double evaluateReal(UnaryOp op, double a) {
  switch (op) {
  case UnaryOp::Neg:
    return -a;
  case UnaryOp::Abs:
    return std::fabs(a);
  case UnaryOp::Sign:
    return signOf(a);
  case UnaryOp::Floor:
    return std::floor(a);
  case UnaryOp::Ceil:
    return std::ceil(a);
  case UnaryOp::Round:
    return std::nearbyint(a);
  case UnaryOp::Trunc:
    return std::trunc(a);
  case UnaryOp::Exp:
    return std::exp(a);
  case UnaryOp::Log:
    return std::log(a);
  case UnaryOp::Sqrt:
    return std::sqrt(a);
  case UnaryOp::Erf:
    return std::erf(a);
  case UnaryOp::Sin:
    return std::sin(a);
  case UnaryOp::Cos:
    return std::cos(a);
  case UnaryOp::Tan:
    return std::tan(a);
  case UnaryOp::Asin:
    return std::asin(a);
  case UnaryOp::Acos:
    return std::acos(a);
  case UnaryOp::Atan:
    return std::atan(a);
  case UnaryOp::Sinh:
    return std::sinh(a);
  case UnaryOp::Cosh:
    return std::cosh(a);
  case UnaryOp::Tanh:
    return std::tanh(a);
  case UnaryOp::Asinh:
    return std::asinh(a);
  case UnaryOp::Acosh:
    return std::acosh(a);
  case UnaryOp::Atanh:
    return std::atanh(a);
  case UnaryOp::Not:
  case UnaryOp::BitNot:
  case UnaryOp::IsNan:
  case UnaryOp::IsInf:
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
  case BinaryOp::Add:
    return a + b;
  case BinaryOp::Sub:
    return a - b;
  case BinaryOp::Mul:
    return a * b;
  case BinaryOp::Div:
    return a / b;
  case BinaryOp::FloorDiv:
    return floorDiv(a, b);
  case BinaryOp::Mod:
    return floorMod(a, b);
  case BinaryOp::Rem:
    return std::fmod(a, b);
  case BinaryOp::Pow:
    return std::pow(a, b);
  case BinaryOp::Min:
    return std::isnan(a) || a < b ? a : b;
  case BinaryOp::Max:
    return std::isnan(a) || a > b ? a : b;
  case BinaryOp::Atan2:
    return std::atan2(a, b);
  default:
    return a;
  }
}

template <typename T> bool compare(BinaryOp op, T a, T b) {
  switch (op) {
  case BinaryOp::Eq:
    return a == b;
  case BinaryOp::Ne:
    return a != b;
  case BinaryOp::Lt:
    return a < b;
  case BinaryOp::Le:
    return a <= b;
  case BinaryOp::Gt:
    return a > b;
  default:
    return a >= b;
  }
}

/// False: 0 to a negative power, which divides by zero.
bool power(int64_t base, int64_t exponent, bool isUnsignedType,
           int64_t &result) {
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
  case BinaryOp::Div:
    result = quotient;
    break;
  case BinaryOp::FloorDiv:
    result = quotient - floors;
    break;
  case BinaryOp::Mod:
    result = floors ? rest + b : rest;
    break;
  default:
    result = rest;
    break;
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
  const bool out =
      by < 0 || by >= bits; // a u64 count above 2^63 is negative here
  if (op == BinaryOp::Shl)
    return out ? 0 : int64_t(uint64_t(a) << by);
  if (isUnsigned(type))
    return out ? 0 : int64_t(uint64_t(a) >> by);
  return out ? (a < 0 ? -1 : 0) : a >> by;
}

bool evaluateInteger(BinaryOp op, DType type, int64_t a, int64_t b,
                     int64_t &r) {
  const uint64_t ua = uint64_t(a), ub = uint64_t(b);
  const bool less = isUnsigned(type) ? ua < ub : a < b;
  switch (op) {
  case BinaryOp::Add:
    r = int64_t(ua + ub);
    break;
  case BinaryOp::Sub:
    r = int64_t(ua - ub);
    break;
  case BinaryOp::Mul:
    r = int64_t(ua * ub);
    break;
  case BinaryOp::Div:
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
  case BinaryOp::Rem:
    if (!(isUnsigned(type) ? divide(op, ua, ub, r) : divide(op, a, b, r)))
      return false;
    break;
  case BinaryOp::Pow:
    if (!power(a, b, isUnsigned(type), r))
      return false;
    break;
  case BinaryOp::Min:
    r = less ? a : b;
    break;
  case BinaryOp::Max:
    r = less ? b : a;
    break;
  case BinaryOp::And:
    r = a & b;
    break;
  case BinaryOp::Or:
    r = a | b;
    break;
  case BinaryOp::Xor:
    r = a ^ b;
    break;
  case BinaryOp::Shl:
  case BinaryOp::Shr:
    r = shift(op, type, a, b);
    break;
  default:
    r = a;
    break;
  }
  r = wrapTo(type, r);
  return true;
}

} // namespace

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
  case UnaryOp::Not:
    return scalarOf(int64_t(!value));
  case UnaryOp::BitNot:
    return scalarOf(wrapTo(type, ~value));
  case UnaryOp::Neg:
    return scalarOf(wrapTo(type, negated));
  case UnaryOp::Abs:
    return scalarOf(wrapTo(type, negative ? negated : value));
  case UnaryOp::Sign:
    return scalarOf(int64_t(negative ? -1 : value != 0));
  default:
    return a;
  }
}

bool tdl::evaluate(BinaryOp op, DType type, Scalar a, Scalar b,
                   Scalar &result) {
  if (isComparison(op)) {
    result.integer = isFloat(type) ? compare(op, a.real, b.real)
                     : isUnsigned(type)
                         ? compare(op, uint64_t(a.integer), uint64_t(b.integer))
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
