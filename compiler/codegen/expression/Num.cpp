#include "compiler/codegen/expression/FloatMath.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

namespace {
template <typename Op> Num make(Num a, Num b) {
  return {a.b, Op::create(*a.b, a.v, b.v)};
}
bool isReal(Num a) { return isa<FloatType>(getElementTypeOrSelf(a.type())); }
Num compare(Num a, Num b, arith::CmpFPredicate real,
            arith::CmpIPredicate integer) {
  if (isReal(a))
    return {a.b, arith::CmpFOp::create(*a.b, real, a.v, b.v)};
  return {a.b, arith::CmpIOp::create(*a.b, integer, a.v, b.v)};
}
} // namespace

Num Num::real(double value) const {
  // APFloat converts with rounding, so one spelling serves f32 and f64.
  return {b, arith::ConstantOp::create(*b, b->getFloatAttr(type(), value))};
}
Num Num::integer(int64_t value) const {
  return {b, arith::ConstantOp::create(*b, b->getIntegerAttr(type(), value))};
}

Num codegen::operator+(Num a, Num b) {
  return isReal(a) ? make<arith::AddFOp>(a, b) : make<arith::AddIOp>(a, b);
}
Num codegen::operator-(Num a, Num b) {
  return isReal(a) ? make<arith::SubFOp>(a, b) : make<arith::SubIOp>(a, b);
}
Num codegen::operator*(Num a, Num b) {
  return isReal(a) ? make<arith::MulFOp>(a, b) : make<arith::MulIOp>(a, b);
}
Num codegen::operator/(Num a, Num b) { return make<arith::DivFOp>(a, b); }
Num codegen::operator-(Num a) {
  return {a.b, arith::NegFOp::create(*a.b, a.v)};
}
Num codegen::fma(Num a, Num b, Num c) {
  return {a.b, math::FmaOp::create(*a.b, a.v, b.v, c.v)};
}

Num codegen::operator<(Num a, Num b) {
  return compare(a, b, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt);
}
Num codegen::operator>(Num a, Num b) {
  return compare(a, b, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt);
}
Num codegen::operator<=(Num a, Num b) {
  return compare(a, b, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle);
}
Num codegen::operator>=(Num a, Num b) {
  return compare(a, b, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge);
}
Num codegen::operator==(Num a, Num b) {
  return compare(a, b, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
}
Num codegen::isNan(Num a) {
  return {a.b,
          arith::CmpFOp::create(*a.b, arith::CmpFPredicate::UNO, a.v, a.v)};
}

Num codegen::operator&(Num a, Num b) { return make<arith::AndIOp>(a, b); }
Num codegen::operator|(Num a, Num b) { return make<arith::OrIOp>(a, b); }
Num codegen::operator^(Num a, Num b) { return make<arith::XOrIOp>(a, b); }
Num codegen::operator<<(Num a, int64_t by) {
  return make<arith::ShLIOp>(a, a.integer(by));
}
Num codegen::operator>>(Num a, int64_t by) {
  return make<arith::ShRSIOp>(a, a.integer(by));
}
Num codegen::shiftRight(Num a, int64_t by) {
  return make<arith::ShRUIOp>(a, a.integer(by));
}
Num codegen::shiftLeft(Num a, Num by) { return make<arith::ShLIOp>(a, by); }
Num codegen::shiftRight(Num a, Num by) { return make<arith::ShRUIOp>(a, by); }

Num codegen::select(Num condition, Num a, Num b) {
  return {a.b, arith::SelectOp::create(*a.b, condition.v, a.v, b.v)};
}
Num codegen::abs(Num a) { return {a.b, math::AbsFOp::create(*a.b, a.v)}; }
Num codegen::copysign(Num magnitude, Num sign) {
  return make<math::CopySignOp>(magnitude, sign);
}
Num codegen::sqrt(Num a) { return {a.b, math::SqrtOp::create(*a.b, a.v)}; }
Num codegen::roundEven(Num a) {
  return {a.b, math::RoundEvenOp::create(*a.b, a.v)};
}
Num codegen::trunc(Num a) { return {a.b, math::TruncOp::create(*a.b, a.v)}; }

Num codegen::bitsOf(Num a) {
  Type type = a.b->getIntegerType(a.type().getIntOrFloatBitWidth());
  return {a.b, arith::BitcastOp::create(*a.b, type, a.v)};
}
Num codegen::floatOf(Num bits) {
  Type type = bits.type().isInteger(32) ? Type(bits.b->getF32Type())
                                        : Type(bits.b->getF64Type());
  return {bits.b, arith::BitcastOp::create(*bits.b, type, bits.v)};
}
Num codegen::toF64(Num a) {
  return {a.b, arith::ExtFOp::create(*a.b, a.b->getF64Type(), a.v)};
}
Num codegen::toF32(Num a) {
  return {a.b, arith::TruncFOp::create(*a.b, a.b->getF32Type(), a.v)};
}
Num codegen::toReal(Num a, Type type) {
  return {a.b, arith::SIToFPOp::create(*a.b, type, a.v)};
}

Num codegen::polynomial(Num x, ArrayRef<double> c) {
  Num sum = x.real(c.back());
  for (double coefficient : llvm::reverse(c.drop_back()))
    sum = fma(sum, x, coefficient);
  return sum;
}

Num codegen::scale(Num x, Num n) {
  // In two steps: 2^n itself may lie outside the type's range. Only the second
  // product rounds, as x is near 1.
  const int mantissa = x.isF32() ? 23 : 52, bias = x.isF32() ? 127 : 1023;
  const auto power = [&](Num e) {
    return floatOf((e + e.integer(bias)) << mantissa);
  };
  // A logical shift of a positive number: AVX2 has no other for 64 bits.
  Num half = shiftRight(n + n.integer(4096), 1) - n.integer(2048);
  return x * power(half) * power(n - half);
}

Num codegen::expandMax(Num a, Num b) {
  // The hardware's maximum is the inner select; it returns b where a is NaN.
  return select(isNan(a), a, select(a > b, a, b));
}
Num codegen::expandMin(Num a, Num b) {
  return select(isNan(a), a, select(a < b, a, b));
}

Num codegen::throughF64(Num (*function)(Num), Num x) {
  return x.isF32() ? toF32(function(toF64(x))) : function(x);
}
Num codegen::throughF64Odd(Num (*function)(Num), Num x) {
  return copysign(throughF64(function, abs(x)), x);
}

Num codegen::roundTo16(Num x, DType type) {
  if (!x.isF32()) {
    // To f32 first, inexact results odd: rounding those again gives what
    // rounding once would have.
    Num narrow = toF32(x), wide = toF64(narrow);
    Num bits = bitsOf(narrow);
    Num down = select(abs(wide) > abs(x), bits - bits.integer(1), bits);
    Num finite = abs(narrow) < INFINITY;
    Num inexact = (wide < x) | (wide > x);
    x = select(finite & inexact, floatOf(down | down.integer(1)), narrow);
  }
  if (type == DType::BF16) {
    Num bits = bitsOf(x);
    Num tie = shiftRight(bits, 16) & bits.integer(1);
    Num rounded = (bits + bits.integer(0x7fff) + tie) & bits.integer(-65536);
    Num quiet = (bits | bits.integer(0x400000)) & bits.integer(-65536);
    return floatOf(select(isNan(x), quiet, rounded));
  }
  Value half = arith::TruncFOp::create(*x.b, x.b->getF16Type(), x.v);
  return {x.b, arith::ExtFOp::create(*x.b, x.b->getF32Type(), half)};
}
