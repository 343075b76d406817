#include "runtime/backends/cuda/nccl/Watchdog.h"

#include "dialects/support/Result.h"
#include "runtime/transports/Timeout.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

using namespace smex;
using namespace smex::nccl;

namespace {
constexpr double standardSeconds = 8;

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
} // namespace

double nccl::timeoutSeconds() {
  // What is wrong has been said, before anything began.
  const auto seconds = runtime::secondsIn("SMEX_NCCL_TIMEOUT", standardSeconds);
  return seconds ? *seconds : standardSeconds;
}

void nccl::endProcess(const std::string &why) {
  // What hangs, hangs for all GPUs of the process: the first one says it, and
  // nothing else ends the others' wait here.
  static std::mutex first;
  first.lock();
  std::fprintf(stderr, "smex-run: error: %s\n", why.c_str());
  std::fflush(stderr);
  _exit(int(Fault::Environment)); // destructors would wait for the GPU
}

Watchdog::Watchdog(std::function<std::string(int)> describe,
                   std::function<void()> doubt,
                   std::function<void(const std::string &)> end)
    : describe(std::move(describe)), doubt(std::move(doubt)),
      end(std::move(end)), limit(timeoutSeconds()),
      thread([this] { watch(); }) {}

Watchdog::~Watchdog() {
  rest();
  thread.join();
}

void Watchdog::rest() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOver = true;
  }
  changed.notify_all();
}

void Watchdog::watch() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!isOver) {
    changed.wait_for(lock, std::chrono::milliseconds(200));
    if (isOver)
      return;
    const double start = since.load();
    if (start == 0)
      continue;
    if (now() - start > limit)
      end(describe(what.load()));
    else if (now() - start > doubtSeconds())
      doubt();
  }
}

Watchdog::Guard::Guard(Watchdog &watchdog, int what) : watchdog(watchdog) {
  watchdog.what.store(what);
  watchdog.since.store(now());
}

Watchdog::Guard::~Guard() { watchdog.since.store(0); }
