// Binary operations on integers and bool: none may trap, where the hardware's
// division does.
#include "compiler/codegen/expression/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::BinaryOp;

namespace {

template <typename Op> Value make(LocBuilder &b, Value a, Value c) {
  return Op::create(b, a, c);
}

Value compareIntegers(LocBuilder &b, arith::CmpIPredicate predicate, Value a,
                      Value c) {
  return arith::CmpIOp::create(b, predicate, a, c);
}

arith::CmpIPredicate integerPredicate(BinaryOp op, bool isUnsignedType) {
  using P = arith::CmpIPredicate;
  switch (op) {
  case BinaryOp::Eq:
    return P::eq;
  case BinaryOp::Ne:
    return P::ne;
  case BinaryOp::Lt:
    return isUnsignedType ? P::ult : P::slt;
  case BinaryOp::Le:
    return isUnsignedType ? P::ule : P::sle;
  case BinaryOp::Gt:
    return isUnsignedType ? P::ugt : P::sgt;
  default:
    return isUnsignedType ? P::uge : P::sge;
  }
}
/// Quotient or rest, rounded as asked. Division by zero gives 0; the smallest
/// integer by -1 wraps; neither may trap, as the hardware's division would.
Value integerDivision(LocBuilder &b, BinaryOp op, DType type, Value lhs,
                      Value rhs, DivisionFacts facts) {
  const bool isUnsignedType = isUnsigned(type) || facts.nonNegative;
  const bool quotient = op == BinaryOp::Div || op == BinaryOp::FloorDiv;
  const bool floors = op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
  const auto is = [&](Value v, int64_t value) {
    return compareIntegers(b, arith::CmpIPredicate::eq, v,
                           integerConstant(b, type, value));
  };
  Value zero = integerConstant(b, type, 0), divisor = rhs;
  Value byZero, byMinusOne;
  if (!facts.nonZero) {
    byZero = is(rhs, 0);
    Value one = integerConstant(b, type, 1);
    divisor = arith::SelectOp::create(b, byZero, one, rhs);
    if (!isUnsignedType) {
      byMinusOne = is(rhs, -1);
      divisor = arith::SelectOp::create(b, byMinusOne, one, divisor);
    }
  }
  Value result;
  if (isUnsignedType) {
    result = quotient ? make<arith::DivUIOp>(b, lhs, divisor)
                      : make<arith::RemUIOp>(b, lhs, divisor);
  } else {
    Value q = make<arith::DivSIOp>(b, lhs, divisor);
    Value rest =
        make<arith::SubIOp>(b, lhs, make<arith::MulIOp>(b, q, divisor));
    result = quotient ? q : rest;
    if (floors) {
      // Rounding down differs where there is a rest of the other sign.
      Value differ =
          compareIntegers(b, arith::CmpIPredicate::slt,
                          make<arith::XOrIOp>(b, rest, divisor), zero);
      Value some = compareIntegers(b, arith::CmpIPredicate::ne, rest, zero);
      Value moves = make<arith::AndIOp>(b, differ, some);
      Value moved = quotient
                        ? make<arith::SubIOp>(b, q, integerConstant(b, type, 1))
                        : make<arith::AddIOp>(b, rest, divisor);
      result = arith::SelectOp::create(b, moves, moved, result);
    }
    if (byMinusOne && quotient)
      result = arith::SelectOp::create(
          b, byMinusOne, make<arith::SubIOp>(b, zero, lhs), result);
  }
  return byZero ? arith::SelectOp::create(b, byZero, zero, result).getResult()
                : result;
}

/// By repeated squaring, modulo 2^width. A negative exponent leaves 1, -1 or 0.
Value integerPower(LocBuilder &b, DType type, Value base, Value exponent) {
  const int bits = int(byteSize(type)) * 8;
  Value one = integerConstant(b, type, 1), zero = integerConstant(b, type, 0);
  auto loop = scf::ForOp::create(
      b, indexConstant(b, 0), indexConstant(b, bits), indexConstant(b, 1),
      ValueRange{one, base, exponent},
      [&](OpBuilder &builder, Location loc, Value, ValueRange values) {
        LocBuilder inner(loc, builder);
        Value low = make<arith::AndIOp>(inner, values[2], one);
        Value set = compareIntegers(inner, arith::CmpIPredicate::ne, low, zero);
        Value product = make<arith::MulIOp>(inner, values[0], values[1]);
        scf::YieldOp::create(
            inner,
            ValueRange{arith::SelectOp::create(inner, set, product, values[0]),
                       make<arith::MulIOp>(inner, values[1], values[1]),
                       make<arith::ShRUIOp>(inner, values[2], one)});
      });
  Value result = loop.getResult(0);
  if (isUnsigned(type))
    return result;
  Value minusOne = integerConstant(b, type, -1);
  const auto is = [&](Value v, Value value) {
    return compareIntegers(b, arith::CmpIPredicate::eq, v, value);
  };
  Value odd = is(make<arith::AndIOp>(b, exponent, one), one);
  Value sign = arith::SelectOp::create(b, odd, minusOne, one);
  Value inverse = arith::SelectOp::create(
      b, is(base, one), one,
      arith::SelectOp::create(b, is(base, minusOne), sign, zero));
  Value negative =
      compareIntegers(b, arith::CmpIPredicate::slt, exponent, zero);
  return arith::SelectOp::create(b, negative, inverse, result);
}

/// Shifts by the width or more, or by a negative number, shift everything out.
Value integerShift(LocBuilder &b, BinaryOp op, DType type, Value lhs,
                   Value rhs) {
  const int bits = int(byteSize(type)) * 8;
  Value zero = integerConstant(b, type, 0);
  // As an unsigned number, a negative count is large.
  Value out = compareIntegers(b, arith::CmpIPredicate::uge, rhs,
                              integerConstant(b, type, bits));
  Value by = arith::SelectOp::create(b, out, zero, rhs);
  if (op == BinaryOp::Shr && !isUnsigned(type)) {
    Value most = integerConstant(b, type, bits - 1);
    return make<arith::ShRSIOp>(b, lhs,
                                arith::SelectOp::create(b, out, most, rhs));
  }
  Value shifted = op == BinaryOp::Shl ? make<arith::ShLIOp>(b, lhs, by)
                                      : make<arith::ShRUIOp>(b, lhs, by);
  return arith::SelectOp::create(b, out, zero, shifted);
}

} // namespace

