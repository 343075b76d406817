// erf and fmod, and the table of what replaces each operation of the math
// dialect.
#include "compiler/codegen/expression/ExpandMath.h"
#include "compiler/codegen/expression/FloatMath.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

Num codegen::expandErf(Num x) {
  Num a = abs(x), z = x * x;
  Num near, tail;
  if (x.isF32()) {
    near = polynomial(z, {0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2cf8p-4,
                          -0x1.b7f90ep-6, 0x1.5405b4p-8, -0x1.a3f71p-11,
                          0x1.496a5ep-14});
    // -log(1 - erf(t)) for t in [1, 4]; from there on erf is 1.
    Num t = select(a > 4.0, 4.0, a);
    tail = polynomial(t, {-0x1.8b3ecap-13, 0x1.212c2cp+0, 0x1.4434fp-1,
                          0x1.bc18cep-4, -0x1.9d0bdp-6, 0x1.1398f2p-8,
                          -0x1.ceead4p-12, 0x1.6c066ap-16});
  } else {
    near = polynomial(z, {0x1.06eba8214db68p-3, -0x1.812746b0379bdp-2,
                          0x1.ce2f21a040d16p-4, -0x1.b82ce311fa936p-6,
                          0x1.565bccf92b1bfp-8, -0x1.c02db03dd3a67p-11,
                          0x1.f9a2baa8a095dp-14, -0x1.f4ca4d68f106cp-17,
                          0x1.b97fd3955b849p-20, -0x1.5c07252b71f34p-23,
                          0x1.d71b01f9e2c23p-27, -0x1.abae1f6f792bbp-31});
    // The same for t in [1, 6], in t - 3.
    Num t = select(a > 6.0, 6.0, a) - 3.0;
    tail = polynomial(
        t,
        {0x1.570d36cb51c0fp+3, 0x1.9370b35013b92p+2, 0x1.ea2f93367067cp-1,
         0x1.e5bee938794aap-8, -0x1.62c3203e7b3b1p-10, 0x1.01a055980a0bep-12,
         -0x1.69679e6f61493p-15, 0x1.dd81a96649e8fp-18, -0x1.1e8ffe1975751p-20,
         0x1.291d5de85c006p-23, -0x1.80b26ed7595c2p-27, -0x1.1534219b1f89ep-29,
         -0x1.3e5ea7599bd20p-31, -0x1.d565738bfac2ep-32, 0x1.155c55e28d2d1p-32,
         0x1.4c2c73a718fa9p-33, 0x1.9c337edfd45a9p-35, 0x1.5ad1ca4157fa2p-38});
  }
  Num far = 1.0 - expandExp(-tail);
  return select(a < 1.0, fma(x, near, x), copysign(far, x));
}

Num codegen::expandFmod(Num x, Num y) {
  if (x.isF32())
    return toF32(expandFmod(toF64(x), toF64(y))); // exact in f64 too
  ImplicitLocOpBuilder &b = *x.b;
  Num divisor = abs(y);
  // Subtracts multiples of divisor * 2^k, k the largest for which the quotient
  // stays below 2^52: quotient, product and difference are then exact, but for
  // a quotient that was rounded up by one. Nearly always one round with k = 0.
  Num valid = (abs(x) < INFINITY) & (divisor > 0.0);
  Num start = select(valid, abs(x), 0.0);
  Num tiny = divisor < 0x1p-1022;
  Num bits = bitsOf(select(tiny, divisor * 0x1p52, divisor));
  Num exponent = shiftRight(bits, 52);
  exponent = select(tiny, exponent - bits.integer(52), exponent);
  auto loop = scf::WhileOp::create(
      b, TypeRange{x.type()}, ValueRange{start.v},
      [&](OpBuilder &builder, Location loc, ValueRange values) {
        ImplicitLocOpBuilder inner(loc, builder);
        Num rest{&inner, values[0]}, d{&inner, divisor.v};
        scf::ConditionOp::create(inner, (rest >= d).v, values);
      },
      [&](OpBuilder &builder, Location loc, ValueRange values) {
        ImplicitLocOpBuilder inner(loc, builder);
        Num rest{&inner, values[0]}, d{&inner, divisor.v};
        Num e{&inner, exponent.v};
        Num gap = shiftRight(bitsOf(rest), 52) - e - e.integer(51);
        Num k = select(gap > gap.integer(0), gap, gap.integer(0));
        // 2^k in two factors: k may reach 1,995.
        Num low = k >> 1, bias = k.integer(1023);
        Num multiple =
            d * floatOf((low + bias) << 52) * floatOf((k - low + bias) << 52);
        Num quotient = trunc(rest / multiple);
        Num next = fma(-quotient, multiple, rest);
        next = select(next < 0.0, next + multiple, next);
        scf::YieldOp::create(inner, next.v);
      });
  Num rest = copysign({&b, loop.getResult(0)}, x);
  rest = select(abs(y) == INFINITY, x, rest);
  return select(valid & (y == y), rest, NAN);
}

