#include "test/emulated/cuda/Cases.h"
#include "test/emulated/cuda/Increment.h"

#include <vector>

using namespace smex::emulated;

namespace {

const std::string limited = limitedPtx("7.8");

/// A kernel of `limited`; null: it was not found.
void *kernelOf(Cuda &c, const char *name) {
  void *module = nullptr, *function = nullptr;
  if (c.cuModuleLoadData(&module, limited.c_str()) ||
      c.cuModuleGetFunction(&function, module, name))
    return nullptr;
  return function;
}

int launchOf(Cuda &c, void *function, unsigned threads, unsigned shared = 0) {
  void *parameters[] = {&c.b};
  return c.cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, shared, c.first,
                          parameters, nullptr);
}

} // namespace

std::vector<Case> smex::emulated::callCases() {
  static uint64_t memory = 0;
  static void *handle = nullptr;
  static std::vector<unsigned> host(64);
  return {
      {"a call before cuInit",
       {3},
       [](Cuda &c) -> Results {
         int count = 0;
         return {c.cuDeviceGetCount(&count)};
       },
       false},
      {"a device that is not there",
       {101},
       [](Cuda &c) -> Results {
         int count = 0, device = 0;
         c.cuInit(0);
         c.cuDeviceGetCount(&count);
         return {c.cuDeviceGet(&device, count)};
       },
       false},
      {"memory without a context",
       {201},
       [](Cuda &c) -> Results {
         c.cuInit(0);
         return {c.cuMemAlloc_v2(&memory, 8)};
       },
       false},
      {"flags of cuInit",
       {1},
       [](Cuda &c) -> Results { return {c.cuInit(1)}; },
       false},
      {"a context that was not retained",
       {201, 0, 0, 201},
       [](Cuda &c) -> Results {
         c.cuInit(0);
         const int never = c.cuDevicePrimaryCtxRelease_v2(0),
                   retained = c.cuDevicePrimaryCtxRetain(&c.context, 0),
                   once = c.cuDevicePrimaryCtxRelease_v2(0);
         return {never, retained, once, c.cuDevicePrimaryCtxRelease_v2(0)};
       },
       false},
      {"a context that is to reach itself",
       {217},
       [](Cuda &c) -> Results {
         return {c.cuCtxEnablePeerAccess(c.context, 0)};
       }},
      {"the name of an error that there is not",
       {1, 1, 0},
       [](Cuda &c) -> Results {
         const char *text = "";
         const int result = c.cuGetErrorName(123456, &text);
         return {result, text == nullptr, c.cuGetErrorName(1, &text)};
       }},
      {"a function of the driver that there is not",
       {0, 1, 1},
       [](Cuda &c) -> Results {
         void *found = &c;
         int status = 0;
         const int result =
             c.cuGetProcAddress_v2("cuFrobnicate", &found, 12000, 0, &status);
         return {result, found == nullptr, status};
       }},
      {"a function of the driver, for a version that it has not reached",
       {1, 0, 1, 0},
       [](Cuda &c) -> Results {
         void *found = nullptr;
         int status = 0;
         const int newer = c.cuGetProcAddress_v2("cuMemAlloc", &found, 1000000,
                                                 0, &status),
                   right = c.cuGetProcAddress_v2("cuMemAlloc", &found, 12000, 0,
                                                 &status);
         return {newer, right, found != nullptr, status};
       }},
      {"a kernel that runs, and what it gives",
       {0, 0, 0, 2},
       [](Cuda &c) -> Results {
         const int launched = c.launch(c.b, c.a, c.first),
                   waited = c.cuStreamSynchronize(c.first),
                   copied = c.cuMemcpyDtoH_v2(host.data(), c.b, 256);
         return {launched, waited, copied, int(host[63])};
       }},
      {"no bytes of memory",
       {1},
       [](Cuda &c) -> Results { return {c.cuMemAlloc_v2(&memory, 0)}; }},
      {"more memory than there is",
       {2, 0},
       [](Cuda &c) -> Results {
         const int result = c.cuMemAlloc_v2(&memory, size_t(1) << 46);
         return {result, c.cuMemAlloc_v2(&memory, 8)};
       }},
      {"memory is freed by its first address",
       {1},
       [](Cuda &c) -> Results { return {c.cuMemFree_v2(c.a + 16)}; }},
      {"memory is freed once",
       {0, 1},
       [](Cuda &c) -> Results {
         const int freed = c.cuMemFree_v2(c.a);
         return {freed, c.cuMemFree_v2(c.a)};
       }},
      {"pinned memory with flags that there are not",
       {1, 0},
       [](Cuda &c) -> Results {
         const int result = c.cuMemHostAlloc(&handle, 64, 8);
         return {result, c.cuMemHostAlloc(&handle, 64, 3)};
       }},
      {"pinned memory is freed by its first address",
       {1, 0},
       [](Cuda &c) -> Results {
         c.cuMemAllocHost_v2(&handle, 64);
         const int result = c.cuMemFreeHost(static_cast<char *>(handle) + 16);
         return {result, c.cuMemFreeHost(handle)};
       }},
      {"a fill of words that begins within one",
       {1, 0},
       [](Cuda &c) -> Results {
         const int result = c.cuMemsetD32Async(c.a + 2, 0, 4, c.first);
         return {result, c.cuMemsetD32Async(c.a + 4, 0, 4, c.first)};
       }},
      {"a copy past the end of an allocation",
       {1},
       [](Cuda &c) -> Results {
         static std::vector<char> much(64 << 20);
         return {
             c.cuMemcpyHtoDAsync_v2(c.a, much.data(), much.size(), c.first)};
       }},
      {"a function that the module has not",
       {500},
       [](Cuda &c) -> Results {
         return {c.cuModuleGetFunction(&handle, c.module, "decrement")};
       }},
      {"PTX that does not compile",
       {218},
       [](Cuda &c) -> Results {
         return {c.cuModuleLoadData(
             &handle, ".version 7.8\n.target sm_80\n.address_size 64\nfrob")};
       }},
      {"PTX of a version that no driver knows",
       {222},
       [](Cuda &c) -> Results {
         return {c.cuModuleLoadData(
             &handle, ".version 99.9\n.target sm_80\n.address_size 64\n")};
       }},
      {"more threads than a block may have",
       {1, 0},
       [](Cuda &c) -> Results {
         const int result = c.launch(c.b, c.a, c.first, 1025);
         return {result, c.launch(c.b, c.a, c.first)};
       }},
      {"a grid without blocks",
       {1},
       [](Cuda &c) -> Results { return {c.launch(c.b, c.a, c.first, 64, 0)}; }},
      {"more shared memory than a kernel may have that asked for none",
       {1},
       [](Cuda &c) -> Results {
         return {c.launch(c.b, c.a, c.first, 64, 1, 49152 + 16)};
       }},
      {"the dynamic shared memory of a kernel that has static one",
       {1024, 48128, 1, 0},
       [](Cuda &c) -> Results {
         void *kernel = kernelOf(c, "reverses");
         int fixed = 0, dynamic = 0;
         c.cuFuncGetAttribute(&fixed, 1, kernel);
         c.cuFuncGetAttribute(&dynamic, 8, kernel);
         const int more = launchOf(c, kernel, 64, unsigned(dynamic) + 1);
         return {fixed, dynamic, more,
                 launchOf(c, kernel, 64, unsigned(dynamic))};
       }},
      {"more shared memory than there is, static and dynamic",
       {1, 0},
       [](Cuda &c) -> Results {
         void *kernel = kernelOf(c, "reverses");
         int most = 0;
         c.cuDeviceGetAttribute(&most, 97, 0);
         const int result = c.cuFuncSetAttribute(kernel, 8, most);
         return {result, c.cuFuncSetAttribute(kernel, 8, most - 1024)};
       }},
      {"an attribute of a function that is not to be set",
       {1},
       [](Cuda &c) -> Results {
         return {c.cuFuncSetAttribute(c.function, 0, 64)};
       }},
      {"attributes of functions that there are not",
       {1, 1},
       [](Cuda &c) -> Results {
         int value = 0;
         const int set = c.cuFuncSetAttribute(c.function, 1000, 1);
         return {set, c.cuFuncGetAttribute(&value, -1, c.function)};
       }},
      {"more threads than .maxntid",
       {1, 0},
       [](Cuda &c) -> Results {
         void *kernel = kernelOf(c, "atMost");
         const int result = launchOf(c, kernel, 65);
         return {result, launchOf(c, kernel, 63)};
       }},
      {"other threads than .reqntid",
       {1, 0},
       [](Cuda &c) -> Results {
         void *kernel = kernelOf(c, "exactly");
         const int result = launchOf(c, kernel, 63);
         return {result, launchOf(c, kernel, 64)};
       }},
      {"parameters in two ways, and in one",
       {1, 0, 2},
       [](Cuda &c) -> Results {
         struct {
           uint64_t out, in;
           unsigned n = 64;
         } values = {c.b, c.a};
         size_t size = 20;
         void *extra[] = {reinterpret_cast<void *>(1), &values,
                          reinterpret_cast<void *>(2), &size, nullptr};
         void *parameters[] = {&values.out, &values.in, &values.n};
         const auto launch = [&](void **first) {
           return c.cuLaunchKernel(c.function, 1, 1, 1, 64, 1, 1, 0, c.first,
                                   first, extra);
         };
         const int both = launch(parameters), one = launch(nullptr);
         c.cuStreamSynchronize(c.first);
         c.cuMemcpyDtoH_v2(host.data(), c.b, 256);
         return {both, one, int(host[0])};
       }},
      {"a kernel without its parameters",
       {1},
       [](Cuda &c) -> Results {
         return {c.cuLaunchKernel(c.function, 1, 1, 1, 64, 1, 1, 0, c.first,
                                  nullptr, nullptr)};
       }},
      {"a host function that is none",
       {1},
       [](Cuda &c) -> Results {
         return {c.cuLaunchHostFunc(c.first, nullptr, nullptr)};
       }},
      {"an address that is none, and every call after it",
       {0, 700, 700},
       [](Cuda &c) -> Results {
         const int launched = c.launch(c.b, 64, c.first),
                   waited = c.cuStreamSynchronize(c.first);
         return {launched, waited, c.cuMemAlloc_v2(&memory, 8)};
       }},
      {"a misaligned address, and every call after it",
       {0, 716, 716},
       [](Cuda &c) -> Results {
         const int launched = c.launch(c.b, c.a + 2, c.first),
                   waited = c.cuStreamSynchronize(c.first);
         return {launched, waited, c.cuMemAlloc_v2(&memory, 8)};
       }},
      {"flags of streams and events that there are not",
       {1, 1},
       [](Cuda &c) -> Results {
         const int stream = c.cuStreamCreate(&handle, 1 << 20);
         return {stream, c.cuEventCreate(&handle, 1 << 20)};
       }},
      {"an event of several processes that has timing",
       {1, 0},
       [](Cuda &c) -> Results {
         const int result = c.cuEventCreate(&handle, 4);
         return {result, c.cuEventCreate(&handle, 2)};
       }},
      {"waiting for an event from outside of a graph, in no capture",
       {401, 0},
       [](Cuda &c) -> Results {
         c.cuEventRecord(c.event, c.first);
         const int result = c.cuStreamWaitEvent(c.second, c.event, 1);
         return {result, c.cuStreamWaitEvent(c.second, c.event, 0)};
       }},
      {"an event that was never recorded",
       {0, 0, 0},
       [](Cuda &c) -> Results {
         const int queried = c.cuEventQuery(c.event),
                   waited = c.cuStreamWaitEvent(c.first, c.event, 0);
         return {queried, waited, c.cuStreamSynchronize(c.first)};
       }},
      {"the time between events without timing",
       {400},
       [](Cuda &c) -> Results {
         float milliseconds = 0;
         c.cuEventRecord(c.event, c.first);
         c.cuEventRecord(c.join, c.first);
         c.cuStreamSynchronize(c.first);
         return {c.cuEventElapsedTime(&milliseconds, c.event, c.join)};
       }},
      {"the time between events that were never recorded",
       {400},
       [](Cuda &c) -> Results {
         float milliseconds = 0;
         void *start = nullptr, *stop = nullptr;
         c.cuEventCreate(&start, 0);
         c.cuEventCreate(&stop, 0);
         return {c.cuEventElapsedTime(&milliseconds, start, stop)};
       }},
  };
}
