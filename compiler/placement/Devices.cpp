#include "compiler/placement/Devices.h"
#include "compiler/placement/TaskGraph.h"

#include <cmath>

using namespace smex;
using namespace smex::placement;

std::optional<int64_t> Devices::usableBytes() const {
  if (!memoryBytes)
    return std::nullopt;
  // What is kept free is no byte less than the share, but for the rounding of
  // the product itself: a tenth of 300 is 30.
  const double kept = double(*memoryBytes) * spare;
  const int64_t all = *memoryBytes - int64_t(std::ceil(kept * (1 - 1e-15)));
  const auto ofDevice = [this](int64_t bytes) {
    return bytes > kMostBytes / gpusEach ? kMostBytes : bytes * gpusEach;
  };
  if (!needed || needed(all) <= all)
    return ofDevice(all);
  int64_t enough = 0, tooMuch = all;
  while (tooMuch - enough > 1) {
    const int64_t between = enough + (tooMuch - enough) / 2;
    (needed(between) <= all ? enough : tooMuch) = between;
  }
  return ofDevice(enough);
}

int64_t Devices::limitFor(int64_t bytes) const {
  Devices same = *this;
  // usableBytes() never falls as memory grows, so that halving finds the least.
  int64_t tooLittle = bytes / gpusEach - 1, enough = kMostBytes;
  while (enough - tooLittle > 1) {
    same.memoryBytes = tooLittle + (enough - tooLittle) / 2;
    (*same.usableBytes() >= bytes ? enough : tooLittle) = *same.memoryBytes;
  }
  return enough;
}

Status placement::validate(const Devices &devices) {
  if (devices.count < 1 || devices.count > kMostDevices)
    return fail("devices: ", devices.count, " of them, where 1 to ",
                kMostDevices, " may be");
  if (devices.gpusEach < 1 || devices.gpusEach > kMostDevices)
    return fail("devices: ", devices.gpusEach, " GPUs each, where 1 to ",
                kMostDevices, " may be");
  const auto isRate = [](double rate) {
    return std::isfinite(rate) && rate > 0;
  };
  if (!isRate(devices.bytesPerSecond) || !isRate(devices.hostBytesPerSecond))
    return fail("devices: bytes per second must be a positive number");
  if (!std::isfinite(devices.latencySeconds) || devices.latencySeconds < 0 ||
      devices.latencySeconds > kMostSeconds)
    return fail("devices: latency must be a number of seconds that is not "
                "negative");
  if (devices.memoryBytes &&
      (*devices.memoryBytes < 0 || *devices.memoryBytes > kMostBytes))
    return fail("devices: memory must be from 0 to 2^60 bytes, and is ",
                *devices.memoryBytes);
  if (!(devices.spare >= 0 && devices.spare < 1))
    return fail("devices: the share of memory that is kept free must be at "
                "least 0 and less than 1");
  return {};
}
