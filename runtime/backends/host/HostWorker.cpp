#include "runtime/backends/host/HostWorker.h"

#include "kernels/cpu/Boxes.h"
#include "runtime/backends/host/Arenas.h"

#include <cstring>

using namespace smex;
using namespace smex::runtime;

Status HostWorker::write(int64_t offset, int64_t,
                         const std::function<Status(std::byte *)> &fill) {
  return fill(memory + offset);
}

Status HostWorker::read(int64_t offset, int64_t,
                        const std::function<void(const std::byte *)> &use) {
  use(memory + offset);
  return {};
}

Status HostWorker::copy(int64_t to, int64_t from, int64_t bytes) {
  std::memcpy(memory + to, memory + from, size_t(bytes));
  return {};
}

void smex::runtime::packBox(const plan::Partitioned &partitioned, int worker,
                            const std::byte *arena, int buffer, const Box &box,
                            std::byte *to) {
  cpu::copyBox(to, box, arena + placeOf(partitioned, worker, buffer),
               partitioned.box(worker, buffer), box,
               byteSize(plan::elementType(partitioned.program, buffer)));
}
