// The circular functions and their inverses, in f64; f32 goes through f64.
#include "compiler/codegen/expression/FloatMath.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

#include <cmath>

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

namespace {

constexpr double piOver2 = 0x1.921fb54442d18p+0;
constexpr double piOver2Low = 0x1.1a62633145c07p-54;
constexpr double piOver2Lowest = -0x1.f1976b7ed8fbcp-110;
constexpr double pi = 2 * piOver2, piLow = 2 * piOver2Low;

/// 2/pi behind a word of zeros: 1,280 bits after the point.
constexpr uint64_t twoOverPi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
    0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

/// The table as a global of the module that is being built.
Value tableOf(ImplicitLocOpBuilder &b) {
  constexpr StringLiteral symbol = "smex_two_over_pi";
  const auto type =
      MemRefType::get({int64_t(std::size(twoOverPi))}, b.getI64Type());
  Operation *op = b.getInsertionBlock()->getParentOp();
  // A module, or the gpu.module in one.
  Operation *module = SymbolTable::getNearestSymbolTable(op);
  if (!SymbolTable::lookupSymbolIn(module, symbol)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&module->getRegion(0).front());
    const auto values = DenseElementsAttr::get(
        RankedTensorType::get(type.getShape(), type.getElementType()),
        ArrayRef<uint64_t>(twoOverPi));
    memref::GlobalOp::create(b, symbol, b.getStringAttr("private"), type,
                             values,
                             /*constant=*/true, /*alignment=*/IntegerAttr());
  }
  return memref::GetGlobalOp::create(b, type, symbol);
}

struct Angle {
  Num quadrant; // i64; the low two bits count
  Num r;        // |r| <= pi/4, x = quadrant pi/2 + r
};

/// For |x| < 2^40: with fma, x - n pi/2 in three steps keeps all bits.
Angle reduceSmall(Num x) {
  Num magic = x.real(0x1.8p52);
  Num shifted = fma(x, 0x1.45f306dc9c883p-1, magic);
  Num n = shifted - magic;
  Num r = fma(n, -piOver2, x);
  r = fma(n, -piOver2Low, r);
  r = fma(n, -piOver2Lowest, r);
  return {bitsOf(shifted) - bitsOf(magic), r};
}

/// For any finite x >= 2^30 (Payne and Hanek): of x times 2/pi, only the bits
/// that matter modulo 4. x is m 2^e; bits of 2/pi of weight 4 / 2^e and above
/// give multiples of 4, and 192 bits from there on are enough.
Angle reduceLarge(Num x) {
  ImplicitLocOpBuilder &b = *x.b;
  Num bits = bitsOf(x);
  Num e = shiftRight(bits, 52) & bits.integer(0x7ff);
  Num m = (bits & bits.integer((int64_t(1) << 52) - 1)) |
          bits.integer(int64_t(1) << 52);
  Num offset = e - e.integer(1023 + 52) + e.integer(64 - 2);
  Num word = offset >> 6, shift = offset & offset.integer(63);
  Value table = tableOf(b);
  const auto load = [&](int i) -> Num {
    Num at = word + word.integer(i);
    Value index = arith::IndexCastOp::create(b, b.getIndexType(), at.v);
    return {&b, memref::LoadOp::create(b, table, index)};
  };
  Num none = shift == shift.integer(0);
  Num w[4] = {load(0), load(1), load(2), load(3)}, window[3];
  for (int i = 0; i < 3; ++i) {
    Num carry =
        shiftRight(w[i + 1], select(none, shift, shift.integer(64) - shift));
    window[i] = shiftLeft(w[i], shift) | select(none, shift.integer(0), carry);
  }
  // The product of m and the window, modulo 2^192.
  const auto wide = [&](Num p, Num q) -> std::pair<Num, Num> {
    auto op = arith::MulUIExtendedOp::create(b, p.v, q.v);
    return {Num{&b, op.getLow()}, Num{&b, op.getHigh()}};
  };
  auto [p0, c0] = wide(m, window[2]);
  auto [low1, c1] = wide(m, window[1]);
  Num p1 = low1 + c0;
  Num carry = {
      &b, arith::ExtUIOp::create(
              b, b.getI64Type(),
              arith::CmpIOp::create(b, arith::CmpIPredicate::ult, p1.v, c0.v))};
  Num p2 = m * window[0] + c1 + carry;
  // Two bits of quadrant, then the fraction; as a signed number it lies within
  // half a quadrant of 0, and taking it so rounds the quadrant up.
  Num high = (p2 << 2) | shiftRight(p1, 62),
      low = (p1 << 2) | shiftRight(p0, 62);
  Num quadrant = shiftRight(p2, 62) + shiftRight(high, 63);
  Num lowReal = {&b, arith::UIToFPOp::create(b, x.type(), low.v)};
  Num fraction = fma(lowReal, 0x1p-128, toReal(high, x.type()) * 0x1p-64);
  return {quadrant, fraction * piOver2};
}

