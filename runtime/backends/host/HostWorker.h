// What all devices do alike whose memory is the host's.
#ifndef SMEX_RUNTIME_BACKENDS_HOST_HOSTWORKER_H
#define SMEX_RUNTIME_BACKENDS_HOST_HOSTWORKER_H

#include "runtime/backends/Backend.h"

namespace smex::runtime {

class HostWorker : public DeviceWorker {
public:
  /// `arena`: where the worker's memory begins, which outlives it.
  HostWorker(int number, std::byte *arena) : number(number), memory(arena) {}

  Status write(int64_t offset, int64_t bytes,
               const std::function<Status(std::byte *)> &fill) final;
  Status read(int64_t offset, int64_t bytes,
              const std::function<void(const std::byte *)> &use) final;
  Status copy(int64_t to, int64_t from, int64_t bytes) final;

protected:
  std::byte *arena() const { return memory; }

  const int number; // of the plan's workers

private:
  std::byte *memory;
};

/// Copies a box of one of a worker's buffers to where it is told to, dense and
/// row-major (Memory::pack).
void packBox(const plan::Partitioned &partitioned, int worker,
             const std::byte *arena, int buffer, const Box &box, std::byte *to);

} // namespace smex::runtime

#endif
