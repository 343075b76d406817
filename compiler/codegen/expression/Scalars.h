// One operation of the language on scalar SSA values, with the meaning that
// dialects/tdl/lambda/Arithmetic.h gives it, down to division by zero.
//
// A value of type f16 or bf16 travels as the f32 that it equals and is rounded
// after every operation; bool is i1; integers are signless, their DType says
// which operation is meant. Buffers hold f16, bf16 and, for bool, i8.
#ifndef SMEX_COMPILER_CODEGEN_EXPRESSION_SCALARS_H
#define SMEX_COMPILER_CODEGEN_EXPRESSION_SCALARS_H

#include "dialects/tdl/lambda/Lambda.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace smex::codegen {

using LocBuilder = mlir::ImplicitLocOpBuilder;

mlir::Type memoryType(mlir::MLIRContext *context, DType type);
mlir::Type valueType(mlir::MLIRContext *context, DType type);
mlir::Value fromMemory(LocBuilder &b, DType type, mlir::Value v);
mlir::Value toMemory(LocBuilder &b, DType type, mlir::Value v);

mlir::Value integerConstant(LocBuilder &b, DType type, int64_t value);
mlir::Value realConstant(LocBuilder &b, DType type, double value);
mlir::Value indexConstant(LocBuilder &b, int64_t value);

mlir::Value emitUnary(LocBuilder &b, tdl::UnaryOp op, DType type,
                      mlir::Value a);
/// What the caller knows about an integer division saves instructions.
struct DivisionFacts {
  bool nonNegative = false; // both operands
  bool nonZero = false;     // the divisor, which is not -1 either
};
/// `type` is the operands'.
mlir::Value emitBinary(LocBuilder &b, tdl::BinaryOp op, DType type,
                       mlir::Value lhs, mlir::Value rhs,
                       DivisionFacts facts = {});
/// The part of it for integers and bool.
mlir::Value emitIntegerBinary(LocBuilder &b, tdl::BinaryOp op, DType type,
                              mlir::Value lhs, mlir::Value rhs,
                              DivisionFacts facts);
mlir::Value emitCast(LocBuilder &b, DType from, DType to, mlir::Value v);

/// Reductions of 16-bit floats accumulate in f32, all others in their type. An
/// accumulator holds memory values (bool: i8).
DType accumulatorType(DType type);
/// a (op) b on memory values of an accumulator's type, or vectors of them.
mlir::Value emitCombine(LocBuilder &b, tdl::Reducer reducer, DType type,
                        mlir::Value a, mlir::Value c);
/// The identity as a memory value of an accumulator's type.
mlir::Value emitIdentity(LocBuilder &b, tdl::Reducer reducer, DType type);

} // namespace smex::codegen

#endif
