// Integer instructions against the host's, on special and random values.
#include "test/emulated/ptx/OneInstruction.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace smex::ptx;

namespace {

template <class T> std::vector<std::array<uint64_t, 3>> triples() {
  using U = std::make_unsigned_t<T>;
  const U top = U(1) << (8 * sizeof(T) - 1);
  const U special[] = {0, 1, 2, 31, 32, 33, U(-1), U(-2), top, U(top - 1), 255};
  std::vector<std::array<uint64_t, 3>> result;
  for (U a : special)
    for (U b : special)
      result.push_back({a, b, U(a + b)});
  std::mt19937_64 random(99);
  for (int i = 0; i < 2000; ++i) {
    auto draw = [&] { return uint64_t(U(random() >> (random() % 64))); };
    result.push_back({draw(), draw(), draw()});
  }
  return result;
}

template <class T, class Expected>
void check(const std::string &text, Expected expected,
           unsigned resultBits = 8 * sizeof(T)) {
  INFO(text);
  auto operands = triples<T>();
  auto got = evaluate(text, resultBits, 8 * sizeof(T), operands);
  REQUIRE(got.size() == operands.size());
  const uint64_t mask = ~uint64_t(0) >> (64 - resultBits);
  for (size_t i = 0; i < operands.size(); ++i) {
    auto want = static_cast<uint64_t>(expected(
                    T(operands[i][0]), T(operands[i][1]), T(operands[i][2]))) &
                mask;
    if (want == got[i])
      continue;
    CAPTURE(std::hex, operands[i], want, got[i]);
    FAIL("differs");
  }
}

template <class T> using U = std::make_unsigned_t<T>;
template <class T> uint64_t u(T x) { return static_cast<uint64_t>(x); }

template <class T> void checkType(const std::string &type) {
  check<T>("add." + type + " D, A, B;",
           [](T a, T b, T) { return u(a) + u(b); });
  check<T>("sub." + type + " D, A, B;",
           [](T a, T b, T) { return u(a) - u(b); });
  check<T>("mul.lo." + type + " D, A, B;",
           [](T a, T b, T) { return u(a) * u(b); });
  check<T>("mad.lo." + type + " D, A, B, C;",
           [](T a, T b, T c) { return u(a) * u(b) + u(c); });
  check<T>("mul.hi." + type + " D, A, B;", [](T a, T b, T) {
    return static_cast<uint64_t>(__int128(a) * __int128(b) >> (8 * sizeof(T)));
  });
  check<T>("div." + type + " D, A, B;", [](T a, T b, T) {
    return b == 0 ? ~uint64_t(0) : static_cast<uint64_t>(__int128(a) / b);
  });
  check<T>("rem." + type + " D, A, B;", [](T a, T b, T) {
    return b == 0 ? u(a) : static_cast<uint64_t>(__int128(a) % b);
  });
  check<T>("min." + type + " D, A, B;",
           [](T a, T b, T) { return a < b ? a : b; });
  check<T>("max." + type + " D, A, B;",
           [](T a, T b, T) { return a > b ? a : b; });
}

} // namespace

TEST_CASE("arithmetic wraps around") {
  checkType<uint16_t>("u16");
  checkType<int16_t>("s16");
  checkType<uint32_t>("u32");
  checkType<int32_t>("s32");
  checkType<uint64_t>("u64");
  checkType<int64_t>("s64");
}

TEST_CASE("wide products") {
  check<int32_t>(
      "mul.wide.s32 D, A, B;", [](int64_t a, int64_t b, int) { return a * b; },
      64);
  check<uint32_t>(
      "mul.wide.u32 D, A, B;",
      [](uint64_t a, uint64_t b, unsigned) { return a * b; }, 64);
  check<int16_t>(
      "mul.wide.s16 D, A, B;", [](int a, int b, int) { return a * b; }, 32);
}

TEST_CASE("signs and saturation") {
  check<int32_t>("abs.s32 D, A;",
                 [](int32_t a, int, int) { return a < 0 ? -u(a) : u(a); });
  check<int64_t>("neg.s64 D, A;",
                 [](int64_t a, int64_t, int64_t) { return -u(a); });
  check<int32_t>("add.sat.s32 D, A, B;", [](int64_t a, int64_t b, int) {
    return std::clamp<int64_t>(a + b, INT32_MIN, INT32_MAX);
  });
}