namespace {

template <typename Op> struct ExpandUnary : OpRewritePattern<Op> {
  Num (*expand)(Num);
  ExpandUnary(MLIRContext *context, Num (*expand)(Num))
      : OpRewritePattern<Op>(context), expand(expand) {}
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, expand({&b, op.getOperand()}).v);
    return success();
  }
};

template <typename Op> struct ExpandBinary : OpRewritePattern<Op> {
  Num (*expand)(Num, Num);
  ExpandBinary(MLIRContext *context, Num (*expand)(Num, Num))
      : OpRewritePattern<Op>(context), expand(expand) {}
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Num lhs{&b, op->getOperand(0)}, rhs{&b, op->getOperand(1)};
    rewriter.replaceOp(op, expand(lhs, rhs).v);
    return success();
  }
};

/// x^2 is by far the most frequent power, and exact as a product.
Num expandPowOrSquare(Num x, Num y) {
  if (auto constant = y.v.getDefiningOp<arith::ConstantOp>())
    if (auto value = dyn_cast<FloatAttr>(constant.getValue())) {
      const double power = value.getValueAsDouble();
      if (power == 2)
        return x * x;
      if (power == 3)
        return x * x * x;
      if (power == -1)
        return 1.0 / x;
      if (power == 0.5) // not for -0 and -infinity, whose root has no sign
        return select(x == -INFINITY, INFINITY, sqrt(x + 0.0));
    }
  return expandPow(x, y);
}

} // namespace

void codegen::populateExpandMath(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandUnary<math::ExpOp>>(context, expandExp);
  patterns.add<ExpandUnary<math::LogOp>>(context, expandLog);
  patterns.add<ExpandUnary<math::ErfOp>>(context, expandErf);
  patterns.add<ExpandUnary<math::SinOp>>(context, expandSin);
  patterns.add<ExpandUnary<math::CosOp>>(context, expandCos);
  patterns.add<ExpandUnary<math::TanOp>>(context, expandTan);
  patterns.add<ExpandUnary<math::AsinOp>>(context, expandAsin);
  patterns.add<ExpandUnary<math::AcosOp>>(context, expandAcos);
  patterns.add<ExpandUnary<math::AtanOp>>(context, expandAtan);
  patterns.add<ExpandUnary<math::SinhOp>>(context, expandSinh);
  patterns.add<ExpandUnary<math::CoshOp>>(context, expandCosh);
  patterns.add<ExpandUnary<math::TanhOp>>(context, expandTanh);
  patterns.add<ExpandUnary<math::AsinhOp>>(context, expandAsinh);
  patterns.add<ExpandUnary<math::AcoshOp>>(context, expandAcosh);
  patterns.add<ExpandUnary<math::AtanhOp>>(context, expandAtanh);
  patterns.add<ExpandBinary<math::PowFOp>>(context, expandPowOrSquare);
  patterns.add<ExpandBinary<math::Atan2Op>>(context, expandAtan2);
  patterns.add<ExpandBinary<arith::RemFOp>>(context, expandFmod);
  patterns.add<ExpandBinary<arith::MaximumFOp>>(context, expandMax);
  patterns.add<ExpandBinary<arith::MinimumFOp>>(context, expandMin);
}
