#include "runtime/backends/cuda/Recorder.h"

#include <chrono>

using namespace smex;
using namespace smex::cuda;

void Recorder::recorded(const runtime::Event &done) {
  countOf(done).recorded = done.count;
  // Whoever waits has said so before it looked at the count.
  if (waiters == 0)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  changed.notify_all();
}

bool Recorder::wait(const runtime::Event &done,
                    const runtime::Transport &transport) {
  const std::atomic<int64_t> &count = countOf(done).recorded;
  if (count >= done.count)
    return !transport.isStopped();
  std::unique_lock<std::mutex> lock(mutex);
  ++waiters;
  // A stop wakes nobody here, so it is looked for.
  while (count < done.count && !transport.isStopped())
    changed.wait_for(lock, std::chrono::milliseconds(20));
  --waiters;
  return !transport.isStopped();
}
