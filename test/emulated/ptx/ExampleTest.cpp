// PTX that LLVM made of examples/*.ll, against the host's own computation.
#include "test/emulated/ptx/Harness.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace smex::ptx;

TEST_CASE("a tiled matrix product is exact on small integers") {
  const uint32_t n = 48;
  std::mt19937 random(7);
  std::vector<float> a(n * n), b(n * n), expected(n * n);
  for (float &x : a)
    x = static_cast<int>(random() % 9) - 4;
  for (float &x : b)
    x = static_cast<int>(random() % 9) - 4;
  for (uint32_t i = 0; i < n; ++i)
    for (uint32_t j = 0; j < n; ++j)
      for (uint32_t k = 0; k < n; ++k)
        expected[i * n + j] += a[i * n + k] * b[k * n + j];
  Harness harness(Harness::example("product.ptx"));
  uint64_t c = harness.empty(n * n * 4);
  LaunchOptions options;
  options.grid = {n / 16, n / 16, 1};
  options.block = {16, 16, 1};
  options.seed = GENERATE(0, 1, 12345);
  harness.run("product", options, harness.buffer(a), harness.buffer(b), c, n);
  CHECK(harness.read<float>(c, n * n) == expected);
}

TEST_CASE("a launch says what it read and wrote") {
  Harness harness(Harness::example("product.ptx"));
  std::vector<float> ones(256, 1);
  uint64_t a = harness.buffer(ones), b = harness.buffer(ones),
           c = harness.empty(1024);
  LaunchOptions options;
  options.block = {16, 16, 1};
  LaunchResult result = harness.run("product", options, a, b, c, 16);
  unsigned written = 0, read = 0;
  for (const LaunchResult::Touched &each : result.touched) {
    (each.isWritten ? written : read) += each.end - each.begin;
    if (each.isWritten)
      CHECK(each.begin == c);
  }
  CHECK(written == 1024);
  CHECK(read == 2048);
}

namespace {

float choose(float x, uint32_t k) {
  switch (k) {
  case 0:
    return x;
  case 1:
    return x + 1.0f;
  case 2:
    return x * 1.5f;
  case 3:
    return x / 3.0f;
  case 4:
    return x - 0.5f;
  default:
    return -1.0f;
  }
}

} // namespace

TEST_CASE("one kernel of everything") {
  std::mt19937 random(11);
  std::vector<int32_t> in(64);
  for (int32_t &x : in)
    x = static_cast<int32_t>(random() % 20001) - 10000;
  const int64_t divisor = GENERATE(int64_t(7), int64_t(-3), int64_t(1) << 40);
  Harness harness(Harness::example("everything.ptx"));
  uint64_t ints = harness.empty(64 * 16), floats = harness.empty(64 * 4),
           halves = harness.empty(64 * 2), longs = harness.empty(64 * 8);
  harness.run("everything", shape(1, 64, 256), harness.buffer(in), ints, floats,
              halves, longs, divisor);
  auto gotInts = harness.read<int32_t>(ints, 256);
  auto gotFloats = harness.read<float>(floats, 64);
  auto gotHalves = harness.read<uint16_t>(halves, 64);
  auto gotLongs = harness.read<int64_t>(longs, 64);
  const uint16_t expectedHalves[] = {0x4080, 0x4480, 0x46c0, 0x4880};
  for (uint32_t t = 0; t < 64; ++t) {
    int32_t v = in[t], w = in[63 - t], sum = 0;
    for (uint32_t lane = t / 32 * 32; lane < t / 32 * 32 + 32; ++lane)
      sum += in[lane];
    int32_t local[] = {10, 20, 30, v};
    auto bits = static_cast<uint32_t>(v);
    CHECK(gotInts[4 * t] == w);
    CHECK(gotInts[4 * t + 1] == sum);
    CHECK(gotInts[4 * t + 2] == __builtin_popcount(bits) +
                                    (bits ? __builtin_clz(bits) : 32) +
                                    local[v & 3]);
    CHECK(static_cast<uint32_t>(gotInts[4 * t + 3]) ==
          (bits << 7 | static_cast<uint32_t>(w) >> 25));
    float c = static_cast<float>((t & 3) + 1);
    float g = choose(static_cast<float>(v), t % 6) + c;
    float m = std::max(std::min(g, 1000.0f), -7.0f);
    float e = std::sqrt(c) + std::exp2(c);
    CHECK(gotFloats[t] == m - std::copysign(e, static_cast<float>(v)));
    CHECK(gotHalves[t] == expectedHalves[t & 3]);
    CHECK(gotLongs[t] ==
          static_cast<int64_t>(static_cast<uint64_t>(v / divisor) << 32 |
                               static_cast<uint64_t>(v % divisor)));
  }
  CHECK(harness.read<uint32_t>(harness.module->address("counter"), 1)[0] == 64);
}
