// The emulated driver, through its entry points.
#include "test/emulated/cuda/Child.h"
#include "test/emulated/cuda/Session.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace smex::emulated;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

TEST_CASE("copies and launches in order") {
  for (const char *seed : {"0", "1", "77"})
    CHECK(inChild({{"SMEX_EMULATED_SEED", seed}}, [] {
            Session s;
            if (std::string error = s.open(); !error.empty())
              return error;
            std::vector<uint32_t> in(64, 5), out(64);
            NEED(cuMemcpyHtoDAsync_v2(s.a, in.data(), 256, s.first));
            in.assign(64, 9); // not pinned: the copy has its bytes already
            for (int i = 0; i < 10; ++i) {
              NEED(s.increment(s.b, s.a, s.first));
              NEED(cuEventRecord(s.event, s.first));
              NEED(cuStreamWaitEvent(s.second, s.event, 0));
              NEED(s.increment(s.a, s.b, s.second));
              NEED(cuEventRecord(s.event, s.second));
              NEED(cuStreamWaitEvent(s.first, s.event, 0));
            }
            NEED(cuMemcpyDtoHAsync_v2(out.data(), s.a, 256, s.first));
            return numbers({out[0], out[63]});
          }) == "25 25 ");
}

TEST_CASE("a missing event is a race of streams") {
  for (const char *seed : {"0", "3"}) {
    std::string output = inChild({{"SMEX_EMULATED_SEED", seed}}, [] {
      Session s;
      if (std::string error = s.open(); !error.empty())
        return error;
      NEED(cuMemsetD32Async(s.a, 1, 64, s.first));
      NEED(cuEventRecord(s.event, s.first));
      NEED(s.increment(s.b, s.a, s.first));
      NEED(cuStreamWaitEvent(s.second, s.event, 0)); // before the launch
      NEED(cuMemsetD8Async(s.b + 20, 0, 8, s.second));
      cuStreamSynchronize(s.first);
      std::string result = std::to_string(cuStreamSynchronize(s.second));
      return "result " + result + ", then " +
             std::to_string(cuMemAlloc_v2(&s.a, 8));
    });
    CHECK_THAT(output, Contains("two streams race") &&
                           Contains("a fill of 8 bytes in stream 65") &&
                           Contains("\n  kernel increment, block (0, 0, 0), "
                                    "thread (5, 0, 0), PTX line 18: "
                                    "st.global.u32") &&
                           Contains("a launch of increment in stream 64") &&
                           Contains("result 719, then 719"));
  }
}

TEST_CASE("the default stream waits for blocking streams, they for it") {
  auto run = [](unsigned flags) {
    return inChild({{"SMEX_EMULATED_SEED", "5"}}, [=] {
      Session s;
      if (std::string error = s.open(); !error.empty())
        return error;
      void *stream;
      NEED(cuStreamCreate(&stream, flags));
      NEED(cuMemsetD32Async(s.a, 1, 64, nullptr));
      NEED(s.increment(s.b, s.a, stream));
      NEED(s.increment(s.a, s.b, nullptr));
      return std::to_string(cuCtxSynchronize());
    });
  };
  CHECK(run(0) == "0");
  CHECK_THAT(run(1), Contains("error") && Contains("719"));
}

TEST_CASE("launches are recorded") {
  const std::string file = "/tmp/record-" + std::to_string(getpid());
  CHECK(inChild({{"SMEX_EMULATED_RECORD", file}}, [] {
          Session s;
          if (std::string error = s.open(); !error.empty())
            return error;
          NEED(cuMemsetD8Async(s.a, 0, 256, s.first));
          NEED(s.increment(s.b, s.a, s.first));
          return std::string("launched");
        }) == "launched");
  std::ifstream stream(file);
  std::string line, more;
  REQUIRE(std::getline(stream, line));
  CHECK_THAT(line,
             StartsWith("{\"kernel\": \"increment\", \"grid\": [1, 1, 1], "
                        "\"block\": [64, 1, 1], \"parameters\": [") &&
                 EndsWith(", 64]}"));
  CHECK_FALSE(std::getline(stream, more));
  std::remove(file.c_str());
}

