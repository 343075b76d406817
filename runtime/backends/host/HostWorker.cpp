#include "runtime/backends/host/HostWorker.h"

#include "kernels/cpu/Boxes.h"

#include <cstring>

using namespace smex;
using namespace smex::runtime;

Status HostWorker::write(const ArenaBytes &to,
                         const std::function<Status(std::byte *)> &fill) {
  return fill(beginOf(to.space) + to.offset);
}

Status HostWorker::read(const ArenaBytes &from,
                        const std::function<void(const std::byte *)> &use) {
  use(beginOf(from.space) + from.offset);
  return {};
}

Status HostWorker::copy(const ArenaBytes &to, int64_t from) {
  std::byte *const arena = beginOf(to.space);
  std::memcpy(arena + to.offset, arena + from, size_t(to.bytes));
  return {};
}

void smex::runtime::packBox(const plan::Partitioned &partitioned, int worker,
                            const std::byte *arena, int buffer, const Box &box,
                            std::byte *to) {
  cpu::copyBox(to, box, arena + placeOf(partitioned, worker, buffer),
               partitioned.box(worker, buffer), box,
               byteSize(plan::elementType(partitioned.program, buffer)));
}
