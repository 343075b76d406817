#include "compiler/codegen/expression/Scalars.h"

#include "compiler/codegen/expression/FloatMath.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::BinaryOp;
using tdl::Reducer;
using tdl::UnaryOp;

namespace {

bool is16(DType type) { return type == DType::F16 || type == DType::BF16; }

/// After an operation in f32 on f16 or bf16 values.
Value rounded(LocBuilder &b, DType type, Value v) {
  if (!is16(type))
    return v;
  return roundTo16({&b, v}, type).v;
}

template <typename Op> Value make(LocBuilder &b, Value a, Value c) {
  return Op::create(b, a, c);
}
template <typename Op> Value make(LocBuilder &b, Value a) {
  return Op::create(b, a);
}

Value compareIntegers(LocBuilder &b, arith::CmpIPredicate predicate, Value a,
                      Value c) {
  return arith::CmpIOp::create(b, predicate, a, c);
}

Value floatSign(LocBuilder &b, Value v) {
  Num a{&b, v};
  return select(a > 0.0, 1.0, select(a < 0.0, -1.0, a))
      .v; // 0 and NaN as they are
}

Value floatUnary(LocBuilder &b, UnaryOp op, Value a) {
  switch (op) {
  case UnaryOp::Neg:
    return make<arith::NegFOp>(b, a);
  case UnaryOp::Abs:
    return make<math::AbsFOp>(b, a);
  case UnaryOp::Sign:
    return floatSign(b, a);
  case UnaryOp::Floor:
    return make<math::FloorOp>(b, a);
  case UnaryOp::Ceil:
    return make<math::CeilOp>(b, a);
  case UnaryOp::Round:
    return make<math::RoundEvenOp>(b, a);
  case UnaryOp::Trunc:
    return make<math::TruncOp>(b, a);
  case UnaryOp::Exp:
    return make<math::ExpOp>(b, a);
  case UnaryOp::Log:
    return make<math::LogOp>(b, a);
  case UnaryOp::Sqrt:
    return make<math::SqrtOp>(b, a);
  case UnaryOp::Erf:
    return make<math::ErfOp>(b, a);
  case UnaryOp::Sin:
    return make<math::SinOp>(b, a);
  case UnaryOp::Cos:
    return make<math::CosOp>(b, a);
  case UnaryOp::Tan:
    return make<math::TanOp>(b, a);
  case UnaryOp::Asin:
    return make<math::AsinOp>(b, a);
  case UnaryOp::Acos:
    return make<math::AcosOp>(b, a);
  case UnaryOp::Atan:
    return make<math::AtanOp>(b, a);
  case UnaryOp::Sinh:
    return make<math::SinhOp>(b, a);
  case UnaryOp::Cosh:
    return make<math::CoshOp>(b, a);
  case UnaryOp::Tanh:
    return make<math::TanhOp>(b, a);
  case UnaryOp::Asinh:
    return make<math::AsinhOp>(b, a);
  case UnaryOp::Acosh:
    return make<math::AcoshOp>(b, a);
  case UnaryOp::Atanh:
    return make<math::AtanhOp>(b, a);
  case UnaryOp::Not:
  case UnaryOp::BitNot:
  case UnaryOp::IsNan:
  case UnaryOp::IsInf:
    break;
  }
  return a;
}

arith::CmpFPredicate floatPredicate(BinaryOp op) {
  switch (op) {
  case BinaryOp::Eq:
    return arith::CmpFPredicate::OEQ;
  case BinaryOp::Ne:
    return arith::CmpFPredicate::UNE;
  case BinaryOp::Lt:
    return arith::CmpFPredicate::OLT;
  case BinaryOp::Le:
    return arith::CmpFPredicate::OLE;
  case BinaryOp::Gt:
    return arith::CmpFPredicate::OGT;
  default:
    return arith::CmpFPredicate::OGE;
  }
}

Value floatMod(Num a, Num c) {
  Num rest{a.b, arith::RemFOp::create(*a.b, a.v, c.v)};
  Num moves = ((rest < 0.0) ^ (c < 0.0)) & ((rest < 0.0) | (rest > 0.0));
  return select(moves, rest + c, rest).v;
}

Value floatFloorDiv(Num a, Num c) {
  // Only in f64 is a f32's difference below exact enough to round once.
  if (a.isF32())
    return toF32({a.b, floatFloorDiv(toF64(a), toF64(c))}).v;
  // a - rest is a multiple of c, so the quotient is whole but for its rounding.
  Num exact = roundEven((a - Num{a.b, floatMod(a, c)}) / c);
  Num regular = (abs(a) < INFINITY) & (isNan(c) ^ (abs(c) > 0.0));
  Num other{a.b, math::FloorOp::create(*a.b, (a / c).v)};
  return select(regular & (c == c), exact, other).v;
}

Value floatBinary(LocBuilder &b, BinaryOp op, Value lhs, Value rhs) {
  if (tdl::isComparison(op))
    return arith::CmpFOp::create(b, floatPredicate(op), lhs, rhs);
  switch (op) {
  case BinaryOp::Add:
    return make<arith::AddFOp>(b, lhs, rhs);
  case BinaryOp::Sub:
    return make<arith::SubFOp>(b, lhs, rhs);
  case BinaryOp::Mul:
    return make<arith::MulFOp>(b, lhs, rhs);
  case BinaryOp::Div:
    return make<arith::DivFOp>(b, lhs, rhs);
  case BinaryOp::FloorDiv:
    return floatFloorDiv({&b, lhs}, {&b, rhs});
  case BinaryOp::Mod:
    return floatMod({&b, lhs}, {&b, rhs});
  case BinaryOp::Rem:
    return make<arith::RemFOp>(b, lhs, rhs);
  case BinaryOp::Pow:
    return make<math::PowFOp>(b, lhs, rhs);
  case BinaryOp::Min:
    return make<arith::MinimumFOp>(b, lhs, rhs);
  case BinaryOp::Max:
    return make<arith::MaximumFOp>(b, lhs, rhs);
  case BinaryOp::Atan2:
    return make<math::Atan2Op>(b, lhs, rhs);
  default:
    return lhs;
  }
}

} // namespace