TEST_CASE("logic and shifts, clamped") {
  check<uint32_t>("and.b32 D, A, B;",
                  [](uint32_t a, uint32_t b, uint32_t) { return a & b; });
  check<uint16_t>("not.b16 D, A;",
                  [](uint16_t a, uint16_t, uint16_t) { return ~a; });
  check<uint64_t>("xor.b64 D, A, B;",
                  [](uint64_t a, uint64_t b, uint64_t) { return a ^ b; });
  check<uint32_t>("shl.b32 D, A, B;", [](uint32_t a, uint32_t b, uint32_t) {
    return b > 31 ? 0 : a << b;
  });
  check<uint32_t>("shr.u32 D, A, B;", [](uint32_t a, uint32_t b, uint32_t) {
    return b > 31 ? 0 : a >> b;
  });
  check<int32_t>("shr.s32 D, A, B;", [](int32_t a, int32_t b, int32_t) {
    return a >> (uint32_t(b) > 31 ? 31 : b);
  });
  check<uint32_t>("shf.l.wrap.b32 D, A, B, C;",
                  [](uint64_t a, uint64_t b, uint32_t c) {
                    return ((b << 32 | a) << (c & 31)) >> 32;
                  });
  check<uint32_t>("shf.r.clamp.b32 D, A, B, C;",
                  [](uint64_t a, uint64_t b, uint32_t c) {
                    return (b << 32 | a) >> std::min(c, 32u);
                  });
  check<uint32_t>("lop3.b32 D, A, B, C, 0xe8;",
                  [](uint32_t a, uint32_t b, uint32_t c) {
                    return (a & b) | (b & c) | (a & c);
                  });
}

TEST_CASE("single bits") {
  check<uint32_t>("popc.b32 D, A;", [](uint32_t a, uint32_t, uint32_t) {
    return __builtin_popcount(a);
  });
  check<uint32_t>("clz.b32 D, A;", [](uint32_t a, uint32_t, uint32_t) {
    return a ? __builtin_clz(a) : 32;
  });
  check<uint64_t>(
      "clz.b64 D, A;",
      [](uint64_t a, uint64_t, uint64_t) {
        return a ? __builtin_clzll(a) : 64;
      },
      32);
  check<uint32_t>("brev.b32 D, A;", [](uint32_t a, uint32_t, uint32_t) {
    uint32_t result = 0;
    for (int i = 0; i < 32; ++i)
      result = result << 1 | (a >> i & 1);
    return result;
  });
  check<int32_t>("bfind.s32 D, A;", [](int32_t a, int, int) {
    for (int i = 30; i >= 0; --i)
      if ((a >> i & 1) != (a < 0))
        return i;
    return -1;
  });
  check<uint32_t>(
      "prmt.b32 D, A, B, 0x3a07;", [](uint64_t a, uint64_t b, uint32_t) {
        uint64_t both = b << 32 | a;
        auto byte = [&](int i) { return both >> (8 * i) & 0xff; };
        uint64_t spread = byte(2) & 0x80 ? 0xff : 0;
        return byte(7) | byte(0) << 8 | spread << 16 | byte(3) << 24;
      });
  check<uint32_t>("bfe.u32 D, A, 5, 9;",
                  [](uint32_t a, uint32_t, uint32_t) { return a >> 5 & 511; });
  check<int32_t>("bfe.s32 D, A, 5, 9;", [](int32_t a, int, int) {
    return int32_t(uint32_t(a) << 18) >> 23;
  });
  check<uint32_t>("bfi.b32 D, A, B, 8, 4;",
                  [](uint32_t a, uint32_t b, uint32_t) {
                    return (b & ~0xf00u) | (a << 8 & 0xf00);
                  });
}

TEST_CASE("conversions between integers") {
  check<int32_t>(
      "cvt.s64.s32 D, A;", [](int32_t a, int, int) { return int64_t(a); }, 64);
  check<uint32_t>(
      "cvt.u64.u32 D, A;", [](uint64_t a, unsigned, unsigned) { return a; },
      64);
  check<int64_t>(
      "cvt.u32.u64 D, A;", [](int64_t a, int64_t, int64_t) { return a; }, 32);
  check<int32_t>("cvt.s32.s8 D, A;",
                 [](int32_t a, int, int) { return int32_t(int8_t(a)); });
  check<int32_t>("cvt.sat.s8.s32 D, A;",
                 [](int32_t a, int, int) { return std::clamp(a, -128, 127); });
  check<int32_t>("cvt.sat.u8.s32 D, A;",
                 [](int32_t a, int, int) { return std::clamp(a, 0, 255); });
}

TEST_CASE("comparisons join predicates") {
  check<int32_t>("setp.lt.s32 %p1, A, B; setp.ge.or.s32 %p2, A, C, !%p1; "
                 "selp.b32 D, A, B, %p2;",
                 [](int32_t a, int32_t b, int32_t c) {
                   return a >= c || !(a < b) ? a : b;
                 });
  check<uint32_t>(
      "setp.ne.u32 %p3, A, A; setp.hi.xor.u32 %p1|%p2, A, B, !%p3; selp.u32 D, "
      "1, 0, %p2;"
      " selp.u32 %r11, 2, 0, %p1; or.b32 D, D, %r11;",
      [](uint32_t a, uint32_t b, uint32_t) { return a > b ? 1 : 2; });
}
