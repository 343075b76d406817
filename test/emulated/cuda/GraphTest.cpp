// Captured streams and graphs of the emulated driver.
#include "test/emulated/cuda/Child.h"
#include "test/emulated/cuda/Session.h"

#include <catch2/catch.hpp>

#include <thread>

using namespace smex::emulated;
using Catch::Matchers::Contains;

namespace {

/// A session, and what captures use.
struct Capturing : Session {
  void *fork = nullptr, *join = nullptr, *graph = nullptr, *exec = nullptr;

  std::string open() {
    if (std::string error = Session::open(); !error.empty())
      return error;
    NEED(cuEventCreate(&fork, 2));
    NEED(cuEventCreate(&join, 2));
    NEED(cuMemsetD32Async(a, 1, 64, first));
    NEED(cuMemsetD32Async(b, 2, 64, first));
    NEED(cuStreamSynchronize(first));
    return "";
  }
  int begin(int mode = 1) { return cuStreamBeginCapture_v2(first, mode); }
  int end() { return cuStreamEndCapture(first, &graph); }
  int forkSecond() {
    const int recorded = cuEventRecord(fork, first);
    return recorded ? recorded : cuStreamWaitEvent(second, fork, 0);
  }
  int joinSecond() {
    const int recorded = cuEventRecord(join, second);
    return recorded ? recorded : cuStreamWaitEvent(first, join, 0);
  }
};

/// What a test says that begins a capture in a process of its own.
std::string inCapture(const std::function<std::string(Capturing &)> &body,
                      const std::string &seed = "0") {
  return inChild({{"SMEX_EMULATED_SEED", seed}}, [&]() -> std::string {
    Capturing s;
    if (std::string error = s.open(); !error.empty())
      return error;
    NEED(s.begin());
    return body(s);
  });
}

/// A first result, and what the end of the capture gives then.
std::string andThen(Capturing &s, int result) {
  const int ended = s.end();
  return numbers({uint32_t(result), uint32_t(ended), s.graph == nullptr});
}

} // namespace

TEST_CASE("a captured step is done at each launch, and not before") {
  for (const char *seed : {"0", "1", "55"})
    CHECK(inCapture(
              [](Capturing &s) -> std::string {
                NEED(s.increment(s.b, s.a, s.first));
                NEED(s.forkSecond());
                NEED(s.increment(s.a, s.b, s.second));
                NEED(s.joinSecond());
                NEED(s.increment(s.b, s.a, s.first));
                NEED(s.end());
                std::vector<uint32_t> before(64), after(64);
                NEED(cuMemcpyDtoH_v2(before.data(), s.b, 256));
                NEED(cuGraphInstantiateWithFlags(&s.exec, s.graph, 0));
                NEED(cuGraphDestroy(s.graph));
                NEED(cuGraphUpload(s.exec, s.first));
                for (int i = 0; i < 3; ++i) // in two streams, as it comes
                  NEED(cuGraphLaunch(s.exec, i == 1 ? s.second : s.first));
                NEED(cuStreamSynchronize(s.first));
                NEED(cuGraphExecDestroy(s.exec));
                NEED(cuMemcpyDtoHAsync_v2(after.data(), s.b, 256, s.first));
                return numbers({before[0], after[0], after[63]});
              },
              seed) == "2 8 8 ");
}

TEST_CASE("a missing edge in a graph is a race of streams") {
  for (const char *seed : {"0", "4"})
    CHECK_THAT(inCapture(
                   [](Capturing &s) -> std::string {
                     NEED(s.forkSecond());
                     NEED(s.increment(s.b, s.a, s.first));
                     NEED(s.increment(s.a, s.b, s.second));
                     NEED(s.joinSecond());
                     NEED(s.end());
                     NEED(cuGraphInstantiateWithFlags(&s.exec, s.graph, 0));
                     NEED(cuGraphLaunch(s.exec, s.first));
                     return std::to_string(cuStreamSynchronize(s.first));
                   },
                   seed),
               Contains("two streams race") && Contains("of a graph") &&
                   Contains("thread (0, 0, 0), PTX line 15: ld.global.u32") &&
                   Contains("thread (0, 0, 0), PTX line 18: st.global.u32") &&
                   Contains("719"));
}

TEST_CASE("a launch is before what its stream has next, and nothing else") {
  const auto run = [](bool sameStream) {
    return inCapture([=](Capturing &s) -> std::string {
      NEED(s.increment(s.b, s.a, s.first));
      NEED(s.end());
      NEED(cuGraphInstantiateWithFlags(&s.exec, s.graph, 0));
      NEED(cuGraphLaunch(s.exec, s.first));
      NEED(s.increment(s.a, s.b, sameStream ? s.first : s.second));
      NEED(cuStreamSynchronize(s.second));
      return std::to_string(cuStreamSynchronize(s.first));
    });
  };
  CHECK(run(true) == "0");
  CHECK_THAT(run(false), Contains("two streams race"));
}

