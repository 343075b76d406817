#include "runtime/backends/cuda/Recorder.h"

#include <chrono>

using namespace smex;
using namespace smex::cuda;

void Recorder::recorded(const runtime::Event &done) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    countOf(done) = done.count;
  }
  changed.notify_all();
}

bool Recorder::wait(const runtime::Event &done,
                    const runtime::Transport &transport) {
  std::unique_lock<std::mutex> lock(mutex);
  // A stop wakes nobody here, so it is looked for.
  while (countOf(done) < done.count && !transport.isStopped())
    changed.wait_for(lock, std::chrono::milliseconds(20));
  return !transport.isStopped();
}
