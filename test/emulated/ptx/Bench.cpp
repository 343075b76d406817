// Prints how many PTX instructions per second the interpreter runs.
#include "test/emulated/ptx/Harness.h"

#include <chrono>
#include <cstdio>

using namespace smex::ptx;

namespace {

template <class Run> void measure(const char *what, Run run) {
  auto start = std::chrono::steady_clock::now();
  LaunchResult result = run();
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  std::printf("%-28s %12llu instructions, %6.3f s, %7.1f million per second\n",
              what, static_cast<unsigned long long>(result.instructions),
              seconds.count(), result.instructions / seconds.count() / 1e6);
}

} // namespace

int main() {
  Harness arithmetic(kernelWith(R"(
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
    cvt.rn.f32.u32 %f1, %r1;
    AGAIN:
    mad.lo.s32 %r1, %r1, 5, %r2;
    xor.b32 %r1, %r1, %r2;
    mul.f32 %f1, %f1, 0f3F7FFFFF;
    add.f32 %f1, %f1, 0f3F800000;
    add.s32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 1000;
    @%p1 bra AGAIN;
  )"));
  measure("arithmetic", [&] {
    return arithmetic.run("k", shape(8, 256), uint64_t(0), uint64_t(0),
                          uint64_t(0), uint64_t(0));
  });
  const uint32_t n = 256;
  Harness product(Harness::example("product.ptx"));
  std::vector<float> ones(n * n, 1);
  uint64_t a = product.buffer(ones), b = product.buffer(ones),
           c = product.empty(n * n * 4);
  LaunchOptions options;
  options.grid = {n / 16, n / 16, 1};
  options.block = {16, 16, 1};
  measure("matrix product, all checks",
          [&] { return product.run("product", options, a, b, c, n); });
  Harness copy(kernelWith(R"(
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mad.lo.s32 %r1, %r2, 256, %r1;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd1, %rd1, %rd3;
    add.s64 %rd2, %rd2, %rd3;
    ld.global.f32 %f1, [%rd1];
    add.f32 %f1, %f1, 0f3F800000;
    st.global.f32 [%rd2], %f1;
  )"));
  std::vector<float> many(1 << 20, 1);
  uint64_t from = copy.buffer(many), to = copy.empty(many.size() * 4);
  measure("element-wise, all checks", [&] {
    return copy.run("k", shape(many.size() / 256, 256), from, to, uint64_t(0),
                    uint64_t(0));
  });
}
