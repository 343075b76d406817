// What the cases of the driver are made of: the entry points of whatever
// driver is loaded as libcuda.so.1, and calls with the results that the
// emulated one gives.
#ifndef SMEX_TEST_EMULATED_CUDA_CASES_H
#define SMEX_TEST_EMULATED_CUDA_CASES_H

#include "test/emulated/Reports.h"
#include "test/emulated/cuda/Functions.h"

#include <functional>
#include <string>
#include <vector>

namespace smex::emulated {

/// The entry points that a library has.
struct EntryPoints {
#define SMEX_CASE_MEMBER(name, parameters, arguments)                          \
  int(*name) parameters = nullptr;
  SMEX_CUDA_FUNCTIONS(SMEX_CASE_MEMBER)
#undef SMEX_CASE_MEMBER
};

/// The entry points by their names, and what most cases begin with.
struct Cuda {
#define SMEX_CASE_CALL(name, parameters, arguments)                            \
  int name parameters { return checked(#name, library.name arguments); }
  SMEX_CUDA_FUNCTIONS(SMEX_CASE_CALL)
#undef SMEX_CASE_CALL

  void *context = nullptr, *module = nullptr, *function = nullptr;
  void *first = nullptr, *second = nullptr, *event = nullptr, *join = nullptr;
  void *graph = nullptr, *exec = nullptr;
  uint64_t a = 0, b = 0;

  /// What is missing; empty: nothing.
  std::string load();
  /// What is wrong with what the emulated driver has reported of refused calls.
  std::string wrong;
  bool openContext() {
    return !cuInit(0) && !cuDevicePrimaryCtxRetain(&context, 0) &&
           !cuCtxSetCurrent(context);
  }
  /// A context, the kernel, memory of 256 bytes twice, streams and events.
  bool open();
  int launch(uint64_t out, uint64_t in, void *stream, unsigned threads = 64,
             unsigned blocks = 1, unsigned shared = 0) {
    unsigned n = 64;
    void *parameters[] = {&out, &in, &n};
    return cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, shared, stream,
                          parameters, nullptr);
  }
  int begin(int mode = 1) { return cuStreamBeginCapture_v2(first, mode); }
  int end() { return cuStreamEndCapture(first, &graph); }
  bool fork() {
    return !cuEventRecord(event, first) && !cuStreamWaitEvent(second, event, 0);
  }
  bool joined() {
    return !cuEventRecord(join, second) && !cuStreamWaitEvent(first, join, 0);
  }

private:
  /// The result, after a look at what is reported if it is a refusal.
  int checked(const char *name, int result);
  EntryPoints library;
  bool isEmulated = false;
  Reports reports;
};

using Results = std::vector<int>;

struct Case {
  const char *name;
  Results expected;
  /// After open(), unless it opens nothing.
  std::function<Results(Cuda &)> run;
  bool opens = true;
};

/// All of them, and their parts.
const std::vector<Case> &cases();
std::vector<Case> callCases();
std::vector<Case> captureCases();

} // namespace smex::emulated

#endif
