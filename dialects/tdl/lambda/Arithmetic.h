// Scalars, and what the operations of the language do to them: one definition
// for the folding of constants and for the interpreter, so that a folded
// expression never differs from an evaluated one.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_ARITHMETIC_H
#define SMEX_DIALECTS_TDL_LAMBDA_ARITHMETIC_H

#include "dialects/tdl/lambda/Expr.h"

#include <cstddef>

namespace smex::tdl {

/// A value of some DType: `real` for floats, rounded to the type; `integer` for
/// all others, sign- or zero-extended (u64: the same bits).
union Scalar {
  int64_t integer;
  double real;
};

inline Scalar scalarOf(int64_t value) {
  Scalar s;
  s.integer = value;
  return s;
}
inline Scalar scalarOf(double value) {
  Scalar s;
  s.real = value;
  return s;
}

/// Rounds to a float type (to nearest even), once: also to 16 bits.
double roundTo(DType type, double value);
/// Wraps to an integer type; bool: value != 0.
int64_t wrapTo(DType type, int64_t value);

/// Between types: to floats rounds, integers wrap among each other, a float to
/// an integer truncates and saturates (NaN: 0), to bool tests != 0.
Scalar convert(DType from, DType to, Scalar value);

/// `type` is the operand's. The operation must accept it (see accepts).
Scalar evaluate(UnaryOp op, DType type, Scalar a);
/// False: an integer division by zero. Shifts by the width or more, or by a
/// negative number, shift everything out.
bool evaluate(BinaryOp op, DType type, Scalar a, Scalar b, Scalar &result);

Scalar load(DType type, const std::byte *from);
void store(DType type, Scalar value, std::byte *to);

} // namespace smex::tdl

#endif
