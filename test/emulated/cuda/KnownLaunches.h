#ifndef SMEX_TEST_EMULATED_CUDA_KNOWNLAUNCHES_H
#define SMEX_TEST_EMULATED_CUDA_KNOWNLAUNCHES_H

#include "test/emulated/ptx/Memory.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace smex::emulated {

/// What a test knows of a program's launches beforehand: to which buffers the
/// pointers point that a kernel is given. A driver knows allocations only, and
/// a program may have all of its buffers in one.
///
/// A line for each launch that there may be: the kernel's name, and for each of
/// its first parameters, which are pointers, DEVICE:OFFSET:BYTES, the offset in
/// the device's first allocation. A line `buffers` instead of a kernel's name:
/// parts of these allocations that pointers in memory, and libraries, do not
/// leave.
class KnownLaunches {
public:
  struct Buffer {
    size_t device;
    uint64_t offset, bytes;
    bool operator<(const Buffer &other) const {
      return std::tie(device, offset, bytes) <
             std::tie(other.device, other.offset, other.bytes);
    }
  };

  KnownLaunches() = default;
  /// Throws std::runtime_error for text that is no such list.
  explicit KnownLaunches(const std::string &text);

  /// The buffers of a launch with these parameters, 8 bytes each; none where
  /// nothing is known of the kernel. `arenas`: the devices' first allocations.
  /// Throws std::runtime_error where it is known and never launched so.
  std::vector<ptx::Range> buffersOf(const std::string &kernel,
                                    const std::vector<uint8_t> &parameters,
                                    const std::vector<uint64_t> &arenas) const;

  /// Of the lines `buffers`.
  const std::vector<Buffer> &buffers() const { return apart; }

private:
  std::map<std::string, std::set<std::vector<Buffer>>> launches;
  std::vector<Buffer> apart;
};

} // namespace smex::emulated

#endif
