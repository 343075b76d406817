// What all devices do alike whose memory is the host's.
#ifndef SMEX_RUNTIME_BACKENDS_HOST_HOSTWORKER_H
#define SMEX_RUNTIME_BACKENDS_HOST_HOSTWORKER_H

#include "runtime/backends/Backend.h"
#include "runtime/backends/host/Arenas.h"

namespace smex::runtime {

class HostWorker : public DeviceWorker {
public:
  /// `arena`: where the worker's memory begins (Arenas.h), which outlives it.
  HostWorker(const plan::Partitioned &partitioned, int number, std::byte *arena)
      : number(number), memory(arena),
        hostAt(hostBegin(partitioned.workers[size_t(number)])) {}

  Status write(const ArenaBytes &to,
               const std::function<Status(std::byte *)> &fill) final;
  Status read(const ArenaBytes &from,
              const std::function<void(const std::byte *)> &use) final;
  Status copy(const ArenaBytes &to, int64_t from) final;

protected:
  std::byte *arena() const { return memory; }

  const int number; // of the plan's workers

private:
  /// The arena of the space.
  std::byte *beginOf(plan::Space space) const {
    return memory + (space == plan::Space::Host ? hostAt : 0);
  }

  std::byte *memory;
  int64_t hostAt;
};

/// Copies a box of one of a worker's buffers to where it is told to, dense and
/// row-major (Memory::pack).
void packBox(const plan::Partitioned &partitioned, int worker,
             const std::byte *arena, int buffer, const Box &box, std::byte *to);

} // namespace smex::runtime

#endif
