// Memory of emulated devices: how much there is, and who may touch which.
#include "test/emulated/cuda/Child.h"
#include "test/emulated/cuda/Session.h"

#include <catch2/catch.hpp>

#include <unistd.h>
#include <vector>

using namespace smex::emulated;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

TEST_CASE("a launch out of bounds poisons its context") {
  std::string output = inChild({}, [] {
    Session s;
    if (std::string error = s.open(); !error.empty())
      return error;
    NEED(cuMemsetD8Async(s.a, 0, 256, s.first));
    NEED(s.increment(s.b, s.a, s.first, 65));
    int first = cuStreamSynchronize(s.first);
    int second = cuStreamSynchronize(s.second);
    int third = cuMemFree_v2(s.a);
    return numbers({uint32_t(first), uint32_t(second), uint32_t(third)});
  });
  CHECK_THAT(output,
             Contains("kernel increment, block (0, 0, 0), thread (64") &&
                 Contains("PTX line 15: ld.global.u32 %r3, [%rd4];") &&
                 Contains("emulated") && Contains("700 700 700"));
}

TEST_CASE("freeing memory waits, and says what went wrong") {
  CHECK_THAT(inChild({},
                     [] {
                       Session s;
                       if (std::string error = s.open(); !error.empty())
                         return error;
                       NEED(cuMemsetD8Async(s.a, 0, 256, s.first));
                       NEED(s.increment(s.b, s.a, s.first, 65));
                       return "freed: " + std::to_string(cuMemFree_v2(s.a));
                     }),
             Contains("freed: 700"));
}

TEST_CASE("host code that touches device memory") {
  std::string log = "/tmp/emulated-" + std::to_string(getpid()) + ".log";
  std::string output = inChild({{"SMEX_EMULATED_LOG", log}}, [] {
    Session s;
    if (std::string error = s.open(); !error.empty())
      return error;
    return std::to_string(*reinterpret_cast<volatile int *>(s.b + 4));
  });
  CHECK_THAT(output, Contains("host code touches device memory") &&
                         Contains("byte 516 of device 0") &&
                         Contains("signal 11"));
  std::remove(log.c_str());
}

TEST_CASE("memory runs out, and comes back") {
  CHECK_THAT(inChild({{"SMEX_EMULATED_MEMORY", "65536"}},
                     [] {
                       Session s;
                       if (std::string error = s.open(); !error.empty())
                         return error;
                       uint64_t more = 0, other = 0;
                       size_t available = 0, total = 0;
                       NEED(cuMemGetInfo_v2(&available, &total));
                       NEED(cuMemAlloc_v2(&more, available));
                       int full = cuMemAlloc_v2(&other, 1);
                       NEED(cuMemFree_v2(more));
                       NEED(cuMemAlloc_v2(&other, 1));
                       return numbers({uint32_t(available), uint32_t(full)});
                     }),
             EndsWith("\n64512 2 "));
}

TEST_CASE("another process has some of the memory") {
  CHECK_THAT(inChild({{"SMEX_EMULATED_MEMORY", "65536"},
                      {"SMEX_EMULATED_USED", "32768"}},
                     [] {
                       Session s;
                       if (std::string error = s.open(); !error.empty())
                         return error;
                       uint64_t more = 0;
                       size_t available = 0, total = 0;
                       NEED(cuMemGetInfo_v2(&available, &total));
                       int full = cuMemAlloc_v2(&more, available + 1);
                       NEED(cuMemAlloc_v2(&more, available));
                       return numbers({uint32_t(available), uint32_t(total),
                                       uint32_t(full)});
                     }),
             EndsWith("\n31744 65536 2 "));
}

TEST_CASE("devices reach each other's memory only as peers") {
  auto run = [](bool enable) {
    return inChild({{"SMEX_EMULATED_DEVICES", "2"}}, [=] {
      Session s;
      if (std::string error = s.open(); !error.empty())
        return error;
      void *other;
      uint64_t far = 0;
      NEED(cuDevicePrimaryCtxRetain(&other, 1));
      NEED(cuCtxSetCurrent(other));
      NEED(cuMemAlloc_v2(&far, 256));
      NEED(cuMemsetD32Async(far, 6, 64, nullptr));
      NEED(cuStreamSynchronize(nullptr));
      NEED(cuCtxSetCurrent(s.context));
      std::vector<uint32_t> out(64);
      NEED(cuMemcpyPeerAsync(s.a, s.context, far, other, 128, s.first));
      if (enable)
        NEED(cuCtxEnablePeerAccess(other, 0));
      NEED(s.increment(s.b, far, s.first));
      if (int result = cuStreamSynchronize(s.first))
        return std::to_string(result);
      NEED(cuMemcpyDtoH_v2(out.data(), s.b, 256));
      return numbers({out[63]});
    });
  };
  CHECK(run(true) == "7 ");
  CHECK_THAT(run(false), Contains("in the memory of device 1") &&
                             Contains("peer access is not enabled") &&
                             Contains("700"));
}

TEST_CASE("buffers of an arena") {
  CHECK_THAT(inChild({},
                     [] {
                       Session s;
                       if (std::string error = s.open(); !error.empty())
                         return error;
                       uint64_t arena;
                       NEED(cuMemAlloc_v2(&arena, 1024));
                       NEED(cuMemsetD8Async(arena, 0, 1024, s.first));
                       NEED(smexEmulatedAddBuffer(arena, 256, "x"));
                       NEED(s.increment(s.b, arena + 4, s.first));
                       return std::to_string(cuStreamSynchronize(s.first));
                     }),
             Contains("the pointer is to x, 256 bytes") && Contains("700"));
}

TEST_CASE("buffers that a test knows of") {
  const auto run = [](unsigned n) {
    return inChild({}, [=] {
      Session s;
      NEED(smexEmulatedKnowLaunches("buffers 0:0:128 0:128:64\n"));
      if (std::string error = s.open(); !error.empty())
        return error;
      NEED(cuMemsetD8Async(s.a, 0, 256, s.first));
      NEED(s.increment(s.b, s.a + 128, s.first, n));
      return std::to_string(cuStreamSynchronize(s.first));
    });
  };
  CHECK(run(16) == "0");
  CHECK_THAT(run(17),
             Contains("bytes 128 on of the device's memory, 64 bytes") &&
                 Contains("700"));
}

TEST_CASE("launches that a test knows: other pointers, and too far") {
  const auto run = [](bool swapped, unsigned n) {
    return inChild({}, [=] {
      Session s;
      NEED(smexEmulatedKnowLaunches("increment 0:0:128 0:512:128\n"));
      if (std::string error = s.open(); !error.empty())
        return error;
      NEED(cuMemsetD8Async(s.a, 0, 256, s.first));
      NEED(cuMemsetD8Async(s.b, 0, 256, s.first));
      NEED(swapped ? s.increment(s.b, s.a, s.first, n)
                   : s.increment(s.a, s.b, s.first, n));
      return std::to_string(cuStreamSynchronize(s.first));
    });
  };
  CHECK(run(false, 32) == "0");
  CHECK_THAT(run(false, 33), Contains("the buffer of parameter 1, 128 bytes") &&
                                 Contains("700"));
  CHECK_THAT(
      run(true, 32),
      Contains("the launch of increment has pointers that no known one"));
}
