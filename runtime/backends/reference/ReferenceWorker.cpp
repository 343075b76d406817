#include "runtime/backends/reference/ReferenceWorker.h"

#include <utility>

using namespace smex;
using namespace smex::runtime;

Status ReferenceWorker::start() {
  const auto pack = [shared = shared, number = number,
                     place = place](int buffer, const Box &box, std::byte *to) {
    const ReferenceProgram::Place &own = shared->places[place];
    packBox(shared->partitioned, number, own.arena.data(), buffer, box, to);
    return own.tenants.check(buffer);
  };
  shared->transport.offer(number, {nullptr, pack});
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
  auto done = shared->scheduler->finish(place);
  if (!done)
    return done.takeError();
  if (*done)
    if (Status kept = own().tenants.end(); !kept)
      return kept.takeError();
  return std::exchange(own().activity, {});
}
