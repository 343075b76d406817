// What an emulated library puts on streams.
#include "test/emulated/cuda/LibraryWork.h"
#include "test/emulated/cuda/Child.h"
#include "test/emulated/cuda/Functions.h"
#include "test/emulated/cuda/Results.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>
#include <vector>

SMEX_CUDA_FUNCTIONS(SMEX_CUDA_DECLARE)

using namespace smex::emulated;
using Catch::Matchers::Contains;

namespace {

#define NEED(call)                                                             \
  if (int result_ = (call))                                                    \
  return std::string(#call " gave ") + std::to_string(result_) + "\n"

constexpr unsigned count = 16;

struct Session {
  const DriverCalls *driver = DriverCalls::get();
  void *context = nullptr, *first = nullptr, *second = nullptr,
       *event = nullptr;
  uint64_t a = 0, b = 0;

  std::string open() {
    if (!driver)
      return "no emulated driver\n";
    NEED(cuInit(0));
    NEED(cuDevicePrimaryCtxRetain(&context, 0));
    NEED(cuCtxSetCurrent(context));
    NEED(cuMemAlloc_v2(&a, 4 * count));
    NEED(cuMemAlloc_v2(&b, 4 * count));
    NEED(cuStreamCreate(&first, 1));
    NEED(cuStreamCreate(&second, 1));
    NEED(cuEventCreate(&event, 2));
    return "";
  }
  /// b = 2 a
  int twice(void *stream, unsigned elements = count) {
    return submitWork(*driver, stream, "twice", [=](DeviceView &view) {
      const auto *from = view.read<float>(a, elements);
      auto *to = view.write<float>(b, elements);
      for (unsigned i = 0; i < elements; ++i)
        to[i] = 2 * from[i];
    });
  }
  int fill() {
    const std::vector<float> values(count, 3);
    return cuMemcpyHtoDAsync_v2(a, values.data(), 4 * count, first);
  }
};

/// Runs `body` in a child, once for each of some orders.
std::vector<std::string>
inOrders(const std::function<std::string(Session &)> &body,
         std::map<std::string, std::string> environment = {}) {
  std::vector<std::string> outputs;
  for (const char *seed : {"0", "1", "77"}) {
    environment["SMEX_EMULATED_SEED"] = seed;
    outputs.push_back(inChild(environment, [&] {
      Session s;
      if (std::string error = s.open(); !error.empty())
        return error;
      return body(s);
    }));
  }
  return outputs;
}

} // namespace

TEST_CASE("a library's work takes its turn in the stream") {
  for (const std::string &output : inOrders([](Session &s) -> std::string {
         std::vector<float> out(count);
         NEED(s.fill());
         NEED(s.twice(s.first));
         NEED(cuEventRecord(s.event, s.first));
         NEED(cuStreamWaitEvent(s.second, s.event, 0));
         NEED(cuMemcpyDtoHAsync_v2(out.data(), s.b, 4 * count, s.second));
         return std::to_string(int(out.front() + out.back()));
       }))
    CHECK(output == "12");
}

TEST_CASE("a library's work takes part in races") {
  for (const std::string &output : inOrders([](Session &s) -> std::string {
         NEED(s.fill());
         NEED(s.twice(s.first));
         NEED(cuMemsetD8Async(s.b, 0, 4, s.second));
         cuStreamSynchronize(s.first);
         return "result " + std::to_string(cuStreamSynchronize(s.second));
       }))
    CHECK_THAT(output, Contains("two streams race") &&
                           Contains("twice in stream") &&
                           Contains("result 719"));
}

TEST_CASE("a library's work that reads what nobody has written") {
  for (const std::string &output : inOrders([](Session &s) -> std::string {
         NEED(s.twice(s.first));
         return "result " + std::to_string(cuStreamSynchronize(s.first));
       }))
    CHECK_THAT(output, Contains("nobody has written byte 0 of them") &&
                           Contains("result 719"));
}

TEST_CASE("a library's work that leaves its allocation") {
  for (const std::string &output : inOrders([](Session &s) -> std::string {
         NEED(s.fill());
         NEED(s.twice(s.first, 1000));
         return "result " + std::to_string(cuStreamSynchronize(s.first));
       }))
    CHECK_THAT(output, Contains("4000 bytes at") &&
                           Contains("are read, which are not in one "
                                    "allocation") &&
                           Contains("result 700"));
}

TEST_CASE("a library's work on memory that its device does not reach") {
  const auto outputs = inOrders(
      [](Session &s) -> std::string {
        void *other = nullptr, *stream = nullptr;
        NEED(s.fill());
        NEED(cuStreamSynchronize(s.first));
        NEED(cuDevicePrimaryCtxRetain(&other, 1));
        NEED(cuCtxSetCurrent(other));
        NEED(cuStreamCreate(&stream, 1));
        if (s.driver->deviceOf(stream) != 1 || s.driver->deviceOf(nullptr) != 1)
          return "another device";
        NEED(s.twice(stream));
        return "result " + std::to_string(cuStreamSynchronize(stream));
      },
      {{"SMEX_EMULATED_DEVICES", "2"}});
  for (const std::string &output : outputs)
    CHECK_THAT(output,
               Contains("out of this one's reach") && Contains("result 700"));
}

TEST_CASE("work waits until it is ready, and its stream with it") {
  for (const std::string &output : inOrders([](Session &s) -> std::string {
         std::atomic<bool> isReady{false};
         std::vector<float> out(count);
         NEED(s.fill());
         NEED(submitWork(
             *s.driver, s.first, "a message", [](DeviceView &) {},
             [&] { return isReady.load(); }));
         NEED(s.twice(s.first));
         if (cuStreamQuery(s.first) != ERROR_NOT_READY)
           return "it did not wait";
         std::thread later([&] { isReady = true; });
         NEED(cuMemcpyDtoHAsync_v2(out.data(), s.b, 4 * count, s.first));
         later.join();
         return std::to_string(int(out.front() + out.back()));
       }))
    CHECK(output == "12");
}

TEST_CASE("what a library says while it is called") {
  const auto outputs = inOrders(
      [](Session &s) -> std::string {
        s.driver->report("a refusal");
        const int first = s.driver->call("libraryFunction");
        const int second = s.driver->call("libraryFunction");
        return std::to_string(first) + " " + std::to_string(second) + " " +
               std::to_string(s.driver->bytesFrom(s.a + 4)) + " " +
               std::to_string(s.driver->bytesFrom(16));
      },
      {{"SMEX_EMULATED_FAIL_AT", "libraryFunction:2:7"}});
  for (const std::string &output : outputs)
    CHECK_THAT(output, Contains("a refusal") && Contains("0 7 60 0"));
}
