// exp, log and what is made of them. Polynomials are minimax fits (Remez) with
// relative errors below 2^-28 (f32) and 2^-56 (f64).
#include "compiler/codegen/expression/FloatMath.h"

#include <cmath>

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

namespace {

constexpr double log2e = 0x1.71547652b82fep+0;
// ln 2 in two parts; the f32 one has few enough bits for n * ln2High to be
// exact under any rounding.
constexpr double ln2High32 = 0x1.62e4p-1, ln2Low32 = 0x1.7f7d1cf79abcap-20;
constexpr double ln2High = 0x1.62e42fefa39efp-1, ln2Low = 0x1.abc9e3b39803fp-56;

struct Reduced {
  Num n; // integer of x's width
  Num r; // |r| <= ln2 / 2, x = n ln2 + r
};

/// x = n ln2 + r for |x| < 2^20. Adding 1.5 * 2^mantissa rounds to an integer
/// and leaves it in the low bits: unlike a conversion, that has a result for
/// NaN.
Reduced reduceExp(Num x) {
  const bool single = x.isF32();
  Num magic = x.real(single ? 0x1.8p23 : 0x1.8p52);
  Num shifted = fma(x, log2e, magic);
  Num n = shifted - magic;
  Num r = fma(n, single ? -ln2High32 : -ln2High, x);
  r = fma(n, single ? -ln2Low32 : -ln2Low, r);
  return {bitsOf(shifted) - bitsOf(magic), r};
}

/// exp(r) - 1 - r for |r| <= ln2 / 2.
Num expTail(Num r) {
  if (r.isF32())
    return polynomial(r, {0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558f2p-5,
                          0x1.1239e2p-7, 0x1.6a244ap-10}) *
           (r * r);
  return polynomial(r, {0.5, 0x1.555555555555bp-3, 0x1.5555555555503p-5,
                        0x1.111111110ec5ep-7, 0x1.6c16c16c3042fp-10,
                        0x1.a01a01b37defdp-13, 0x1.a01a0136a6ab1p-16,
                        0x1.71ddf02156e63p-19, 0x1.27e5b41c7232cp-22,
                        0x1.af6be72f78a0cp-26, 0x1.1e3d657c99c5fp-29}) *
         (r * r);
}

/// NaN stays NaN.
Num clamp(Num x, double low, double high) {
  x = select(x > high, x.real(high), x);
  return select(x < low, x.real(low), x);
}

/// 2^n for n in the range of normal numbers.
Num powerOfTwo(Num n) {
  const bool single = n.type().isInteger(32);
  return floatOf((n + n.integer(single ? 127 : 1023)) << (single ? 23 : 52));
}

Num low32(Num n) {
  return {n.b, arith::TruncIOp::create(*n.b, n.b->getI32Type(), n.v)};
}

struct Split {
  Num exponent; // as a float
  Num mantissa; // in [sqrt(1/2), sqrt(2))
};

/// x = mantissa * 2^exponent for finite x > 0.
Split splitExponent(Num x) {
  const bool single = x.isF32();
  const int mantissa = single ? 23 : 52;
  Num tiny = x < (single ? 0x1p-126 : 0x1p-1022);
  Num bits = bitsOf(select(tiny, x * (single ? 0x1p23 : 0x1p52), x));
  // Moves the cut between two exponents from 1 to sqrt(1/2).
  Num offset = bits - bits.integer(single ? 0x3f3504f3 : 0x3fe6a09e667f3bcd);
  // Through a logical shift of a positive number and a conversion from 32 bits,
  // as AVX2 has no others.
  const int64_t shift = single ? 128 : 1024;
  Num e = shiftRight(offset + bits.integer(shift << mantissa), mantissa) -
          bits.integer(shift);
  Num m = floatOf(bits - (e << mantissa));
  Num exponent = toReal(single ? e : low32(e), x.type());
  return {select(tiny, exponent - mantissa, exponent), m};
}

/// log's values where the formula has none.
Num logSpecials(Num x, Num result) {
  result = select(x == INFINITY, x, result);
  result = select(x == 0.0, -INFINITY, result);
  return select((x < 0.0) | isNan(x), NAN, result);
}

/// A sum or product and what rounding it lost.
struct Double {
  Num high, low;
};
Double product(Num a, Num b) {
  Num p = a * b;
  return {p, fma(a, b, -p)};
}
/// |a| >= |b| or a = 0.
Double fastSum(Num a, Num b) {
  Num s = a + b;
  return {s, (a - s) + b};
}

/// log(x) to about 2^-66, for finite x > 0.
Double logDouble(Num x) {
  const Split split = splitExponent(x);
  Num m = split.mantissa, f = m - 1.0;
  // s = f / (2 + f), then log(1 + f) = 2 s + 2/3 s^3 + s^5 P(s^2).
  Double d = fastSum(m.real(1.0), m);
  Num sh = f / d.high;
  Num sl = (fma(-sh, d.high, f) - sh * d.low) / d.high;
  Double z = product(sh, sh);
  z.low = fma(sh + sh, sl, z.low);
  Num twoThirds = m.real(0x1.5555555555555p-1);
  Double t = product(twoThirds, z.high);
  t.low = t.low + fma(twoThirds, z.low, z.high * 0x1.5555555555555p-55);
  Num p = polynomial(z.high, {0x1.9999999999b33p-2, 0x1.2492492457807p-2,
                              0x1.c71c722de320ep-3, 0x1.745ce9b6e103ap-3,
                              0x1.3b1ef45b6e4b8p-3, 0x1.0f7f213775bdep-3,
                              0x1.0e4a2b457c42ap-3});
  t.low = fma(z.high * z.high, p, t.low);
  Double u = fastSum(m.real(2.0), t.high);
  u.low = u.low + t.low;
  Double l = product(sh, u.high);
  l.low = l.low + fma(sh, u.low, sl * u.high);
  Double e = product(split.exponent, m.real(ln2High));
  e.low = fma(split.exponent, ln2Low, e.low);
  Double sum = fastSum(e.high, l.high);
  return fastSum(sum.high, sum.low + (e.low + l.low));
}

/// exp(x.high + x.low), x.high beyond [-1000, 1000] being 0 or infinite.
Num expDouble(Double x) {
  Num far = abs(x.high) > 1000.0;
  Num low = select(far, 0.0, x.low);
  Num high = clamp(x.high, -1000, 1000);
  Num magic = high.real(0x1.8p52);
  Num shifted = fma(high, log2e, magic);
  Num n = shifted - magic;
  Num r = fma(n, -ln2High, high);
  Num rLow = fma(n, -ln2Low, low);
  Num tail = expTail(r);
  Num q = fma(rLow, (r + tail) + 1.0, tail);
  Double sum = fastSum(r.real(1.0), r);
  return scale(sum.high + (sum.low + q), bitsOf(shifted) - bitsOf(magic));
}

/// exp(x) - 1 for 0 <= x <= 80, without loss near 0.
Num expm1(Num x) {
  const Reduced reduced = reduceExp(x);
  Num two = powerOfTwo(reduced.n);
  return fma(two, reduced.r + expTail(reduced.r), two - 1.0);
}

/// log(1 + x) for x >= 0, f64.
Num log1p(Num x) {
  Num u = x + 1.0;
  // What rounding u lost, by which side was smaller.
  Num lost = select(x < 1.0, x - (u - 1.0), 1.0 - (u - x));
  return expandLog(u) + select(u < INFINITY, lost / u, 0.0);
}

} // namespace

