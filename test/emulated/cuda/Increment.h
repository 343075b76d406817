#ifndef SMEX_TEST_EMULATED_CUDA_INCREMENT_H
#define SMEX_TEST_EMULATED_CUDA_INCREMENT_H

#include <string>

namespace smex::emulated {

/// PTX of this version ("8.0"): increment(out, in, n) sets out[i] to in[i] + 1
/// for i below n.
inline std::string incrementPtx(const std::string &version) {
  return ".version " + version + R"(
.target sm_80
.address_size 64
.visible .entry increment(.param .u64 out, .param .u64 in, .param .u32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r3, [%rd4];
  add.u32 %r3, %r3, 1;
  add.s64 %rd5, %rd1, %rd3;
  st.global.u32 [%rd5], %r3;
DONE:
  ret;
}
)";
}

/// reverses(out), of 64 threads, sets out[i] to 63 - i by way of 1024 bytes of
/// shared memory; atMost() has at most 64 threads, and exactly() a block of 64.
inline std::string limitedPtx(const std::string &version) {
  return ".version " + version + R"(
.target sm_80
.address_size 64
.visible .entry reverses(.param .u64 out)
{
  .shared .align 4 .b8 values[1024];
  .reg .b32 %r<6>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 4;
  mov.u32 %r3, values;
  add.u32 %r4, %r3, %r2;
  st.shared.u32 [%r4], %r1;
  bar.sync 0;
  sub.u32 %r2, 1008, %r2;
  add.u32 %r4, %r3, %r2;
  ld.shared.u32 %r5, [%r4];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r5;
  ret;
}
.visible .entry atMost() .maxntid 64, 1, 1
{
  ret;
}
.visible .entry exactly() .reqntid 64, 1, 1
{
  ret;
}
)";
}

} // namespace smex::emulated

#endif
