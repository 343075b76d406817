// Which instructions have been put on their streams, so that another stream may
// wait for their events: CUDA waits for what an event has recorded by then, and
// for nothing where it has recorded nothing yet. Waiting here is for the host's
// threads, in the order of the plan's list, and never for a GPU.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_RECORDER_H
#define SMEX_RUNTIME_BACKENDS_CUDA_RECORDER_H

#include "dialects/support/Queue.h"
#include "runtime/backends/cuda/Api.h"
#include "runtime/transports/Transport.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace smex::cuda {

class Recorder {
public:
  Recorder(int workers, size_t instructions)
      : instructions(instructions),
        counts(size_t(workers) * size_t(queueCount)), events(size_t(workers)),
        isCrowded(int(std::thread::hardware_concurrency()) < workers) {}

  /// Before the first step: the events of a worker's instructions, null for
  /// those that have none.
  void setEvents(int worker, std::vector<Event> of) {
    events[size_t(worker)] = std::move(of);
  }
  /// The event of the instruction that completes with this one.
  Event eventOf(const runtime::Event &done) const {
    const size_t instruction = size_t(done.count - 1) % instructions;
    return events[size_t(done.worker)][instruction];
  }

  Event eventOf(int worker, int instruction) const {
    return events[size_t(worker)][size_t(instruction)];
  }

  /// As that of runtime::Event: how far a queue has been recorded.
  int64_t countOf(int worker, int queue) const {
    return counts[size_t(worker) * size_t(queueCount) + size_t(queue)].recorded;
  }

  void recorded(const runtime::Event &done);
  /// False: the run was stopped.
  [[nodiscard]] bool wait(const runtime::Event &done,
                          const runtime::Transport &transport);

private:
  /// Each in a cache line of its own.
  struct alignas(64) Count {
    std::atomic<int64_t> recorded{0};
    std::atomic<int> waiters{0};
    std::mutex mutex; // of those who wait
    std::condition_variable changed;
  };
  Count &countOf(const runtime::Event &done) {
    return counts[size_t(done.worker) * size_t(queueCount) +
                  size_t(done.queue)];
  }

  const size_t instructions;
  std::vector<Count> counts;              // per worker and queue
  std::vector<std::vector<Event>> events; // per worker and instruction
  const bool isCrowded;                   // fewer cores than threads
};

} // namespace smex::cuda

#endif
