#include "runtime/backends/reference/ReferenceWorker.h"

#include "kernels/cpu/Boxes.h"
#include "runtime/backends/host/Arenas.h"

#include <cstring>

using namespace smex;
using namespace smex::runtime;

Status ReferenceWorker::start() {
  const auto pack = [shared = shared, number = number,
                     place = place](int buffer, const Box &box, std::byte *to) {
    const plan::Partitioned &partitioned = shared->partitioned;
    const ReferenceProgram::Place &own = shared->places[place];
    cpu::copyBox(to, box,
                 own.arena.data() + placeOf(partitioned, number, buffer),
                 partitioned.box(number, buffer), box,
                 byteSize(plan::elementType(partitioned.program, buffer)));
    return own.tenants.check(buffer);
  };
  shared->transport.offer(number, {nullptr, pack});
  return {};
}

Status ReferenceWorker::write(int64_t offset, int64_t,
                              const std::function<Status(std::byte *)> &fill) {
  return fill(own().arena.data() + offset);
}

Status
ReferenceWorker::read(int64_t offset, int64_t,
                      const std::function<void(const std::byte *)> &use) {
  use(own().arena.data() + offset);
  return {};
}

Status ReferenceWorker::copy(int64_t to, int64_t from, int64_t bytes) {
  std::byte *arena = own().arena.data();
  std::memcpy(arena + to, arena + from, size_t(bytes));
  return {};
}

Status ReferenceWorker::begin() {
  own().tenants.begin();
  return {};
}

Status ReferenceWorker::submit(const Submission &submission) {
  shared->scheduler->submit(place, submission);
  return {};
}

Result<Activity> ReferenceWorker::finish() {
  if (Status done = shared->scheduler->finish(place); !done)
    return done.takeError();
  if (!shared->transport.isStopped())
    if (Status kept = own().tenants.end(); !kept)
      return kept.takeError();
  return std::exchange(own().activity, {});
}
