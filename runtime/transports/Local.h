// The transport between workers that are threads of one process: a counter per
// worker and queue, and a barrier. Most data needs no transport here, since an
// arena in this process' memory is in everybody's reach.
#ifndef SMEX_RUNTIME_TRANSPORTS_LOCAL_H
#define SMEX_RUNTIME_TRANSPORTS_LOCAL_H

#include "runtime/transports/Transport.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

namespace smex::runtime {

class LocalTransport : public Transport {
public:
  LocalTransport(int workers, int queues);

  void signal(const Event &event) override;
  bool hasHappened(const Event &event) const override;
  [[nodiscard]] bool wait(const Event &event) override;
  void offer(int worker, Memory memory) override;
  std::byte *reach(int worker) const override;
  Status move(int worker, int buffer,
              const std::vector<Arrival> &arrivals) override;
  /// What all members offer is in this process: each takes its own pieces, and
  /// none waits for another.
  Status collective(int worker, int buffer, const Exchange &exchange,
                    const std::vector<Arrival> &arrivals) override;
  [[nodiscard]] bool barrier() override;
  Shared share(int worker, std::vector<std::byte> bytes) override;
  void stop(Error error) override;
  bool isStopped() const override {
    return stopped.load(std::memory_order_relaxed);
  }
  Error reason() const override;

private:
  /// Each in a cache line of its own: others spin on it.
  struct alignas(64) Counter {
    std::atomic<int64_t> completed{0};
    std::atomic<int> waiters{0};
    std::mutex mutex;
    std::condition_variable changed;
  };
  Counter &counterOf(const Event &event) const {
    return *counters[size_t(event.worker) * size_t(queues) +
                     size_t(event.queue)];
  }
  /// Spins a little, then sleeps, until `done()`; `done` must become true only
  /// together with a call of wake().
  template <typename F> bool waitUntil(Counter &counter, F done);
  static void wake(Counter &counter);

  /// The instructions that the exchanges of a group are of, from the one on
  /// that some member has not come to yet.
  struct Sequence {
    std::deque<int> instructions;
    int64_t passed = 0;        // by all, and forgotten
    std::vector<int64_t> come; // to so many, each member
  };
  Status follow(int worker, const Exchange &exchange);

  int queues;
  std::vector<std::unique_ptr<Counter>> counters; // per worker and queue
  std::vector<Memory> memories;                   // per worker
  Shared shared;
  Counter meeting; // rounds of the barrier
  std::atomic<int> arrived{0};
  std::atomic<bool> stopped{false};
  mutable std::mutex mutex;                       // of what follows
  std::optional<Error> problem;                   // the first
  std::map<std::vector<int>, Sequence> sequences; // by the group's members
  int spins;
};

} // namespace smex::runtime

#endif