TEST_CASE("CUDA_VISIBLE_DEVICES") {
  // The number of devices, and the last byte of each one's UUID.
  const auto visible = [](const std::string &list) {
    return inChild(
        {{"SMEX_EMULATED_DEVICES", "4"}, {"CUDA_VISIBLE_DEVICES", list}}, [] {
          int count = 0;
          NEED(cuInit(0));
          NEED(cuDeviceGetCount(&count));
          std::string text = std::to_string(count) + ":";
          for (int d = 0; d < count; ++d) {
            char uuid[16];
            NEED(cuDeviceGetUuid_v2(uuid, d));
            text += " " + std::to_string(uuid[15]);
          }
          return text;
        });
  };
  CHECK(visible("2,0") == "2: 2 0");
  CHECK(visible("3,9,1") == "1: 3");
  for (const char *none : {"", "-1", "GPU-12345678"})
    CHECK(inChild(
              {{"SMEX_EMULATED_DEVICES", "4"}, {"CUDA_VISIBLE_DEVICES", none}},
              [] { return std::to_string(cuInit(0)); }) == "100");
}

TEST_CASE("the environment sets devices, driver, architecture and peers") {
  CHECK_THAT(inChild({{"SMEX_EMULATED_DEVICES", "3"},
                      {"SMEX_EMULATED_DRIVER", "12040"},
                      {"SMEX_EMULATED_ARCH", "86"},
                      {"SMEX_EMULATED_PEER", "0"}},
                     [] {
                       int count, version, major, minor, can;
                       char name[64];
                       int before = cuDeviceGetCount(&count);
                       NEED(cuInit(0));
                       NEED(cuDeviceGetCount(&count));
                       NEED(cuDriverGetVersion(&version));
                       NEED(cuDeviceGetAttribute(&major, 75, 2));
                       NEED(cuDeviceGetAttribute(&minor, 76, 2));
                       NEED(cuDeviceCanAccessPeer(&can, 0, 1));
                       NEED(cuDeviceGetName(name, 64, 2));
                       return numbers({uint32_t(before), uint32_t(count),
                                       uint32_t(version), uint32_t(major),
                                       uint32_t(minor), uint32_t(can)}) +
                              name;
                     }),
             EndsWith("\n3 3 12040 8 6 0 emulated sm_86 device"));
  CHECK(inChild({{"SMEX_EMULATED_DEVICES", "3"},
                 {"SMEX_EMULATED_ARCH", "90,80"},
                 {"CUDA_VISIBLE_DEVICES", "1,2,0"}},
                [] {
                  int first, second, third;
                  NEED(cuInit(0));
                  NEED(cuDeviceGetAttribute(&first, 75, 0));
                  NEED(cuDeviceGetAttribute(&second, 75, 1));
                  NEED(cuDeviceGetAttribute(&third, 75, 2));
                  return numbers(
                      {uint32_t(first), uint32_t(second), uint32_t(third)});
                }) == "8 8 9 ");
  CHECK(inChild({{"SMEX_EMULATED_DEVICES", "0"}},
                [] { return std::to_string(cuInit(0)); }) == "100");
}

TEST_CASE("a call fails where the environment says so") {
  CHECK(inChild({{"SMEX_EMULATED_FAIL_AT",
                  "cuMemAlloc_v2:3:2,cuStreamSynchronize:1:214"}},
                [] {
                  Session s;
                  if (std::string error = s.open(); !error.empty())
                    return error;
                  uint64_t more;
                  int third = cuMemAlloc_v2(&more, 8);
                  int fourth = cuMemAlloc_v2(&more, 8);
                  return numbers({uint32_t(third), uint32_t(fourth),
                                  uint32_t(cuStreamSynchronize(s.first))});
                }) == "2 0 214 ");
}

