#include "runtime/backends/reference/ReferenceWorker.h"

#include "kernels/cpu/Boxes.h"

#include <algorithm>
#include <cstring>

using namespace smex;
using namespace smex::runtime;

Status ReferenceWorker::start() {
  const auto pack = [shared = shared, number = number,
                     from = shared->arenas[place].data()](
                        int buffer, const Box &box, std::byte *to) {
    const plan::Partitioned &partitioned = shared->partitioned;
    const Box &own = partitioned.box(number, buffer);
    if (!contains(own, box))
      return Status(fail("worker ", number, " has ", toString(own), ", not ",
                         toString(box)));
    cpu::copyBox(to, box, from + partitioned.offset(number, buffer), own, box,
                 byteSize(plan::elementType(partitioned.program, buffer)));
    return Status();
  };
  shared->transport.offer(number, {nullptr, pack});
  return {};
}

Status ReferenceWorker::write(int64_t offset, int64_t,
                              const std::function<Status(std::byte *)> &fill) {
  return fill(shared->arenas[place].data() + offset);
}

Status
ReferenceWorker::read(int64_t offset, int64_t,
                      const std::function<void(const std::byte *)> &use) {
  use(shared->arenas[place].data() + offset);
  return {};
}

Status ReferenceWorker::copy(int64_t to, int64_t from, int64_t bytes) {
  std::byte *arena = shared->arenas[place].data();
  std::memcpy(arena + to, arena + from, size_t(bytes));
  return {};
}

Status ReferenceWorker::submit(const Submission &submission) {
  shared->scheduler->submit(place, submission);
  return {};
}

/// Makes everything no number that a step must write before it reads it: who
/// reads too early finds nothing of the step before, which might be right.
void ReferenceWorker::poison() {
  const plan::Partitioned &partitioned = shared->partitioned;
  const plan::Program &program = partitioned.program;
  const Arena &arena = shared->arenas[place];
  std::vector<Interval> kept;
  const auto keep = [&](int buffer) {
    const int64_t bytes = volume(partitioned.box(number, buffer)) *
                          byteSize(plan::elementType(program, buffer));
    const int64_t at = partitioned.offset(number, buffer);
    if (bytes > 0)
      kept.push_back({at, at + bytes});
  };
  for (const plan::Port &input : program.inputs)
    keep(input.buffer);
  for (const plan::Parameter &parameter : program.parameters)
    keep(parameter.buffer);
  kept.push_back({arena.size(), arena.size()});
  std::sort(kept.begin(), kept.end(),
            [](Interval a, Interval b) { return a.lo < b.lo; });
  int64_t at = 0;
  for (const Interval &each : kept) {
    if (at < each.lo)
      std::memset(arena.data() + at, 0xff, size_t(each.lo - at));
    at = std::max(at, each.hi);
  }
}

Result<Activity> ReferenceWorker::finish() {
  poison();
  if (Status done = shared->scheduler->finish(place); !done)
    return done.takeError();
  return std::exchange(shared->activities[place], {});
}