TEST_CASE("waiting inside a capture is refused, and invalidates it") {
  using Call = std::function<int(Capturing &)>;
  const std::vector<std::pair<Call, std::string>> cases = {
      {[](Capturing &s) { return cuStreamSynchronize(s.first); }, "900 901 1 "},
      {[](Capturing &s) { return cuStreamQuery(s.first); }, "900 901 1 "},
      {[](Capturing &) { return cuCtxSynchronize(); }, "900 901 1 "},
      {[](Capturing &s) {
         uint64_t memory;
         (void)s;
         return cuMemAlloc_v2(&memory, 8);
       },
       "900 901 1 "},
      {[](Capturing &s) {
         static std::vector<char> values(256); // not pinned
         return cuMemcpyHtoDAsync_v2(s.a, values.data(), 256, s.first);
       },
       "900 901 1 "},
      {[](Capturing &s) { return cuStreamWaitEvent(s.first, s.event, 0); },
       "905 901 1 "},
  };
  for (const auto &[call, expected] : cases)
    CHECK_THAT(inCapture([&](Capturing &s) { return andThen(s, call(s)); }),
               Contains("emulated CUDA: error") && Contains(expected));
}

TEST_CASE("an event of a capture is nothing to wait for") {
  CHECK_THAT(
      inChild({},
              []() -> std::string {
                Capturing s;
                if (std::string error = s.open(); !error.empty())
                  return error;
                NEED(s.begin(/*relaxed*/ 2));
                NEED(cuEventRecord(s.fork, s.first));
                const std::string ended = andThen(s, cuEventQuery(s.fork));
                return ended +
                       std::to_string(cuStreamWaitEvent(s.second, s.fork, 0));
              }),
      Contains("907 901 1 907"));
}

TEST_CASE("a fork that is not joined") {
  CHECK_THAT(inCapture([](Capturing &s) -> std::string {
               NEED(s.forkSecond());
               return andThen(s, 0);
             }),
             Contains("not joined") && Contains("stricter than NVIDIA's") &&
                 Contains("0 904 1"));
}

TEST_CASE("two captures do not merge") {
  CHECK_THAT(inCapture([](Capturing &s) -> std::string {
               NEED(cuStreamBeginCapture_v2(s.second, 1));
               NEED(cuEventRecord(s.fork, s.first));
               return andThen(s, cuStreamWaitEvent(s.second, s.fork, 0));
             }),
             Contains("902 901 1"));
}

TEST_CASE("a capture ends where and by whom it began") {
  CHECK_THAT(inCapture([](Capturing &s) -> std::string {
               NEED(s.forkSecond());
               return andThen(s, cuStreamEndCapture(s.second, &s.graph));
             }),
             Contains("903 901 1"));
  CHECK_THAT(inCapture([](Capturing &s) -> std::string {
               int result = 0;
               std::thread([&] {
                 cuCtxSetCurrent(s.context);
                 result = s.end();
               }).join();
               return andThen(s, result);
             }),
             Contains("908 401 1"));
  CHECK_THAT(inCapture([](Capturing &s) -> std::string {
               return andThen(s, s.begin());
             }),
             Contains("401 0 0"));
}

TEST_CASE("an end that fails as it is told ends the capture even so") {
  CHECK(inChild({{"SMEX_EMULATED_FAIL_AT", "cuStreamEndCapture:1:999"}},
                []() -> std::string {
                  Capturing s;
                  if (std::string error = s.open(); !error.empty())
                    return error;
                  NEED(s.begin());
                  NEED(s.forkSecond());
                  NEED(s.joinSecond());
                  const int ended = s.end();
                  int first = 1, second = 1;
                  NEED(cuStreamIsCapturing(s.first, &first));
                  NEED(cuStreamIsCapturing(s.second, &second));
                  NEED(cuStreamSynchronize(s.first));
                  return numbers({uint32_t(ended), uint32_t(first),
                                  uint32_t(second), s.graph == nullptr});
                }) == "999 0 0 1 ");
}

TEST_CASE("the legacy stream is not captured, nor used beside a capture that "
          "it orders with") {
  const auto run = [](unsigned flags) {
    return inChild({}, [=]() -> std::string {
      Capturing s;
      if (std::string error = s.open(); !error.empty())
        return error;
      void *stream = nullptr;
      NEED(cuStreamCreate(&stream, flags));
      const int legacy = cuStreamBeginCapture_v2(nullptr, 1);
      NEED(cuStreamBeginCapture_v2(stream, 1));
      const int used = cuMemsetD8Async(s.a, 0, 8, nullptr);
      return numbers({uint32_t(legacy), uint32_t(used)});
    });
  };
  CHECK_THAT(run(0), Contains("900 906"));
  CHECK_THAT(run(1), Contains("900 0"));
}

TEST_CASE("other threads go on beside a capture that is not global") {
  const auto run = [](int mode) {
    return inChild({}, [=]() -> std::string {
      Capturing s;
      if (std::string error = s.open(); !error.empty())
        return error;
      NEED(s.begin(mode));
      int allocated = 0, waited = 0;
      std::thread([&] {
        uint64_t memory = 0;
        cuCtxSetCurrent(s.context);
        allocated = cuMemAlloc_v2(&memory, 8);
        waited = cuStreamSynchronize(s.second);
      }).join();
      return numbers({uint32_t(allocated), uint32_t(waited)}) +
             std::to_string(s.end());
    });
  };
  CHECK(run(1) == "0 0 0");
  CHECK(run(2) == "0 0 0");
  CHECK_THAT(run(0), Contains("900 900 901"));
}
