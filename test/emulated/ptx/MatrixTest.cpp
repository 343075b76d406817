// mma against a plain product, ldmatrix, cp.async and carries.
#include "test/emulated/ptx/Float.h"
#include "test/emulated/ptx/Harness.h"

#include <catch2/catch.hpp>

#include <random>

using namespace smex::ptx;

namespace {

uint16_t half(int value) { return encode(value, formatF16, Rounding::Nearest); }

} // namespace

TEST_CASE("tiles by ldmatrix, multiplied by mma") {
  // a: 16 x 16 f16, by rows; b: 16 x 8 f16, by rows (loaded transposed);
  // c: 16 x 8 f32. One warp; the tiles go through shared memory by cp.async.
  std::string text = kernelWith(R"(
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [c];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd4, %r1, 16;
    add.s64 %rd5, %rd1, %rd4;
    mov.u32 %r2, tileA;
    mad.lo.u32 %r3, %r1, 16, %r2;
    cp.async.cg.shared.global [%r3], [%rd5], 16;
    mov.u32 %r4, tileB;
    setp.ge.u32 %p1, %r1, 16;
    @%p1 bra COPIED;
    add.s64 %rd6, %rd2, %rd4;
    mad.lo.u32 %r5, %r1, 16, %r4;
    cp.async.ca.shared.global [%r5], [%rd6], 16;
    COPIED:
    cp.async.commit_group;
    WAIT
    bar.sync 0;
    // Rows of the four 8 x 8 parts of a: lanes 0-15 rows, then columns 8-15.
    and.b32 %r6, %r1, 15;
    shr.u32 %r7, %r1, 4;
    mad.lo.u32 %r8, %r6, 32, %r2;
    mad.lo.u32 %r8, %r7, 16, %r8;
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r8];
    mad.lo.u32 %r9, %r6, 16, %r4;
    ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r14, %r15}, [%r9];
    mov.f32 %f5, 0f3F800000;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
      {%f1, %f2, %f3, %f4}, {%r10, %r11, %r12, %r13}, {%r14, %r15},
      {%f5, %f5, %f5, %f5};
    shr.u32 %r20, %r1, 2;
    and.b32 %r21, %r1, 3;
    mad.lo.u32 %r22, %r20, 8, 0;
    mad.lo.u32 %r22, %r21, 2, %r22;
    mad.wide.u32 %rd7, %r22, 4, %rd3;
    st.global.v2.f32 [%rd7], {%f1, %f2};
    st.global.v2.f32 [%rd7+256], {%f3, %f4};
  )",
                                ".shared .align 16 .b8 tileA[512];\n"
                                ".shared .align 16 .b8 tileB[256];\n");
  std::mt19937 random(17);
  std::vector<int> a(256), b(128);
  std::vector<uint16_t> halfA, halfB;
  for (int &x : a) {
    x = static_cast<int>(random() % 17) - 8;
    halfA.push_back(half(x));
  }
  for (int &x : b) {
    x = static_cast<int>(random() % 17) - 8;
    halfB.push_back(half(x));
  }
  std::vector<float> expected(128, 1);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j)
      for (int k = 0; k < 16; ++k)
        expected[i * 8 + j] += static_cast<float>(a[i * 16 + k] * b[k * 8 + j]);
  auto run = [&](const std::string &wait, std::vector<float> &result) {
    std::string with = text;
    with.replace(with.find("WAIT"), 4, wait);
    Harness harness(with);
    uint64_t c = harness.empty(512);
    auto fault = harness.fault("k", shape(1, 32), harness.buffer(halfA),
                               harness.buffer(halfB), c, uint64_t(0));
    if (!fault)
      result = harness.read<float>(c, 128);
    return fault;
  };
  std::vector<float> result;
  CHECK(!run("cp.async.wait_group 0;", result));
  CHECK(result == expected);
  result.clear();
  CHECK(!run("cp.async.wait_all;", result));
  CHECK(result == expected);
  auto fault = run("", result);
  REQUIRE(fault);
  CHECK(fault->kind == FaultKind::Uninitialized);
}

