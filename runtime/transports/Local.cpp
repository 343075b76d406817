#include "runtime/transports/Local.h"

#include <algorithm>
#include <thread>

using namespace smex;
using namespace smex::runtime;

namespace {
void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}
} // namespace

LocalTransport::LocalTransport(int workers, int queues)
    : queues(queues), memories(size_t(workers)), shared(size_t(workers)) {
  for (int i = 0; i < workers * queues; ++i)
    counters.push_back(std::make_unique<Counter>());
  // Who spins on a core that the other one needs only delays himself.
  spins = int(std::thread::hardware_concurrency()) >= workers ? 2000 : 0;
}

template <typename F> bool LocalTransport::waitUntil(Counter &counter, F done) {
  for (int i = 0; i < spins; ++i) {
    if (done() || isStopped())
      return !isStopped();
    pause();
  }
  // The waker looks at `waiters` after its change, and we look for the change
  // after entering ourselves there: one of the two sees the other.
  counter.waiters.fetch_add(1);
  {
    std::unique_lock<std::mutex> lock(counter.mutex);
    counter.changed.wait(lock, [&] { return done() || stopped.load(); });
  }
  counter.waiters.fetch_sub(1);
  return !isStopped();
}

void LocalTransport::wake(Counter &counter) {
  if (counter.waiters.load() == 0)
    return;
  {
    std::lock_guard<std::mutex> lock(counter.mutex);
  }
  counter.changed.notify_all();
}

void LocalTransport::signal(const Event &event) {
  Counter &counter = counterOf(event);
  counter.completed.store(event.count);
  wake(counter);
}

bool LocalTransport::hasHappened(const Event &event) const {
  return counterOf(event).completed.load() >= event.count;
}

bool LocalTransport::wait(const Event &event) {
  return waitUntil(counterOf(event), [&] { return hasHappened(event); });
}

void LocalTransport::offer(int worker, Memory memory) {
  memories[size_t(worker)] = std::move(memory);
}

std::byte *LocalTransport::reach(int worker) const {
  return memories[size_t(worker)].arena.get();
}

Status LocalTransport::move(int, int buffer,
                            const std::vector<Arrival> &arrivals) {
  for (const Arrival &arrival : arrivals) {
    const Piece &piece = arrival.piece;
    const Memory &memory = memories[size_t(piece.worker)];
    if (Status packed = memory.pack(buffer, piece.box, arrival.to); !packed)
      return packed;
  }
  return {};
}

Status LocalTransport::collective(int worker, int buffer,
                                  const Exchange &exchange,
                                  const std::vector<Arrival> &arrivals) {
  if (Status same = follow(worker, exchange); !same)
    return same;
  return move(worker, buffer, arrivals);
}

/// The member that comes first says what the group's next exchange is.
Status LocalTransport::follow(int worker, const Exchange &exchange) {
  const std::vector<int> &members = exchange.members;
  const auto place = std::find(members.begin(), members.end(), worker);
  if (place == members.end())
    return fail("worker ", worker, " is no member of its exchange");
  std::lock_guard<std::mutex> lock(mutex);
  Sequence &sequence = sequences[members];
  sequence.come.resize(members.size());
  int64_t &come = sequence.come[size_t(place - members.begin())];
  const size_t next = size_t(come++ - sequence.passed);
  if (next == sequence.instructions.size())
    sequence.instructions.push_back(exchange.instruction);
  const int expected = sequence.instructions[next];
  if (expected != exchange.instruction)
    return fail("worker ", worker, " comes to the ", name(exchange.kind),
                " of instruction ", exchange.instruction,
                ", another member of its group to that of instruction ",
                expected);
  const auto slowest =
      std::min_element(sequence.come.begin(), sequence.come.end());
  while (sequence.passed < *slowest) {
    sequence.instructions.pop_front();
    ++sequence.passed;
  }
  return {};
}

bool LocalTransport::barrier() {
  const int64_t round = meeting.completed.load();
  if (arrived.fetch_add(1) + 1 == int(memories.size())) {
    arrived.store(0);
    meeting.completed.fetch_add(1);
    wake(meeting);
    return !isStopped();
  }
  return waitUntil(meeting, [&] { return meeting.completed.load() > round; });
}

Shared LocalTransport::share(int worker, std::vector<std::byte> bytes) {
  shared[size_t(worker)] =
      std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  if (!barrier())
    return {};
  Shared all = shared;
  if (!barrier()) // nobody brings anything new before all have copied this
    return {};
  return all;
}

void LocalTransport::stop(Error error) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!problem)
      problem = std::move(error);
  }
  stopped.store(true);
  for (auto &counter : counters)
    wake(*counter);
  wake(meeting);
}

Error LocalTransport::reason() const {
  std::lock_guard<std::mutex> lock(mutex);
  return *problem;
}
