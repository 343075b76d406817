// Nodes as given, neither folded nor simplified: for the functions that
// simplify.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_RAWEXPR_H
#define SMEX_DIALECTS_TDL_LAMBDA_RAWEXPR_H

#include "dialects/tdl/lambda/Expr.h"

namespace smex::tdl {

ExprRef rawUnary(UnaryOp op, DType type, ExprRef a);
ExprRef rawBinary(BinaryOp op, DType type, ExprRef a, ExprRef b);

} // namespace smex::tdl

#endif
