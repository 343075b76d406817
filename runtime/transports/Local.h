// The transport between workers that are threads of one process: a counter of
// completed instructions per worker, and a barrier. Data needs no transport
// here, since every arena is in reach.
#ifndef SMEX_RUNTIME_TRANSPORTS_LOCAL_H
#define SMEX_RUNTIME_TRANSPORTS_LOCAL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace smex::runtime {

class LocalTransport {
public:
  explicit LocalTransport(int workers);

  /// Worker `worker` has completed the first `count` instructions since the
  /// start, as far as it does them; what it wrote is visible to whoever has
  /// waited for that. Counts grow.
  void complete(int worker, int64_t count);
  /// Returns once `worker` has completed `count` instructions or more; false:
  /// the run was aborted.
  [[nodiscard]] bool wait(int worker, int64_t count);
  /// Returns once every worker has called it; false: the run was aborted.
  [[nodiscard]] bool barrier();
  /// Makes every wait and barrier, now and later, return false.
  void abort();
  bool aborted() const { return stopped.load(std::memory_order_relaxed); }

private:
  /// Each in a cache line of its own: others spin on it.
  struct alignas(64) Counter {
    std::atomic<int64_t> completed{0};
    std::atomic<int> waiters{0};
    std::mutex mutex;
    std::condition_variable changed;
  };
  /// Spins a little, then sleeps, until `done()`; `done` must become true only
  /// together with a call of wake().
  template <typename F> bool waitUntil(Counter &counter, F done);
  static void wake(Counter &counter);

  std::vector<std::unique_ptr<Counter>> counters; // per worker
  Counter meeting;                                // rounds of the barrier
  std::atomic<int> arrived{0};
  std::atomic<bool> stopped{false};
  int spins;
};

} // namespace smex::runtime

#endif
