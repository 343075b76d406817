// f16 and bf16 against the compiler's own _Float16, and conversions.
#include "test/emulated/ptx/OneInstruction.h"

#include "test/emulated/ptx/Float.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace smex::ptx;

namespace {

float halfToFloat(uint16_t bits) {
  _Float16 value;
  std::memcpy(&value, &bits, 2);
  return static_cast<float>(value);
}
template <class T> uint16_t toHalf(T value) {
  auto half = static_cast<_Float16>(value);
  uint16_t bits;
  std::memcpy(&bits, &half, 2);
  return value != value ? 0x7fff : bits;
}
float brainToFloat(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, 4);
  return value;
}
uint16_t toBrain(float value) {
  if (value != value)
    return 0x7fff;
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

std::vector<std::array<uint64_t, 3>> patterns() {
  std::vector<std::array<uint64_t, 3>> result;
  std::mt19937_64 random(5);
  const uint64_t special[] = {0,      0x8000, 1,      0x3ff,  0x400,
                              0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x3c00,
                              0x80,   0x7f7f, 0x7f80, 0x3f80};
  for (uint64_t a : special)
    for (uint64_t b : special)
      result.push_back({a, b, 0x3c00});
  for (int i = 0; i < 6000; ++i)
    result.push_back({random() & 0xffff, random() & 0xffff, random() & 0xffff});
  return result;
}

template <class Expected>
void check(const std::string &text, Expected expected) {
  INFO(text);
  auto operands = patterns();
  auto got = evaluate(text, 16, 16, operands);
  REQUIRE(got.size() == operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    uint16_t want = expected(operands[i][0], operands[i][1], operands[i][2]);
    if (want == got[i])
      continue;
    CAPTURE(std::hex, operands[i], want, got[i]);
    FAIL("differs");
  }
}

} // namespace

TEST_CASE("f16 arithmetic") {
  check("add.f16 D, A, B;", [](auto a, auto b, auto) {
    return toHalf(halfToFloat(a) + halfToFloat(b));
  });
  check("sub.rn.f16 D, A, B;", [](auto a, auto b, auto) {
    return toHalf(halfToFloat(a) - halfToFloat(b));
  });
  check("mul.f16 D, A, B;", [](auto a, auto b, auto) {
    return toHalf(halfToFloat(a) * halfToFloat(b));
  });
  // 113 bits hold any a*b + c of f16.
  check("fma.rn.f16 D, A, B, C;", [](auto a, auto b, auto c) {
    __float128 sum = static_cast<__float128>(halfToFloat(a)) * halfToFloat(b) +
                     halfToFloat(c);
    return sum != sum ? uint16_t(0x7fff) : toHalf(sum);
  });
}

TEST_CASE("bf16 arithmetic") {
  check("mul.bf16 D, A, B;", [](auto a, auto b, auto) {
    // A float holds the product of two bf16, unless it is subnormal; then a
    // double does, and rounding it twice would be wrong.
    double exact = double(brainToFloat(a)) * brainToFloat(b);
    float once = static_cast<float>(exact);
    if (once == exact || once != once)
      return toBrain(once);
    return static_cast<uint16_t>(encode(exact, formatBF16, Rounding::Nearest));
  });
  check("neg.bf16 D, A;",
        [](auto a, auto, auto) { return uint16_t(a ^ 0x8000); });
}

TEST_CASE("pairs are two halves") {
  std::vector<std::array<uint64_t, 3>> operands{{0x3c004000, 0x40003c00, 0},
                                                {0x7bff0001, 0x7bff0001, 0}};
  CHECK(evaluate("add.rn.f16x2 D, A, B;", 32, 32, operands) ==
        std::vector<uint64_t>{0x42004200, 0x7c000002});
  CHECK(evaluate("mul.rn.bf16x2 D, A, B;", 32, 32,
                 {{0x3f804000, 0x40404040, 0}}) ==
        std::vector<uint64_t>{0x404040c0});
}