Num codegen::expandExp(Num x) {
  // At the bounds the result is infinite or zero already.
  x = x.isF32() ? clamp(x, -105, 89) : clamp(x, -746, 710);
  const Reduced reduced = reduceExp(x);
  Num tail = expTail(reduced.r);
  return scale((tail + reduced.r) + 1.0, reduced.n);
}

Num codegen::expandLog(Num x) {
  const Split split = splitExponent(x);
  Num f = split.mantissa - 1.0, e = split.exponent;
  Num half = f * f * 0.5;
  Num result;
  if (x.isF32()) {
    Num p = polynomial(f, {0x1.555548p-2, -0x1.000006p-2, 0x1.99a4b6p-3,
                           -0x1.555c4ep-3, 0x1.23376ap-3, -0x1.fc220ap-4,
                           0x1.e6f052p-4, -0x1.de3bdep-4, 0x1.145778p-4});
    Num tail = fma(f * f * f, p, e * ln2Low32);
    result = fma(e, ln2High32, (f - (half - tail)));
  } else {
    // log(1 + f) = f - (f^2/2 - s (f^2/2 + R)), s = f / (2 + f), R even in s.
    Num s = f / (f + 2.0), z = s * s;
    Num r = z * polynomial(z, {0x1.5555555555593p-1, 0x1.999999997fb2dp-2,
                               0x1.2492494217d16p-2, 0x1.c71c51e7d6fcbp-3,
                               0x1.7466463275673p-3, 0x1.39a0f473b88b2p-3,
                               0x1.2f0d9409b2f94p-3});
    Num tail = fma(s, half + r, e * ln2Low);
    result = fma(e, ln2High, f - (half - tail));
  }
  return logSpecials(x, result);
}