TEST_CASE("mma of tf32 and bf16") {
  // All of a is 1.5, b's column j is j; each sum is k * 1.5 * j.
  auto product = [](const char *instruction, uint32_t ones, bool tensor) {
    std::string text = kernelWith(
        std::string(R"(
    ld.param.u64 %rd3, [a];
    mov.u32 %r1, %tid.x;
    shr.u32 %r20, %r1, 2;
    and.b32 %r21, %r1, 3;
    cvt.rn.f32.u32 %f9, %r20;
    )") +
        (tensor ? "mov.b32 %r2, %f9;"
                : "cvt.rn.bf16.f32 %rs1, %f9; mov.b32 %r2, {%rs1, %rs1};") +
        "mov.b32 %r3, " + std::to_string(ones) + ";\nmov.f32 %f5, 0f00000000;" +
        instruction + R"(
    mad.lo.u32 %r22, %r20, 8, 0;
    mad.lo.u32 %r22, %r21, 2, %r22;
    mad.wide.u32 %rd7, %r22, 4, %rd3;
    st.global.v2.f32 [%rd7], {%f1, %f2};
    st.global.v2.f32 [%rd7+256], {%f3, %f4};
  )");
    Harness harness(text);
    uint64_t c = harness.empty(512);
    harness.run("k", shape(1, 32), c, uint64_t(0), uint64_t(0), uint64_t(0));
    return harness.read<float>(c, 128);
  };
  auto expected = [](int k) {
    std::vector<float> result;
    for (int i = 0; i < 128; ++i)
      result.push_back(1.5f * k * (i % 8));
    return result;
  };
  CHECK(product("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                "{%f1,%f2,%f3,%f4}, {%r3,%r3,%r3,%r3}, {%r2,%r2}, "
                "{%f5,%f5,%f5,%f5};",
                0x3fc00000, true) == expected(8));
  CHECK(product("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                "{%f1,%f2,%f3,%f4}, {%r3,%r3,%r3,%r3}, {%r2,%r2}, "
                "{%f5,%f5,%f5,%f5};",
                0x3fc03fc0, false) == expected(16));
  CHECK(product("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 "
                "{%f1,%f2,%f3,%f4}, {%r3,%r3}, {%r2}, {%f5,%f5,%f5,%f5};",
                0x3fc03fc0, false) == expected(8));
}

TEST_CASE("carries make wide sums") {
  std::string text = kernelWith(R"(
    ld.param.u64 %rd1, [a];
    ld.global.v2.u64 {%rd2, %rd3}, [%rd1];
    ld.global.v2.u64 {%rd4, %rd5}, [%rd1+16];
    add.cc.u64 %rd6, %rd2, %rd4;
    addc.u64 %rd7, %rd3, %rd5;
    sub.cc.u64 %rd8, %rd2, %rd4;
    subc.u64 %rd9, %rd3, %rd5;
    st.global.v2.u64 [%rd1], {%rd6, %rd7};
    st.global.v2.u64 [%rd1+16], {%rd8, %rd9};
  )");
  Harness harness(text);
  using Wide = unsigned __int128;
  Wide x = Wide(5) << 64 | ~uint64_t(0), y = Wide(2) << 64 | 7;
  std::vector<uint64_t> in{uint64_t(x), uint64_t(x >> 64), uint64_t(y),
                           uint64_t(y >> 64)};
  for (bool swapped : {false, true}) {
    if (swapped) {
      std::swap(in[0], in[2]);
      std::swap(in[1], in[3]);
      std::swap(x, y);
    }
    uint64_t a = harness.buffer(in);
    harness.run("k", shape(1, 1), a, uint64_t(0), uint64_t(0), uint64_t(0));
    CHECK(harness.read<uint64_t>(a, 4) ==
          std::vector<uint64_t>{uint64_t(x + y), uint64_t((x + y) >> 64),
                                uint64_t(x - y), uint64_t((x - y) >> 64)});
  }
}