TEST_CASE("f32 to f16 and bf16, and back") {
  std::mt19937 random(3);
  std::vector<std::array<uint64_t, 3>> floats, halves;
  for (int i = 0; i < 20000; ++i) {
    // Exponents around those of f16, ties among them.
    uint32_t bits = (random() & 0x807fffff) | (95 + random() % 50) << 23;
    if (i % 3 == 0)
      bits &= 0xfffff000;
    if (i % 1000 == 0)
      bits |= 0x7f800000;
    floats.push_back({bits, 0, 0});
  }
  for (uint64_t bits = 0; bits < 65536; bits += 7)
    halves.push_back({bits, 0, 0});
  auto toF16 = evaluate("cvt.rn.f16.f32 D, A;", 16, 32, floats);
  auto toBF16 = evaluate("cvt.rn.bf16.f32 D, A;", 16, 32, floats);
  for (size_t i = 0; i < floats.size(); ++i) {
    float value;
    std::memcpy(&value, &floats[i][0], 4);
    CAPTURE(value);
    REQUIRE(toF16[i] == toHalf(value));
    REQUIRE(toBF16[i] == toBrain(value));
  }
  auto back = evaluate("cvt.f32.f16 D, A;", 32, 16, halves);
  for (size_t i = 0; i < halves.size(); ++i) {
    float got, want = halfToFloat(halves[i][0]);
    std::memcpy(&got, &back[i], 4);
    CHECK((want != want ? got != got : got == want));
  }
  CHECK(evaluate("cvt.rn.f16x2.f32 D, A, B;", 32, 32,
                 {{0x3f800000, 0x40000000, 0}}) ==
        std::vector<uint64_t>{0x3c004000});
  CHECK(evaluate("cvt.rz.f16.f32 D, A;", 16, 32, {{0x477fffff, 0, 0}}) ==
        std::vector<uint64_t>{0x7bff});
}

TEST_CASE("floats to integers and back") {
  auto bits = [](float x) {
    uint32_t result;
    std::memcpy(&result, &x, 4);
    return std::array<uint64_t, 3>{result, 0, 0};
  };
  std::vector<std::array<uint64_t, 3>> floats{
      bits(2.5f), bits(-2.5f), bits(3e9f), bits(-3e9f),
      bits(NAN),  bits(0.5f),  bits(-0.7f)};
  using List = std::vector<uint64_t>;
  CHECK(evaluate("cvt.rni.s32.f32 D, A;", 32, 32, floats) ==
        List{2, uint32_t(-2), 0x7fffffff, 0x80000000, 0, 0, uint32_t(-1)});
  CHECK(evaluate("cvt.rzi.s32.f32 D, A;", 32, 32, floats) ==
        List{2, uint32_t(-2), 0x7fffffff, 0x80000000, 0, 0, 0});
  CHECK(evaluate("cvt.rmi.s32.f32 D, A;", 32, 32, floats) ==
        List{2, uint32_t(-3), 0x7fffffff, 0x80000000, 0, 0, uint32_t(-1)});
  CHECK(evaluate("cvt.rpi.u32.f32 D, A;", 32, 32, floats) ==
        List{3, 0, 3000000000, 0, 0, 1, 0});
  CHECK(evaluate("cvt.rzi.s64.f32 D, A;", 64, 32, floats)[3] ==
        uint64_t(-3000000000));
  // NaN, where a side has 64 bits.
  CHECK(evaluate("cvt.rzi.s64.f32 D, A;", 64, 32, floats)[4] == uint64_t(1)
                                                                    << 63);
  CHECK(evaluate("cvt.rzi.u64.f32 D, A;", 64, 32, floats)[4] == uint64_t(1)
                                                                    << 63);
  const uint64_t nanOfF64 = 0x7ff8000000000000;
  CHECK(evaluate("cvt.rzi.s32.f64 D, A;", 32, 64, {{nanOfF64, 0, 0}}) ==
        List{0x80000000});
  CHECK(evaluate("cvt.rzi.u32.f64 D, A;", 32, 64, {{nanOfF64, 0, 0}}) ==
        List{0x80000000});
  CHECK(evaluate("cvt.rn.f32.s32 D, A;", 32, 32, {{0x80000000, 0, 0}}) ==
        List{0xcf000000});
  CHECK(evaluate("cvt.rn.f32.u32 D, A;", 32, 32, {{0xffffff81, 0, 0}}) ==
        List{0x4f800000});
  CHECK(evaluate("cvt.rz.f32.u32 D, A;", 32, 32, {{0xffffff81, 0, 0}}) ==
        List{0x4f7fffff});
  CHECK(evaluate("cvt.rni.f32.f32 D, A;", 32, 32, {bits(2.5f)}) ==
        List{0x40000000});
}
