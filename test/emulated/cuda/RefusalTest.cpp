// Refusals that the cases (CaseList.cpp) have not: those that need two devices,
// and those that a real driver does not make.
#include "test/emulated/cuda/Child.h"
#include "test/emulated/cuda/Session.h"

#include <catch2/catch.hpp>

#include <functional>

using namespace smex::emulated;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

TEST_CASE("peer access is enabled once, and where there is any") {
  const auto run = [](const std::string &peers) {
    return inChild(
        {{"SMEX_EMULATED_DEVICES", "2"}, {"SMEX_EMULATED_PEER", peers}}, [] {
          void *first, *second;
          NEED(cuInit(0));
          NEED(cuDevicePrimaryCtxRetain(&first, 0));
          NEED(cuDevicePrimaryCtxRetain(&second, 1));
          NEED(cuCtxSetCurrent(first));
          const int flags = cuCtxEnablePeerAccess(second, 1);
          const int once = cuCtxEnablePeerAccess(second, 0);
          const int twice = cuCtxEnablePeerAccess(second, 0);
          return numbers({uint32_t(flags), uint32_t(once), uint32_t(twice)});
        });
  };
  CHECK_THAT(run("1"), EndsWith("\n1 0 704 "));
  CHECK_THAT(run("0"), EndsWith("\n1 217 217 "));
}

TEST_CASE("a launch, an event and a copy that mix up two devices") {
  CHECK_THAT(inChild({{"SMEX_EMULATED_DEVICES", "2"}},
                     [] {
                       Session s;
                       if (std::string error = s.open(); !error.empty())
                         return error;
                       void *other, *stream;
                       NEED(cuDevicePrimaryCtxRetain(&other, 1));
                       NEED(cuCtxSetCurrent(other));
                       NEED(cuStreamCreate(&stream, 1));
                       const int launched = s.increment(s.b, s.a, stream);
                       const int recorded = cuEventRecord(s.event, stream);
                       const int copied = cuMemcpyPeerAsync(
                           s.a, other, s.b, s.context, 256, stream);
                       NEED(cuMemcpyPeerAsync(s.a, s.context, s.b, s.context,
                                              256, stream));
                       return numbers({uint32_t(launched), uint32_t(recorded),
                                       uint32_t(copied)});
                     }),
             Contains("Stream and Event Behavior") &&
                 Contains("hEvent and hStream must be from the same context") &&
                 EndsWith("\n400 400 1 "));
}

TEST_CASE("what is not emulated says so") {
  using Call = std::function<int(Session &)>;
  const std::vector<std::pair<Call, std::string>> calls = {
      {[](Session &s) {
         return cuModuleLoadData(&s.module, "\x7f"
                                            "ELF...");
       },
       "200"},
      {[](Session &) {
         return cuStreamSynchronize(reinterpret_cast<void *>(2));
       },
       "801"},
      {[](Session &s) { return cuEventCreate(&s.event, 6); }, "801"},
      {[](Session &s) {
         const int begun = cuStreamBeginCapture_v2(s.first, 1);
         return begun ? begun : cuStreamWaitEvent(s.first, s.event, 1);
       },
       "801"},
      {[](Session &s) { return cuFuncSetAttribute(s.function, 11, 2); }, "1"},
      {[](Session &) {
         int value;
         return cuDeviceGetAttribute(&value, 119, 0);
       },
       "1"},
  };
  for (const auto &[call, result] : calls)
    CHECK_THAT(inChild({},
                       [&, run = call] {
                         Session s;
                         if (std::string error = s.open(); !error.empty())
                           return error;
                         return std::to_string(run(s));
                       }),
               Contains("(not emulated: ") && EndsWith("\n" + result));
}
