#include "compiler/placement/Devices.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace smex;
using namespace smex::placement;

TEST_CASE("a transfer takes latency and bytes over the rate") {
  Devices devices;
  devices.count = 2;
  devices.bytesPerSecond = 4, devices.hostBytesPerSecond = 2;
  devices.latencySeconds = 0.5;
  CHECK(devices.transferSeconds(8, 0, 1) == 2.5);
  CHECK(devices.transferSeconds(8, 1, devices.host()) == 4.5);
  CHECK(devices.transferSeconds(8, 1, 1) == 0);
  CHECK(devices.transferSeconds(0, 0, 1) == 0.5);
  CHECK(devices.transferSeconds(8) == 2.5);
}

TEST_CASE("a share of memory is kept free") {
  Devices devices;
  CHECK(!devices.usableBytes());
  // Whole limits are exact, also where a double is not.
  devices.memoryBytes = (int64_t(1) << 59) + 1;
  CHECK(devices.usableBytes() == devices.memoryBytes);
  devices.memoryBytes = 1000, devices.spare = 0.1;
  CHECK(devices.usableBytes() == 900);
  // Of a part of a byte, all of it; but not of what rounding adds.
  devices.memoryBytes = 16, devices.spare = 0.999;
  CHECK(devices.usableBytes() == 0);
  devices.memoryBytes = 15, devices.spare = 0.1;
  CHECK(devices.usableBytes() == 13);
  for (int64_t memory : {100, 1000, 100'000}) {
    devices.memoryBytes = memory, devices.spare = 0.07;
    CHECK(devices.usableBytes() == memory / 100 * 93);
  }
}

TEST_CASE("the least limit for so many bytes") {
  Devices devices;
  const auto more = [](int64_t bytes) { return bytes + bytes / 16 + 64; };
  for (const auto &[spare, isPlanned] :
       std::vector<std::pair<double, bool>>{{0, false},
                                            {0.1, false},
                                            {0.25, false},
                                            {0.9, false},
                                            {0, true},
                                            {0.1, true}}) {
    devices.spare = spare;
    devices.needed = nullptr;
    if (isPlanned)
      devices.needed = more;
    for (int64_t bytes : {0, 1, 7, 100, 12345}) {
      CAPTURE(spare, isPlanned, bytes);
      devices.memoryBytes = devices.limitFor(bytes);
      CHECK(*devices.usableBytes() >= bytes);
      if (bytes > 0) {
        --*devices.memoryBytes;
        CHECK(*devices.usableBytes() < bytes);
      }
    }
  }
}

TEST_CASE("what plans take besides is no room for tasks") {
  Devices devices;
  devices.needed = [](int64_t bytes) { return bytes + bytes / 16 + 64; };
  CHECK(!devices.usableBytes());
  devices.memoryBytes = 64 + 160 + 10;
  CHECK(devices.usableBytes() == 160);
  devices.memoryBytes = 63;
  CHECK(devices.usableBytes() == 0);
}

TEST_CASE("devices out of range are told") {
  const auto wrong = [](auto change) {
    Devices devices;
    change(devices);
    const Status status = validate(devices);
    return status ? "" : status.error().message;
  };
  using Catch::Matchers::Contains;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(wrong([](Devices &) {}) == "");
  for (int count : {0, -1, 4097})
    CHECK_THAT(wrong([=](Devices &d) { d.count = count; }),
               Contains("1 to 4096"));
  for (double rate : {0.0, -1.0, nan, infinity}) {
    CHECK_THAT(wrong([=](Devices &d) { d.bytesPerSecond = rate; }),
               Contains("bytes per second"));
    CHECK_THAT(wrong([=](Devices &d) { d.hostBytesPerSecond = rate; }),
               Contains("bytes per second"));
  }
  for (double latency : {-1.0, nan, infinity})
    CHECK_THAT(wrong([=](Devices &d) { d.latencySeconds = latency; }),
               Contains("latency"));
  for (int64_t bytes : {int64_t(-1), std::numeric_limits<int64_t>::max()})
    CHECK_THAT(wrong([=](Devices &d) { d.memoryBytes = bytes; }),
               Contains("memory"));
  for (double spare : {-0.1, 1.0, nan})
    CHECK_THAT(wrong([=](Devices &d) { d.spare = spare; }),
               Contains("kept free"));
}
