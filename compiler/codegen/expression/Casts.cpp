// Types in registers and in memory, and conversions between them.
#include "compiler/codegen/expression/FloatMath.h"
#include "compiler/codegen/expression/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

namespace {

int bitWidth(DType type) { return int(byteSize(type)) * 8; }

/// Truncates toward zero and saturates; NaN gives 0. The hardware's conversion
/// has no result out of range, so only values within it are converted.
Value floatToInteger(LocBuilder &b, DType to, Num x) {
  const bool isSignedType = isSigned(to);
  const int bits = bitWidth(to);
  const double high = std::ldexp(1.0, isSignedType ? bits - 1 : bits);
  const double low = isSignedType ? -high : 0;
  Num inside = (x >= low) & (x < high);
  Num safe = select(inside, x, 0.0);
  // Small types by way of a type whose conversion is one instruction.
  const int wide = isSignedType ? std::max(bits, 32) : (bits < 32 ? 32 : 64);
  Type wideType = b.getIntegerType(wide), type = b.getIntegerType(bits);
  Value v;
  if (isSignedType || bits < 64)
    v = arith::FPToSIOp::create(b, wideType, safe.v);
  else
    v = arith::FPToUIOp::create(b, wideType, safe.v);
  if (wide != bits)
    v = arith::TruncIOp::create(b, type, v);
  const int64_t most = isSignedType ? int64_t(~uint64_t(0) >> (65 - bits)) : -1;
  const int64_t least = isSignedType ? -most - 1 : 0;
  v = arith::SelectOp::create(b, (x >= high).v, integerConstant(b, to, most),
                              v);
  return arith::SelectOp::create(b, (x < low).v, integerConstant(b, to, least),
                                 v);
}

/// Rounded once to the type, 16-bit ones too.
Value integerToFloat(LocBuilder &b, DType from, DType to, Value v) {
  const bool single = to == DType::F32;
  Type type = single ? Type(b.getF32Type()) : Type(b.getF64Type());
  const bool negatives = isSigned(from);
  const auto convert = [&](Value integer, Type real) -> Value {
    if (negatives)
      return arith::SIToFPOp::create(b, real, integer);
    return arith::UIToFPOp::create(b, real, integer);
  };
  if (single || to == DType::F64)
    return convert(v, type);
  Num x{&b, v}, real;
  if (bitWidth(from) < 64) {
    real = {&b, convert(v, type)};
  } else {
    // f64 does not hold all bits: its last one stands for those that follow, so
    // that only the rounding to 16 bits counts.
    Num low = x & x.integer(4095);
    Num some = select(low == low.integer(0), low, low.integer(1));
    Num shifted = negatives ? x >> 12 : shiftRight(x, 12);
    Num sticky{&b, convert((shifted | some).v, type)};
    Num top = negatives ? x >> 53 : shiftRight(x, 53);
    Num exact = top == top.integer(0);
    if (negatives)
      exact = exact | (top == top.integer(-1));
    real = select(exact, Num{&b, convert(v, type)}, sticky * 4096.0);
  }
  return roundTo16(real, to).v;
}

} // namespace

Type codegen::memoryType(MLIRContext *context, DType type) {
  switch (type) {
  case DType::F16:
    return Float16Type::get(context);
  case DType::F32:
    return Float32Type::get(context);
  case DType::F64:
    return Float64Type::get(context);
  default:
    return IntegerType::get(context, bitWidth(type));
  }
}

Type codegen::valueType(MLIRContext *context, DType type) {
  if (type == DType::Bool)
    return IntegerType::get(context, 1);
  return memoryType(context, accumulatorType(type));
}

Value codegen::fromMemory(LocBuilder &b, DType type, Value v) {
  if (type == DType::Bool)
    return arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne, v,
        arith::ConstantOp::create(b, b.getI8IntegerAttr(0)));
  if (type == DType::BF16) {
    // The upper half of an f32.
    Num wide{&b, arith::ExtUIOp::create(b, b.getI32Type(), v)};
    return floatOf(wide << 16).v;
  }
  if (type == DType::F16)
    return arith::ExtFOp::create(b, b.getF32Type(), v);
  return v;
}

Value codegen::toMemory(LocBuilder &b, DType type, Value v) {
  if (type == DType::Bool)
    return arith::ExtUIOp::create(b, b.getI8Type(), v);
  if (type == DType::BF16) {
    Num bits = shiftRight(bitsOf({&b, v}), 16);
    return arith::TruncIOp::create(b, b.getI16Type(), bits.v);
  }
  if (type == DType::F16)
    return arith::TruncFOp::create(b, b.getF16Type(), v);
  return v;
}

Value codegen::emitCast(LocBuilder &b, DType from, DType to, Value v) {
  if (from == to)
    return v;
  MLIRContext *context = b.getContext();
  if (isFloat(from)) {
    Num x{&b, v};
    if (to == DType::Bool)
      return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, v,
                                   x.real(0).v);
    if (!isFloat(to))
      return floatToInteger(b, to, x);
    if (to == DType::F16 || to == DType::BF16)
      return roundTo16(x, to).v;
    const bool wide = from == DType::F64;
    if (to == DType::F64)
      return wide ? v : toF64(x).v;
    return wide ? toF32(x).v : v;
  }
  if (isFloat(to))
    return integerToFloat(b, from, to, v);
  if (to == DType::Bool)
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, v,
                                 integerConstant(b, from, 0));
  const int fromBits = from == DType::Bool ? 1 : bitWidth(from);
  Type type = valueType(context, to);
  if (fromBits > bitWidth(to))
    return arith::TruncIOp::create(b, type, v);
  if (fromBits == bitWidth(to))
    return v;
  if (isSigned(from))
    return arith::ExtSIOp::create(b, type, v);
  return arith::ExtUIOp::create(b, type, v);
}
