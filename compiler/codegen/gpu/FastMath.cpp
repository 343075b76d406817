#include "compiler/codegen/gpu/FastMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace smex;
using tdl::ExprKind;

Value codegen::fastMath(LocBuilder &b, const tdl::Expr &e,
                        ArrayRef<Value> operands) {
  constexpr double perLog2 = 1.4426950408889634;
  if (e.kind == ExprKind::Unary && e.unary == tdl::UnaryOp::Exp &&
      e.type == DType::F32) {
    Value power = arith::MulFOp::create(b, operands[0],
                                        realConstant(b, DType::F32, perLog2));
    return LLVM::CallIntrinsicOp::create(
               b, b.getF32Type(),
               b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f32"), power)
        .getResults();
  }
  if (e.kind == ExprKind::Binary && e.binary == tdl::BinaryOp::Div &&
      e.type == DType::F32) {
    Value one = realConstant(b, DType::F32, 1);
    return arith::MulFOp::create(b, operands[0],
                                 arith::DivFOp::create(b, one, operands[1]));
  }
  if (e.kind == ExprKind::Cast && e.type == DType::BF16 &&
      e.children[0]->type == DType::F32) {
    Value rounded = arith::TruncFOp::create(b, b.getBF16Type(), operands[0]);
    return arith::ExtFOp::create(b, b.getF32Type(), rounded);
  }
  return nullptr;
}
