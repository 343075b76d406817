// Floating-point instructions against the host's arithmetic, on special and
// random values, in every rounding mode.
#include "test/emulated/ptx/OneInstruction.h"

#include <catch2/catch.hpp>

#include <cfenv>
#include <cmath>
#include <random>

using namespace smex::ptx;

namespace {

using Operands = std::vector<std::array<uint64_t, 3>>;

template <class T> T fromBits(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class T> uint64_t toBits(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

/// Triples of special values, and random ones: of all bit patterns, and with
/// exponents that are near each other.
template <class T> Operands triples() {
  using Limits = std::numeric_limits<T>;
  const T special[] = {T(0),
                       T(-0.0),
                       T(1),
                       T(-1),
                       T(1.5),
                       Limits::max(),
                       Limits::min(),
                       Limits::denorm_min(),
                       -Limits::min() / 2,
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       Limits::epsilon(),
                       T(3)};
  Operands result;
  for (T a : special)
    for (T b : special)
      result.push_back({toBits(a), toBits(b), toBits(b * T(0.75))});
  std::mt19937_64 random(20261124);
  for (int i = 0; i < 3000; ++i) {
    std::array<uint64_t, 3> each;
    for (uint64_t &x : each) {
      x = random();
      if (i & 1)
        x = toBits(std::ldexp(T(random() >> 11) * T(random() & 1 ? 1 : -1),
                              int(random() % 60) - 83));
      if (sizeof(T) == 4)
        x &= 0xffffffff;
    }
    result.push_back(each);
  }
  return result;
}

template <class T>
void check(const std::string &text, T (*expected)(T, T, T),
           int hostRounding = FE_TONEAREST) {
  INFO(text);
  const unsigned bits = 8 * sizeof(T);
  Operands operands = triples<T>();
  std::vector<uint64_t> got = evaluate(text, bits, bits, operands);
  REQUIRE(got.size() == operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    volatile T a = fromBits<T>(operands[i][0]), b = fromBits<T>(operands[i][1]),
               c = fromBits<T>(operands[i][2]);
    std::fesetround(hostRounding);
    volatile T want = expected(a, b, c);
    std::fesetround(FE_TONEAREST);
    T have = fromBits<T>(got[i]);
    if (want != want ? have != have : toBits<T>(want) == got[i])
      continue;
    CAPTURE(a, b, c, have, T(want), std::hex, operands[i][0], operands[i][1]);
    FAIL("differs");
  }
}

const std::pair<const char *, int> modes[] = {{"rn", FE_TONEAREST},
                                              {"rz", FE_TOWARDZERO},
                                              {"rm", FE_DOWNWARD},
                                              {"rp", FE_UPWARD}};

template <class T> void checkRounded(const std::string &type) {
  // Volatile, so that the compiler leaves the operations where they are.
  for (auto [mode, host] : modes) {
    std::string suffix = std::string(mode) + "." + type;
    check<T>(
        "add." + suffix + " D, A, B;",
        [](T a, T b, T) -> T {
          volatile T x = a, y = b;
          return x + y;
        },
        host);
    check<T>(
        "sub." + suffix + " D, A, B;",
        [](T a, T b, T) -> T {
          volatile T x = a, y = b;
          return x - y;
        },
        host);
    check<T>(
        "mul." + suffix + " D, A, B;",
        [](T a, T b, T) -> T {
          volatile T x = a, y = b;
          return x * y;
        },
        host);
    check<T>(
        "div." + suffix + " D, A, B;",
        [](T a, T b, T) -> T {
          volatile T x = a, y = b;
          return x / y;
        },
        host);
    check<T>(
        "rcp." + suffix + " D, A;",
        [](T a, T, T) -> T {
          volatile T x = 1, y = a;
          return x / y;
        },
        host);
    check<T>(
        "sqrt." + suffix + " D, A;",
        [](T a, T, T) -> T {
          volatile T x = a;
          return std::sqrt(x);
        },
        host);
    check<T>(
        "fma." + suffix + " D, A, B, C;",
        [](T a, T b, T c) -> T {
          volatile T x = a, y = b, z = c;
          return std::fma(x, y, z);
        },
        host);
  }
}

float flushed(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

template <class T> T minimum(T a, T b) {
  if (a != a)
    return b;
  if (b != b)
    return a;
  if (a == 0 && b == 0)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

} // namespace

TEST_CASE("f32 arithmetic in each rounding mode") {
  checkRounded<float>("f32");
}
TEST_CASE("f64 arithmetic in each rounding mode") {
  checkRounded<double>("f64");
}

TEST_CASE("f32 with .ftz and .sat") {
  check<float>("add.ftz.f32 D, A, B;", [](float a, float b, float) {
    return flushed(flushed(a) + flushed(b));
  });
  check<float>("mul.ftz.f32 D, A, B;", [](float a, float b, float) {
    return flushed(flushed(a) * flushed(b));
  });
  check<float>("fma.rn.ftz.f32 D, A, B, C;", [](float a, float b, float c) {
    return flushed(std::fma(flushed(a), flushed(b), flushed(c)));
  });
  check<float>("add.sat.f32 D, A, B;", [](float a, float b, float) {
    float sum = a + b;
    return sum > 0 ? std::min(sum, 1.0f) : 0.0f;
  });
}

TEST_CASE("minima, maxima and signs") {
  check<float>("min.f32 D, A, B;",
               [](float a, float b, float) { return minimum(a, b); });
  check<double>("min.f64 D, A, B;",
                [](double a, double b, double) { return minimum(a, b); });
  check<float>("max.f32 D, A, B;",
               [](float a, float b, float) { return -minimum(-a, -b); });
  check<float>("max.NaN.f32 D, A, B;", [](float a, float b, float) {
    return a != a || b != b ? NAN : -minimum(-a, -b);
  });
  check<float>("neg.f32 D, A;", [](float a, float, float) { return -a; });
  check<float>("abs.f32 D, A;",
               [](float a, float, float) { return std::fabs(a); });
  check<float>("copysign.f32 D, A, B;",
               [](float a, float b, float) { return std::copysign(b, a); });
}

TEST_CASE("approximations are the host's functions, rounded once") {
  check<float>("ex2.approx.f32 D, A;", [](float a, float, float) {
    return static_cast<float>(std::exp2(static_cast<double>(a)));
  });
  check<float>("lg2.approx.f32 D, A;", [](float a, float, float) {
    return static_cast<float>(std::log2(static_cast<double>(a)));
  });
  check<float>("rsqrt.approx.f32 D, A;", [](float a, float, float) {
    return static_cast<float>(1 / std::sqrt(static_cast<double>(a)));
  });
}

TEST_CASE("f32's NaN is the canonical one") {
  auto got = evaluate("add.f32 D, A, B;", 32, 32,
                      {{0x7f800000, 0xff800000, 0}, {0xffc01234, 0, 0}});
  CHECK(got == std::vector<uint64_t>{0x7fffffff, 0x7fffffff});
}

TEST_CASE("sums in global memory know no subnormal numbers") {
  const auto sum = [](const std::string &memory, uint32_t old, uint32_t added) {
    Harness harness(kernelWith(
        "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, "
        "[c];\n"
        "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2];\n"
        "mov.u64 %rd4, word; st.shared.f32 [%rd4], %f1;\n" +
            std::string(memory == "shared" ? "red.shared.add.f32 [%rd4], %f2;\n"
                                             "ld.shared.f32 %f3, [%rd4];\n"
                                           : "red.global.add.f32 [%rd1], %f2;\n"
                                             "ld.global.f32 %f3, [%rd1];\n") +
            "st.global.f32 [%rd3], %f3;",
        ".shared .align 4 .b8 word[4];\n"));
    const uint64_t a = harness.buffer(std::vector<uint32_t>{old}),
                   b = harness.buffer(std::vector<uint32_t>{added}),
                   c = harness.empty(4);
    harness.run("k", shape(1, 1), a, b, c, uint64_t(0));
    return harness.read<uint32_t>(c, 1)[0];
  };
  CHECK(sum("shared", 5, 7) == 12);
  CHECK(sum("global", 5, 7) == 0);
  CHECK(sum("global", 0x80000005, 0x80000007) == 0x80000000);
  CHECK(sum("global", 0x3f800000, 7) == 0x3f800000);
  // A result that is too small, of terms that are not.
  CHECK(sum("shared", 0x00800001, 0x80800000) == 1);
  CHECK(sum("global", 0x00800001, 0x80800000) == 0);
}