Angle reduce(Num x) {
  ImplicitLocOpBuilder &b = *x.b;
  Num a = abs(x);
  Angle angle = reduceSmall(x);
  // Almost never taken: a loop around this stays scalar, but right.
  Num large = (a > 0x1p30) & (a < INFINITY);
  auto branch = scf::IfOp::create(b, TypeRange{b.getI64Type(), x.type()},
                                  large.v, /*withElse=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    Angle far = reduceLarge(a);
    Num negative = x < 0.0;
    Num zero = far.quadrant.integer(0);
    scf::YieldOp::create(
        b, ValueRange{select(negative, zero - far.quadrant, far.quadrant).v,
                      select(negative, -far.r, far.r).v});
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    scf::YieldOp::create(b, ValueRange{angle.quadrant.v, angle.r.v});
  }
  // Infinite angles have no sine.
  Num r = {&b, branch.getResult(1)};
  return {{&b, branch.getResult(0)}, select(a == INFINITY, NAN, r)};
}

Num sineOf(Num r) {
  Num z = r * r;
  Num p = polynomial(z, {-0x1.5555555555555p-3, 0x1.111111111110bp-7,
                         -0x1.a01a01a018ae4p-13, 0x1.71de3a533972cp-19,
                         -0x1.ae645298472dap-26, 0x1.612092b55274ep-33,
                         -0x1.aaa5463a84981p-41});
  return fma(z * r, p, r);
}

Num cosineOf(Num r) {
  Num z = r * r;
  Num p = polynomial(z, {0x1.5555555555555p-5, -0x1.6c16c16c16c10p-10,
                         0x1.a01a01a018de9p-16, -0x1.27e4fb75fd740p-22,
                         0x1.1eed8ca3a7af0p-29, -0x1.9393383f54dd1p-37,
                         0x1.aac5ac033e8f8p-45});
  // 1 - z/2 rounds; what it lost is known.
  Num half = z * 0.5, head = 1.0 - half;
  return head + fma(z * z, p, (1.0 - head) - half);
}

/// The sine of the angle plus `turns` quarter turns.
Num sineOfAngle(const Angle &angle, int turns) {
  Num q = angle.quadrant + angle.quadrant.integer(turns);
  Num one = q.integer(1), zero = q.integer(0);
  Num odd = (q & one) == one;
  Num result = select(odd, cosineOf(angle.r), sineOf(angle.r));
  return select((q & q.integer(2)) == zero, result, -result);
}

/// asin(s) - s for |s| <= 1/2.
Num asinTail(Num s) {
  Num z = s * s;
  return s * z *
         polynomial(z, {0x1.5555555555387p-3, 0x1.333333336f89fp-4,
                        0x1.6db6db41d37edp-5, 0x1.f1c72c6d51caep-6,
                        0x1.6e89ef7b332a0p-6, 0x1.1c6c2798cb839p-6,
                        0x1.c6f8819fc2ad3p-7, 0x1.8ee4880975422p-7,
                        0x1.aab4d628b9a3ep-8, 0x1.40b102ea60d78p-6,
                        -0x1.0af360512abd9p-6, 0x1.05cdd38209b9bp-5});
}

/// atan of a quotient in [0, 1], given the quotient or its parts.
Num atanOfRatio(Num top, Num bottom) {
  // Beyond tan(pi/8): atan(t) = pi/4 + atan((t - 1) / (t + 1)).
  Num turn = top > bottom * 0x1.a827999fcef32p-2;
  Num t = select(turn, top - bottom, top) / select(turn, top + bottom, bottom);
  Num z = t * t;
  Num p = polynomial(
      z, {-0x1.555555555553dp-2, 0x1.99999999958ebp-3, -0x1.24924922b1233p-3,
          0x1.c71c70e7a3832p-4, -0x1.745cf90b4042ap-4, 0x1.3b111c672ccedp-4,
          -0x1.10ebddbba2ad0p-4, 0x1.df116916f574cp-5, -0x1.9cdc2da167cf1p-5,
          0x1.37ed504f7e4a7p-5, -0x1.259d69bc96c3fp-6});
  Num tail = t * z * p;
  return select(turn, (t + (tail + piOver2Low / 2)) + piOver2 / 2, t + tail);
}

} // namespace

Num codegen::expandSin(Num x) {
  return throughF64(
      [](Num x) {
        Num result = sineOfAngle(reduce(x), 0);
        return select(x == 0.0, x, result); // -0
      },
      x);
}

Num codegen::expandCos(Num x) {
  return throughF64([](Num x) { return sineOfAngle(reduce(x), 1); }, x);
}

Num codegen::expandTan(Num x) {
  return throughF64(
      [](Num x) {
        const Angle angle = reduce(x);
        Num result = sineOfAngle(angle, 0) / sineOfAngle(angle, 1);
        return select(x == 0.0, x, result);
      },
      x);
}

Num codegen::expandAsin(Num x) {
  return throughF64Odd(
      [](Num a) {
        // Beyond 1/2: asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)).
        Num far = a > 0.5;
        Num s = select(far, sqrt((1.0 - a) * 0.5), a);
        Num arc = s + asinTail(s);
        return select(far, piOver2 - 2.0 * arc + piOver2Low, arc);
      },
      x);
}

Num codegen::expandAcos(Num x) {
  return throughF64(
      [](Num x) {
        Num a = abs(x);
        Num far = a > 0.5;
        Num s = select(far, sqrt((1.0 - a) * 0.5), x);
        Num arc = s + asinTail(s);
        Num twice = 2.0 * arc;
        Num beyond = select(x < 0.0, (pi - twice) + piLow, twice);
        return select(far, beyond, (piOver2 - arc) + piOver2Low);
      },
      x);
}

Num codegen::expandAtan(Num x) {
  return throughF64Odd(
      [](Num a) {
        Num swap = a > 1.0;
        // 1/a as a quotient, so that it rounds only once; 1/infinity is 0.
        Num bottom = select(swap, a, 1.0);
        bottom = select(a == INFINITY, 1.0, bottom);
        Num top = select(swap, 1.0, a);
        top = select(a == INFINITY, 0.0, top);
        Num r = atanOfRatio(top, bottom);
        return select(swap, (piOver2 - r) + piOver2Low, r);
      },
      x);
}

/// For y >= 0.
static Num atan2OfMagnitude(Num ay, Num x) {
  Num ax = abs(x);
  Num swap = ay > ax;
  Num top = select(swap, ax, ay), bottom = select(swap, ay, ax);
  // Equal magnitudes (0 and 0, infinity and infinity) would divide to NaN; sums
  // near the largest number would overflow, and quotients of tiny ones lose
  // bits.
  Num infinite = bottom == INFINITY;
  top = select(infinite, select(top == INFINITY, 1.0, top.real(0)), top);
  bottom = select(infinite | (bottom == 0.0), 1.0, bottom);
  Num factor = select(bottom < 0x1p-900, 0x1p100, x.real(1));
  factor = select(bottom > 0x1p1000, 0x1p-60, factor);
  Num r = atanOfRatio(top * factor, bottom * factor);
  r = select(swap, (piOver2 - r) + piOver2Low, r);
  Num left = bitsOf(x) < bitsOf(x).integer(0);
  r = select(left, (pi - r) + piLow, r);
  return select(isNan(x) | isNan(ay), NAN, r);
}

Num codegen::expandAtan2(Num y, Num x) {
  if (!x.isF32())
    return copysign(atan2OfMagnitude(abs(y), x), y);
  return copysign(toF32(atan2OfMagnitude(toF64(abs(y)), toF64(x))), y);
}
