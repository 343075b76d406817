// Which operations take much longer than a sum.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_SLOWOPERATIONS_H
#define SMEX_DIALECTS_TDL_LAMBDA_SLOWOPERATIONS_H

#include "dialects/tdl/lambda/Expr.h"

namespace smex::tdl {

/// How many sums take as long as one of them, about.
constexpr int64_t slowOperation = 16;

/// Elementary functions and divisions of floats, whatever their operands are.
inline bool isSlow(const Expr &e) {
  if (!isFloat(e.type))
    return false;
  if (e.kind == ExprKind::Unary)
    return e.unary != UnaryOp::Neg && e.unary != UnaryOp::Not &&
           e.unary != UnaryOp::Abs;
  return e.kind == ExprKind::Binary &&
         (e.binary == BinaryOp::Div || e.binary == BinaryOp::Pow);
}

} // namespace smex::tdl

#endif