Value codegen::emitIntegerBinary(LocBuilder &b, BinaryOp op, DType type,
                                 Value lhs, Value rhs, DivisionFacts facts) {
  // false < true, as for unsigned numbers.
  const bool isUnsignedType = isUnsigned(type) || type == DType::Bool;
  if (tdl::isComparison(op))
    return compareIntegers(b, integerPredicate(op, isUnsignedType), lhs, rhs);
  switch (op) {
  case BinaryOp::Add:
    return make<arith::AddIOp>(b, lhs, rhs);
  case BinaryOp::Sub:
    return make<arith::SubIOp>(b, lhs, rhs);
  case BinaryOp::Mul:
    return make<arith::MulIOp>(b, lhs, rhs);
  case BinaryOp::Div:
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
  case BinaryOp::Rem:
    return integerDivision(b, op, type, lhs, rhs, facts);
  case BinaryOp::Pow:
    return integerPower(b, type, lhs, rhs);
  case BinaryOp::Min:
    return isUnsignedType ? make<arith::MinUIOp>(b, lhs, rhs)
                          : make<arith::MinSIOp>(b, lhs, rhs);
  case BinaryOp::Max:
    return isUnsignedType ? make<arith::MaxUIOp>(b, lhs, rhs)
                          : make<arith::MaxSIOp>(b, lhs, rhs);
  case BinaryOp::And:
    return make<arith::AndIOp>(b, lhs, rhs);
  case BinaryOp::Or:
    return make<arith::OrIOp>(b, lhs, rhs);
  case BinaryOp::Xor:
    return make<arith::XOrIOp>(b, lhs, rhs);
  case BinaryOp::Shl:
  case BinaryOp::Shr:
    return integerShift(b, op, type, lhs, rhs);
  default:
    return lhs;
  }
}
