// Runs the queues of all workers of a process one instruction at a time, in an
// order that events allow and that is as bad as it can be for a plan that waits
// too little.
#ifndef SMEX_RUNTIME_BACKENDS_REFERENCE_SCHEDULER_H
#define SMEX_RUNTIME_BACKENDS_REFERENCE_SCHEDULER_H

#include "runtime/backends/Backend.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

namespace smex::runtime {

/// In each step one queue comes last: it goes on only where no other can. So
/// all that may happen before an instruction of it has happened: whoever should
/// have waited for that, and does not, is too early. Queues take turns, so that
/// as many steps as there are queues have shown every missing wait that can be
/// shown with whole instructions. The seed says which queue begins, and the
/// order of the others, which is drawn anew for each step; fixed priorities
/// that are drawn at random come from Burckhardt et al., "A Randomized
/// Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010.
class Scheduler {
public:
  /// Runs an instruction of the process' worker number `place` to its end.
  using Run = std::function<Status(size_t place, const Submission &what)>;

  /// `workers` are those of the process, in ascending order.
  Scheduler(std::vector<int> workers, Transport &transport, uint64_t seed,
            Run run);

  /// By the worker's own thread.
  void submit(size_t place, const Submission &submission);
  /// Returns true when all is done that any worker has submitted; the worker
  /// that comes last does it. False: another worker had an error, or the run
  /// was stopped, and some is not done. Each worker gets its own errors.
  Result<bool> finish(size_t place);

private:
  using Queue = std::deque<Submission>;
  struct Problem {
    size_t place;
    Error error;
  };

  std::optional<Problem> runAll();
  /// The queues that have anything, those that go on first in front.
  std::vector<size_t> order() const;
  bool isReady(const Queue &queue) const;
  Status runFront(size_t number);
  /// Why nothing can go on, unless another process may change that.
  std::optional<Problem> deadlock() const;

  const std::vector<int> workers;
  Transport &transport;
  const uint64_t seed;
  const Run run;
  std::vector<Queue> queues; // queueCount for each worker
  uint64_t step = 0;

  std::mutex mutex; // of what follows
  std::condition_variable changed;
  size_t arrived = 0;    // workers in finish()
  int64_t completed = 0; // steps
  std::optional<Problem> problem;
};

} // namespace smex::runtime

#endif