TEST_CASE("errors of a device stay in its context, and others do not") {
  // What two launches, an allocation and another device's one return, where the
  // first launch is made to fail.
  const auto after = [](const std::string &result) {
    return inChild({{"SMEX_EMULATED_DEVICES", "2"},
                    {"SMEX_EMULATED_FAIL_AT", "cuLaunchKernel:1:" + result}},
                   [] {
                     Session s;
                     if (std::string error = s.open(); !error.empty())
                       return error;
                     const uint32_t zeros[64] = {};
                     NEED(cuMemcpyHtoD_v2(s.a, zeros, sizeof zeros));
                     const int first = s.increment(s.b, s.a, s.first);
                     const int second = s.increment(s.b, s.a, s.first);
                     uint64_t more;
                     const int third = cuMemAlloc_v2(&more, 8);
                     void *other = nullptr;
                     NEED(cuDevicePrimaryCtxRetain(&other, 1));
                     NEED(cuCtxSetCurrent(other));
                     return numbers({uint32_t(first), uint32_t(second),
                                     uint32_t(third),
                                     uint32_t(cuMemAlloc_v2(&more, 8))});
                   });
  };
  for (const char *stays : {"214", "220", "226", "700", "702", "710", "714",
                            "715", "716", "717", "718", "719", "721"})
    CHECK(after(stays) ==
          std::string(stays) + " " + stays + " " + stays + " 0 ");
  for (const char *passes : {"1", "2", "701", "801", "999"})
    CHECK(after(passes) == std::string(passes) + " 0 0 0 ");
}

TEST_CASE("cuGetProcAddress, with a symbol that is missing") {
  CHECK(
      inChild({{"SMEX_EMULATED_MISSING", "cuMemcpyPeerAsync"}}, [] {
        void *function = nullptr;
        int status = 5;
        NEED(cuGetProcAddress_v2("cuMemAlloc", &function, 13000, 0, &status));
        bool same = function == reinterpret_cast<void *>(&cuMemAlloc_v2);
        int missing = cuGetProcAddress_v2("cuMemcpyPeerAsync", &function, 13000,
                                          0, &status);
        return numbers({same, uint32_t(missing), uint32_t(status), !function});
      }) == "1 0 1 1 ");
}

TEST_CASE("modules that are refused say why") {
  std::string output = inChild({{"SMEX_EMULATED_ARCH", "75"}}, [] {
    void *context, *module;
    NEED(cuInit(0));
    NEED(cuDevicePrimaryCtxRetain(&context, 0));
    NEED(cuCtxSetCurrent(context));
    char log[200] = "";
    int options[] = {5, 6};
    void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
    int newer = cuModuleLoadDataEx(&module, text, 2, options, values);
    int broken = cuModuleLoadDataEx(
        &module, ".version 8.0\n.target sm_70\nfrob", 2, options, values);
    int cubin = cuModuleLoadData(&module, "\x7f"
                                          "ELF...");
    int version = cuModuleLoadData(&module, ".version 9.9\n.target sm_70\n");
    return numbers({uint32_t(newer), uint32_t(broken), uint32_t(cubin),
                    uint32_t(version)}) +
           log;
  });
  CHECK_THAT(output, Contains("209 218 200 222 PTX line 3"));
}

TEST_CASE("host functions run in their turn, and may wait for other threads") {
  CHECK(inChild({}, [] {
          Session s;
          if (std::string error = s.open(); !error.empty())
            return error;
          static std::vector<uint32_t> *order;
          std::vector<uint32_t> seen;
          order = &seen;
          auto push = [](void *value) {
            order->push_back(*static_cast<uint32_t *>(value));
          };
          uint32_t one = 1, two = 2;
          NEED(cuLaunchHostFunc(s.first, push, &one));
          NEED(cuEventRecord(s.event, s.first));
          NEED(cuStreamWaitEvent(s.second, s.event, 0));
          NEED(cuLaunchHostFunc(s.second, push, &two));
          NEED(cuStreamSynchronize(s.second));
          return numbers(seen);
        }) == "1 2 ");
}

TEST_CASE("several threads submit and wait") {
  CHECK(inChild({{"SMEX_EMULATED_SEED", "9"}}, [] {
          Session s;
          if (std::string error = s.open(); !error.empty())
            return error;
          std::vector<uint32_t> results(4);
          std::vector<std::thread> threads;
          for (unsigned t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
              uint64_t memory;
              void *stream;
              std::vector<uint32_t> out(64);
              if (cuCtxSetCurrent(s.context) || cuMemAlloc_v2(&memory, 256) ||
                  cuStreamCreate(&stream, 1) ||
                  cuMemsetD32Async(memory, t, 64, stream))
                return;
              for (int i = 0; i < 50; ++i)
                if (s.increment(memory, memory, stream))
                  return;
              while (cuStreamQuery(stream) == 600) {
              }
              if (!cuMemcpyDtoHAsync_v2(out.data(), memory, 256, stream))
                results[t] = out[63];
            });
          for (std::thread &each : threads)
            each.join();
          return numbers(results);
        }) == "50 51 52 53 ");
}
