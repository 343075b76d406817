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

} // namespace smex::emulated

#endif
