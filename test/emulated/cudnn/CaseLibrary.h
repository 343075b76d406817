// cuDNN and the driver by their public entry points alone, opened when the
// program runs: the emulated ones or NVIDIA's, whichever LD_LIBRARY_PATH finds.
#ifndef SMEX_TEST_EMULATED_CUDNN_CASELIBRARY_H
#define SMEX_TEST_EMULATED_CUDNN_CASELIBRARY_H

#define SMEX_EMULATED_CUDNN_LIST_ONLY
#include "test/emulated/cudnn/Functions.h"

#include <dlfcn.h>

#include <string>
#include <vector>

namespace smex::cases {

/// X(name, parameters): of the driver; all return a CUresult.
#define SMEX_CASE_DRIVER(X)                                                    \
  X(cuInit, (unsigned flags))                                                  \
  X(cuDeviceGet, (int *device, int ordinal))                                   \
  X(cuDeviceGetName, (char *name, int length, int device))                     \
  X(cuDevicePrimaryCtxRetain, (void **context, int device))                    \
  X(cuCtxSetCurrent, (void *context))                                          \
  X(cuMemAlloc_v2, (uint64_t *address, size_t bytes))                          \
  X(cuMemFree_v2, (uint64_t address))                                          \
  X(cuMemcpyHtoD_v2, (uint64_t to, const void *from, size_t bytes))            \
  X(cuMemcpyDtoH_v2, (void *to, uint64_t from, size_t bytes))                  \
  X(cuStreamCreate, (void **stream, unsigned flags))                           \
  X(cuStreamSynchronize, (void *stream))

struct Library {
#define SMEX_CASE_MEMBER(name, result, parameters)                             \
  result(*name) parameters = nullptr;
  SMEX_EMULATED_CUDNN_FUNCTIONS(SMEX_CASE_MEMBER)
#undef SMEX_CASE_MEMBER
#define SMEX_CASE_MEMBER(name, parameters) int(*name) parameters = nullptr;
  SMEX_CASE_DRIVER(SMEX_CASE_MEMBER)
#undef SMEX_CASE_MEMBER

  std::string error;  // what is missing
  std::string device; // its name; "": there is none
  bool isEmulated = false;
  void *handle = nullptr, *stream = nullptr;

  /// cuDNN; false: error says why.
  bool open();
  /// The first GPU and a handle on it, if there is one.
  void openDevice();
};

/// One call, or a few, and what they should give.
struct Case {
  std::string name;
  /// 0: it is taken; 2000, 3000..: refused with a status of this category. A
  /// release of the library may say more exactly why.
  int expected;
  bool needsDevice;
  /// The status; where it is 0 but results are wrong, -1, and `note` says how.
  int (*run)(Library &library, std::string &note);
};

std::vector<Case> refusals(); // and what is taken beside them
std::vector<Case> values();

} // namespace smex::cases

#endif