Value codegen::integerConstant(LocBuilder &b, DType type, int64_t value) {
  Type target = valueType(b.getContext(), type);
  const unsigned bits = target.getIntOrFloatBitWidth();
  return arith::ConstantOp::create(
      b, b.getIntegerAttr(target, llvm::SignExtend64(uint64_t(value), bits)));
}
Value codegen::realConstant(LocBuilder &b, DType type, double value) {
  return arith::ConstantOp::create(
      b, b.getFloatAttr(valueType(b.getContext(), type), value));
}
Value codegen::indexConstant(LocBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value codegen::emitUnary(LocBuilder &b, UnaryOp op, DType type, Value a) {
  if (isFloat(type)) {
    Num x{&b, a};
    if (op == UnaryOp::IsNan)
      return isNan(x).v;
    if (op == UnaryOp::IsInf)
      return (abs(x) == INFINITY).v;
    return rounded(b, type, floatUnary(b, op, a));
  }
  Value zero = integerConstant(b, type, 0);
  Value ones = integerConstant(b, type, -1);
  const auto is = [&](arith::CmpIPredicate predicate) {
    return compareIntegers(b, predicate, a, zero);
  };
  switch (op) {
  case UnaryOp::Not:
  case UnaryOp::BitNot:
    return make<arith::XOrIOp>(b, a, ones);
  case UnaryOp::Neg:
    return make<arith::SubIOp>(b, zero, a);
  case UnaryOp::Abs:
    if (isUnsigned(type))
      return a;
    return arith::SelectOp::create(b, is(arith::CmpIPredicate::slt),
                                   make<arith::SubIOp>(b, zero, a), a);
  case UnaryOp::Sign: {
    Value one = integerConstant(b, type, 1);
    Value positive =
        arith::SelectOp::create(b, is(arith::CmpIPredicate::ne), one, zero);
    if (isUnsigned(type))
      return positive;
    return arith::SelectOp::create(b, is(arith::CmpIPredicate::slt), ones,
                                   positive);
  }
  default:
    return a;
  }
}

Value codegen::emitBinary(LocBuilder &b, BinaryOp op, DType type, Value lhs,
                          Value rhs, DivisionFacts facts) {
  if (!isFloat(type))
    return emitIntegerBinary(b, op, type, lhs, rhs, facts);
  Value result = floatBinary(b, op, lhs, rhs);
  return tdl::isComparison(op) ? result : rounded(b, type, result);
}

DType codegen::accumulatorType(DType type) {
  return is16(type) ? DType::F32 : type;
}

Value codegen::emitCombine(LocBuilder &b, Reducer reducer, DType type, Value a,
                           Value c) {
  const bool real = isFloat(type);
  const bool isUnsignedType = isUnsigned(type) || type == DType::Bool;
  switch (reducer) {
  case Reducer::None:
    break;
  case Reducer::Sum:
    return real ? make<arith::AddFOp>(b, a, c) : make<arith::AddIOp>(b, a, c);
  case Reducer::Prod:
    return real ? make<arith::MulFOp>(b, a, c) : make<arith::MulIOp>(b, a, c);
  case Reducer::Max:
    return real             ? make<arith::MaximumFOp>(b, a, c)
           : isUnsignedType ? make<arith::MaxUIOp>(b, a, c)
                            : make<arith::MaxSIOp>(b, a, c);
  case Reducer::Min:
    return real             ? make<arith::MinimumFOp>(b, a, c)
           : isUnsignedType ? make<arith::MinUIOp>(b, a, c)
                            : make<arith::MinSIOp>(b, a, c);
  }
  return c;
}

Value codegen::emitIdentity(LocBuilder &b, Reducer reducer, DType type) {
  const tdl::ExprRef e = tdl::identity(reducer, type);
  if (isFloat(type))
    return realConstant(b, type, e->real);
  return toMemory(b, type, integerConstant(b, type, e->integer));
}
