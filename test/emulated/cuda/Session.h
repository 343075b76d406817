// What tests of the emulated driver begin with: a context, a kernel, memory and
// streams.
#ifndef SMEX_TEST_EMULATED_CUDA_SESSION_H
#define SMEX_TEST_EMULATED_CUDA_SESSION_H

#include "test/emulated/cuda/Functions.h"

#include <map>
#include <string>
#include <vector>

SMEX_CUDA_FUNCTIONS(SMEX_CUDA_DECLARE)

namespace smex::emulated {

/// In a function that returns a text.
#define NEED(call)                                                             \
  if (int result_ = (call))                                                    \
  return std::string(#call " gave ") + std::to_string(result_) + "\n"

using Environment = std::map<std::string, std::string>;

// out[i] = in[i] + 1 for i below n.
inline const char *const text = R"(.version 8.0
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

struct Session {
  void *context = nullptr, *module = nullptr, *function = nullptr;
  uint64_t a = 0, b = 0;
  void *first = nullptr, *second = nullptr, *event = nullptr;

  std::string open() {
    NEED(cuInit(0));
    NEED(cuDevicePrimaryCtxRetain(&context, 0));
    NEED(cuCtxSetCurrent(context));
    NEED(cuModuleLoadData(&module, text));
    NEED(cuModuleGetFunction(&function, module, "increment"));
    NEED(cuMemAlloc_v2(&a, 256));
    NEED(cuMemAlloc_v2(&b, 256));
    NEED(cuStreamCreate(&first, 1));
    NEED(cuStreamCreate(&second, 1));
    NEED(cuEventCreate(&event, 2));
    return "";
  }
  int increment(uint64_t out, uint64_t in, void *stream, unsigned n = 64) {
    void *parameters[] = {&out, &in, &n};
    return cuLaunchKernel(function, 1, 1, 1, n, 1, 1, 0, stream, parameters,
                          nullptr);
  }
};

inline std::string numbers(const std::vector<uint32_t> &values) {
  std::string result;
  for (uint32_t each : values)
    result += std::to_string(each) + " ";
  return result;
}

} // namespace smex::emulated

#endif
