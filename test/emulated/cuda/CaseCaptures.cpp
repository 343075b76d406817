// Cases of captured streams and graphs.
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

std::vector<Case> smex::emulated::captureCases() {
  static uint64_t memory = 0;
  static void *handle = nullptr;
  static std::vector<unsigned> host(64);
  return {
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
       {908, 401},
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
      {"waiting for the legacy stream beside a capture that it orders with",
       {906, 901},
       [](Cuda &c) -> Results {
         if (c.cuStreamCreate(&handle, 0) ||
             c.cuStreamBeginCapture_v2(handle, 2))
           return {-1};
         const int result = c.cuStreamSynchronize(nullptr);
         return {result, c.cuStreamEndCapture(handle, &c.graph)};
       }},
      {"waiting for the legacy stream beside a capture without that",
       {0, 0},
       [](Cuda &c) -> Results {
         if (c.begin(2))
           return {-1};
         const int result = c.cuStreamSynchronize(nullptr);
         return {result, c.end()};
       }},
      {"whether the legacy stream is captured, beside one that is",
       {906, 0, 1, 0},
       [](Cuda &c) -> Results {
         if (c.cuStreamCreate(&handle, 0) ||
             c.cuStreamBeginCapture_v2(handle, 1))
           return {-1};
         int status = 0;
         const int legacy = c.cuStreamIsCapturing(nullptr, &status),
                   other = c.cuStreamIsCapturing(handle, &status);
         return {legacy, other, status, c.cuStreamEndCapture(handle, &c.graph)};
       }},
      {"whether the legacy stream is captured, beside one without its order",
       {0, 0, 0},
       [](Cuda &c) -> Results {
         if (c.begin())
           return {-1};
         int status = 5;
         const int result = c.cuStreamIsCapturing(nullptr, &status);
         return {result, status, c.end()};
       }},
      {"the time between events of a capture",
       {907, 0},
       [](Cuda &c) -> Results {
         void *start = nullptr, *stop = nullptr;
         float milliseconds = 0;
         if (c.cuEventCreate(&start, 0) || c.cuEventCreate(&stop, 0) ||
             c.cuEventRecord(start, c.first) || c.begin(2) ||
             c.cuEventRecord(stop, c.first))
           return {-1};
         const int result = c.cuEventElapsedTime(&milliseconds, start, stop);
         return {result, c.end()};
       }},
      {"a mode of captures that there is not",
       {1},
       [](Cuda &c) -> Results { return {c.begin(7)}; }},
      {"graphs that are none",
       {1, 1, 1},
       [](Cuda &c) -> Results {
         const int made = c.cuGraphInstantiateWithFlags(&c.exec, nullptr, 0),
                   launched = c.cuGraphLaunch(nullptr, c.first);
         return {made, launched, c.cuGraphDestroy(nullptr)};
       }},
      {"the end of no capture",
       {401},
       [](Cuda &c) -> Results { return {c.end()}; }},
  };
}
