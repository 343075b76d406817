#include "runtime/transports/Local.h"

#include <thread>

using namespace smex::runtime;

namespace {
void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}
} // namespace

LocalTransport::LocalTransport(int workers) {
  for (int worker = 0; worker < workers; ++worker)
    counters.push_back(std::make_unique<Counter>());
  // Who spins on a core that the other one needs only delays himself.
  spins = int(std::thread::hardware_concurrency()) >= workers ? 2000 : 0;
}

template <typename F> bool LocalTransport::waitUntil(Counter &counter, F done) {
  for (int i = 0; i < spins; ++i) {
    if (done() || aborted())
      return !aborted();
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
  return !aborted();
}

void LocalTransport::wake(Counter &counter) {
  if (counter.waiters.load() == 0)
    return;
  {
    std::lock_guard<std::mutex> lock(counter.mutex);
  }
  counter.changed.notify_all();
}

void LocalTransport::complete(int worker, int64_t count) {
  Counter &counter = *counters[size_t(worker)];
  counter.completed.store(count);
  wake(counter);
}

bool LocalTransport::wait(int worker, int64_t count) {
  Counter &counter = *counters[size_t(worker)];
  return waitUntil(counter, [&] { return counter.completed.load() >= count; });
}

bool LocalTransport::barrier() {
  const int64_t round = meeting.completed.load();
  if (arrived.fetch_add(1) + 1 == int(counters.size())) {
    arrived.store(0);
    meeting.completed.fetch_add(1);
    wake(meeting);
    return !aborted();
  }
  return waitUntil(meeting, [&] { return meeting.completed.load() > round; });
}

void LocalTransport::abort() {
  stopped.store(true);
  for (auto &counter : counters)
    wake(*counter);
  wake(meeting);
}
