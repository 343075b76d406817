#include "test/emulated/cuda/Cases.h"

#include <thread>

using namespace smex::emulated;

namespace {

/// A first result, and what the end of the capture gives then.
Results captured(Cuda &c, const std::function<int()> &call) {
  if (int result = c.begin())
    return {-1, result};
  const int result = call();
  return {result, c.end()};
}

} // namespace

const std::vector<Case> &smex::emulated::cases() {
  static uint64_t memory = 0;
  static void *handle = nullptr;
  static std::vector<unsigned> host(64);
  static const std::vector<Case> all = {
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
      {"a graph of two streams, launched three times",
       {0, 0, 0, 0, 0, 8},
       [](Cuda &c) -> Results {
         if (c.begin() || c.launch(c.b, c.a, c.first) || !c.fork() ||
             c.launch(c.a, c.b, c.second) || !c.joined() ||
             c.launch(c.b, c.a, c.first))
           return {-1};
         const int ended = c.end(),
                   made = c.cuGraphInstantiateWithFlags(&c.exec, c.graph, 0),
                   uploaded = c.cuGraphUpload(c.exec, c.first);
         int launched = 0;
         for (int i = 0; i < 3 && !launched; ++i)
           launched = c.cuGraphLaunch(c.exec, c.first);
         const int waited = c.cuStreamSynchronize(c.first);
         c.cuMemcpyDtoH_v2(host.data(), c.b, 256);
         return {ended, made, uploaded, launched, waited, int(host[0])};
       }},
      {"waiting for a stream that is captured",
       {900, 901},
       [](Cuda &c) -> Results {
         return captured(c, [&] { return c.cuStreamSynchronize(c.first); });
       }},
      {"asking for a stream that is captured",
       {900, 901},
       [](Cuda &c) -> Results {
         return captured(c, [&] { return c.cuStreamQuery(c.first); });
       }},
      {"waiting for a context of which a stream is captured",
       {900, 901},
       [](Cuda &c) -> Results {
         return captured(c, [&] { return c.cuCtxSynchronize(); });
       }},
      {"taking memory in the thread that captures",
       {900, 901},
       [](Cuda &c) -> Results {
         return captured(c, [&] { return c.cuMemAlloc_v2(&memory, 8); });
       }},
      {"waiting in a capture for an event from before it",
       {905, 901},
       [](Cuda &c) -> Results {
         c.cuEventRecord(c.join, c.first);
         return captured(
             c, [&] { return c.cuStreamWaitEvent(c.first, c.join, 0); });
       }},
      {"asking for an event of a capture",
       {907, 901},
       [](Cuda &c) -> Results {
         if (c.begin(2) || c.cuEventRecord(c.event, c.first))
           return {-1};
         const int result = c.cuEventQuery(c.event);
         return {result, c.end()};
       }},
      {"a fork that is not joined",
       {904},
       [](Cuda &c) -> Results {
         if (c.begin() || !c.fork() || c.launch(c.b, c.a, c.second))
           return {-1};
         return {c.end()};
       }},
      {"two captures that would merge",
       {902, 901},
       [](Cuda &c) -> Results {
         return captured(c, [&] {
           c.cuStreamBeginCapture_v2(c.second, 1);
           c.cuEventRecord(c.event, c.first);
           return c.cuStreamWaitEvent(c.second, c.event, 0);
         });
       }},
      {"a capture that ends in another stream",
       {903, 901},
       [](Cuda &c) -> Results {
         return captured(c, [&] {
           c.fork();
           return c.cuStreamEndCapture(c.second, &c.graph);
         });
       }},
      {"a capture that ends in another thread",
       {908, 0},
       [](Cuda &c) -> Results {
         return captured(c, [&] {
           int result = 0;
           std::thread([&] {
             c.cuCtxSetCurrent(c.context);
             result = c.end();
           }).join();
           return result;
         });
       }},
      {"a capture in a capture",
       {401, 0},
       [](Cuda &c) -> Results {
         return captured(c, [&] { return c.begin(); });
       }},
      {"capturing the legacy stream",
       {900},
       [](Cuda &c) -> Results {
         return {c.cuStreamBeginCapture_v2(nullptr, 1)};
       }},
      {"the legacy stream beside a capture that it orders with",
       {906},
       [](Cuda &c) -> Results {
         if (c.cuStreamCreate(&handle, 0) ||
             c.cuStreamBeginCapture_v2(handle, 1))
           return {-1};
         return {c.cuMemsetD8Async(c.a, 0, 8, nullptr)};
       }},
      {"the end of no capture",
       {401},
       [](Cuda &c) -> Results { return {c.end()}; }},
  };
  return all;
}
