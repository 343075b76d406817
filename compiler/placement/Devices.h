// What tasks are placed on: K equal devices and a host, and what it takes to
// bring data from one to another (thesis section 5.1).
#ifndef SMEX_COMPILER_PLACEMENT_DEVICES_H
#define SMEX_COMPILER_PLACEMENT_DEVICES_H

#include "dialects/support/Result.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace smex::placement {

struct Devices {
  int count = 1; // K; the host has this number, too: devices are 0 .. K-1
  /// How many GPUs each of them stands for.
  int gpusEach = 1;
  /// Between any two devices, and between a device and the host.
  double bytesPerSecond = 1e10, hostBytesPerSecond = 1e10;
  double latencySeconds = 0;
  /// Of each GPU, none: no limit.
  std::optional<int64_t> memoryBytes;
  /// What of it is kept free for what the model does not know (5.1 spares
  /// 10 %); 0 to 1.
  double spare = 0;
  /// Of plans: what a GPU needs in all where outputs and copies have so many
  /// bytes at once, not less than these, and growing. None: these.
  std::function<int64_t(int64_t bytes)> needed;

  int host() const { return count; }

  /// comm(e) of an edge whose tasks are on these; nothing on one and the same.
  double transferSeconds(int64_t bytes, int from, int to) const {
    if (from == to)
      return 0;
    const bool overHost = from == host() || to == host();
    return latencySeconds +
           double(bytes) / (overHost ? hostBytesPerSecond : bytesPerSecond);
  }
  /// comm(e) before anything is placed.
  double transferSeconds(int64_t bytes) const {
    return latencySeconds + double(bytes) / bytesPerSecond;
  }
  /// What placements may use of a device's memory, if there is a limit.
  std::optional<int64_t> usableBytes() const;
  /// The least memoryBytes of which placements may use so many bytes.
  int64_t limitFor(int64_t bytes) const;
};

constexpr int kMostDevices = 4096;

/// Counts, rates and shares in range: all are finite, rates are positive, and
/// with no number near a limit of its type (TaskGraph.h) no sum overflows.
Status validate(const Devices &devices);

} // namespace smex::placement

#endif
