// What tests of the emulated driver begin with: a context, a kernel, memory and
// streams.
#ifndef SMEX_TEST_EMULATED_CUDA_SESSION_H
#define SMEX_TEST_EMULATED_CUDA_SESSION_H

#include "test/emulated/cuda/Functions.h"
#include "test/emulated/cuda/Increment.h"

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

inline const std::string incrementText = smex::emulated::incrementPtx("8.0");
inline const char *const text = incrementText.c_str();

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
