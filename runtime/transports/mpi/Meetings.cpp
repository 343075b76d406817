#include "runtime/transports/mpi/Meetings.h"

#include "runtime/transports/mpi/Parcel.h"

using namespace smex;
using namespace smex::mpi;

namespace {
/// Who has waited for so long wonders whether another process hangs, so often.
constexpr std::chrono::seconds longWait{3};
constexpr std::chrono::milliseconds pause{250};
} // namespace

Meetings::Meetings(int workers, int processes, std::vector<int> own,
                   std::function<void(Bytes)> tellOthers,
                   std::function<void()> doubt)
    : workers(size_t(workers)), processes(processes), own(std::move(own)),
      tellOthers(std::move(tellOthers)), doubt(std::move(doubt)) {}

Meetings::Meeting &Meetings::meeting(int64_t number) {
  Meeting &found = meetings[number];
  found.brought.resize(workers);
  return found;
}

Meetings::Bytes Meetings::tell(int64_t number, const Meeting &meeting) const {
  Parcel parcel;
  parcel.put(number);
  for (int worker : own) {
    const auto &bytes = meeting.brought[size_t(worker)];
    if (!bytes)
      continue;
    parcel.put(worker);
    parcel.put(int64_t(bytes->size()));
    parcel.put(bytes->data(), bytes->size());
  }
  return parcel.take();
}

std::optional<runtime::Shared>
Meetings::join(std::shared_ptr<const Bytes> brings, int worker) {
  std::unique_lock<std::mutex> lock(mutex);
  // A worker that was sent on from a meeting would count as another one.
  if (stopped)
    return std::nullopt;
  // Nobody comes to a meeting before all have come to the one before.
  const int64_t number = come++ / int64_t(own.size());
  Meeting &here = meeting(number);
  if (brings)
    here.brought[size_t(worker)] = std::move(brings);
  if (++here.come == own.size()) {
    ++here.processes;
    tellOthers(tell(number, here));
    changed.notify_all();
  }
  const auto isOver = [&] { return here.processes == processes || stopped; };
  if (!changed.wait_for(lock, longWait, isOver))
    do
      if (doubt)
        doubt();
    while (!changed.wait_for(lock, pause, isOver));
  if (stopped)
    return std::nullopt;
  runtime::Shared all = here.brought;
  if (++here.gone == own.size())
    meetings.erase(number);
  return all;
}

void Meetings::hear(const Bytes &told) {
  Unpacking parcel(told);
  const std::lock_guard<std::mutex> lock(mutex);
  Meeting &there = meeting(parcel.number());
  while (parcel.left() > 0) {
    const auto worker = size_t(parcel.number());
    const auto count = size_t(parcel.number());
    const std::byte *from = parcel.bytes(count);
    if (worker >= workers || (!from && count > 0))
      break;
    there.brought[worker] = std::make_shared<const Bytes>(from, from + count);
  }
  if (++there.processes == processes)
    changed.notify_all();
}

void Meetings::stop() {
  const std::lock_guard<std::mutex> lock(mutex);
  stopped = true;
  changed.notify_all();
}
