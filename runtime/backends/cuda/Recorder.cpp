#include "runtime/backends/cuda/Recorder.h"

#include <chrono>

using namespace smex;
using namespace smex::cuda;

void Recorder::recorded(const runtime::Event &done) {
  Count &count = countOf(done);
  count.recorded = done.count;
  // Whoever waits has said so before it looked at the count.
  if (count.waiters == 0)
    return;
  std::lock_guard<std::mutex> lock(count.mutex);
  count.changed.notify_all();
}

bool Recorder::wait(const runtime::Event &done,
                    const runtime::Transport &transport) {
  Count &count = countOf(done);
  // The other thread is about to submit it: falling asleep takes longer. It may
  // need this one's core, at once where there are fewer cores than threads.
  const int spins = isCrowded ? 0 : 200, yields = 50;
  for (int i = 0; i < spins + yields; ++i) {
    if (count.recorded >= done.count || transport.isStopped())
      return !transport.isStopped();
    if (i >= spins)
      std::this_thread::yield();
  }
  std::unique_lock<std::mutex> lock(count.mutex);
  ++count.waiters;
  // A stop wakes nobody here, so it is looked for.
  while (count.recorded < done.count && !transport.isStopped())
    count.changed.wait_for(lock, std::chrono::milliseconds(20));
  --count.waiters;
  return !transport.isStopped();
}