Num codegen::expandPow(Num x, Num y) {
  Num result;
  Num magnitude = abs(x);
  // pow of 0 and infinities follows from exp(y log) but for the logarithm of
  // infinity and 0, which the formula lacks.
  if (x.isF32()) {
    Num wide = toF64(magnitude), exponent = toF64(y);
    result = toF32(expandExp(exponent * expandLog(wide)));
  } else {
    Num regular = (magnitude > 0.0) & (magnitude < INFINITY);
    Double l = logDouble(select(regular, magnitude, 1.0));
    l.high = select(regular, l.high, logSpecials(magnitude, l.high));
    Double p = product(y, l.high);
    p.low = fma(y, l.low, p.low);
    result = expDouble(p);
  }
  // A negative base: exponents that are integers, and odd ones.
  Num whole = trunc(y) == y;
  Num halfY = y * 0.5;
  Num odd = whole & ((trunc(halfY) < halfY) | (trunc(halfY) > halfY));
  Num negative = bitsOf(x) < bitsOf(x).integer(0);
  result = select(negative & odd, -result, result);
  Num undefined =
      (x < 0.0) & (x > -INFINITY) & ((y < trunc(y)) | (y > trunc(y)));
  result = select(undefined, NAN, result);
  result = select(isNan(x) | isNan(y), NAN, result);
  // 1 to any power and anything to 0, NaN too; (-1)^infinity.
  Num one = (x == 1.0) | (y == 0.0) | ((x == -1.0) & (abs(y) == INFINITY));
  return select(one, 1.0, result);
}

Num codegen::expandSinh(Num x) {
  return throughF64Odd(
      [](Num a) {
        Num t = expm1(select(a > 22.0, 22.0, a));
        Num small = (t + t / (t + 1.0)) * 0.5;
        Num h = expandExp(a * 0.5);
        return select(a > 22.0, (h * 0.5) * h, small);
      },
      x);
}

Num codegen::expandCosh(Num x) {
  return throughF64(
      [](Num x) {
        Num a = abs(x);
        Num h = expandExp(a * 0.5);
        Num e = expandExp(select(a > 22.0, 22.0, a));
        return select(a > 22.0, (h * 0.5) * h, (e + 1.0 / e) * 0.5);
      },
      x);
}

Num codegen::expandTanh(Num x) {
  // With e = exp(2x) - 1: e / (e + 2), without a branch and without loss near
  // 0.
  Num a = abs(x);
  Num limit = a.real(x.isF32() ? 10 : 20); // 1 to the last bit from here on
  Num t = expm1(select(a > limit, limit, a) * 2.0);
  return copysign(t / (t + 2.0), x);
}

Num codegen::expandAsinh(Num x) {
  return throughF64Odd(
      [](Num a) {
        Num big = a > 0x1p28; // the square would overflow, and 1 + a^2 is a^2
        Num s = select(big, 1.0, a);
        Num square = s * s;
        Num small = log1p(s + square / (sqrt(square + 1.0) + 1.0));
        return select(big, expandLog(a) + ln2High, small);
      },
      x);
}

Num codegen::expandAcosh(Num x) {
  return throughF64(
      [](Num x) {
        Num big = x > 0x1p28;
        Num t = select(big, 1.0, x - 1.0);
        Num small = log1p(t + sqrt(fma(t, t, t + t)));
        Num result = select(big, expandLog(x) + ln2High, small);
        return select(x < 1.0, NAN, result);
      },
      x);
}

Num codegen::expandAtanh(Num x) {
  return throughF64Odd(
      [](Num a) {
        Num result = log1p((a + a) / (1.0 - a)) * 0.5;
        return select(a > 1.0, NAN, result);
      },
      x);
}
