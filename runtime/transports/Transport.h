// How the workers of a plan hear of each other and reach what others have. A
// transport knows nothing of plans: workers, queues, instructions and buffers
// are numbers to it. The workers of one transport may be spread over several
// processes; then what is said of threads holds of theirs.
#ifndef SMEX_RUNTIME_TRANSPORTS_TRANSPORT_H
#define SMEX_RUNTIME_TRANSPORTS_TRANSPORT_H

#include "dialects/support/Collective.h"
#include "dialects/support/Piece.h"
#include "dialects/support/Result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace smex::runtime {

/// A queue of a worker has completed the first `count` instructions of the run,
/// as far as they are its own. Queues do their instructions in order, so a
/// number says it all, and who waits for several of a queue waits for the last.
struct Event {
  int worker = 0;
  int queue = 0;
  int64_t count = 0;
};

/// What a worker lets others see of its memory, which lives as long as this.
struct Memory {
  /// Where its arena begins, for threads of the same process; null: out of
  /// their reach.
  std::shared_ptr<std::byte> arena;
  /// Copies a box of one of its buffers to where it is told to, dense and
  /// row-major. Any thread may call it at any time.
  std::function<Status(int buffer, const Box &box, std::byte *to)> pack;
};

/// A piece on its way into a worker's memory, dense and row-major.
struct Arrival {
  Piece piece; // the worker that has it, and which box of the buffer it is
  std::byte *to = nullptr;
  int64_t bytes = 0;
};

/// What all members of a group of workers do together, in one instruction.
struct Exchange {
  int instruction = 0; // of the run
  CollectiveKind kind = CollectiveKind::AllGather;
  std::vector<int> members; // ascending
};

/// The bytes that each worker has shared.
using Shared = std::vector<std::shared_ptr<const std::vector<std::byte>>>;

class Transport {
public:
  virtual ~Transport() = default;

  /// Tells everybody of an event. What was written before it is visible to
  /// whoever has waited for it. Counts of a queue grow.
  virtual void signal(const Event &event) = 0;
  /// Whether everything below the event's count has completed.
  virtual bool hasHappened(const Event &event) const = 0;
  /// Returns once the event has happened; false: the run was stopped.
  [[nodiscard]] virtual bool wait(const Event &event) = 0;

  /// Before a barrier, once per worker. The transport keeps it.
  virtual void offer(int worker, Memory memory) = 0;
  /// Where the worker's arena begins, as the caller's process sees it, or null:
  /// then move() brings pieces of it.
  virtual std::byte *reach(int worker) const = 0;
  /// Brings pieces of a buffer to `worker`, and returns when they are there.
  /// The caller has waited until they are ready.
  virtual Status move(int worker, int buffer,
                      const std::vector<Arrival> &arrivals) = 0;

  /// The same, for a member of a group all of whose members call it: a library
  /// of collectives does it as one. Members come to the exchanges of their
  /// group in one order; where they do not, and it is seen, that is an error.
  virtual Status collective(int worker, int buffer, const Exchange &exchange,
                            const std::vector<Arrival> &arrivals) = 0;

  /// Returns once every worker has called it; false: the run was stopped.
  [[nodiscard]] virtual bool barrier() = 0;
  /// A barrier after which every worker has what all have brought. Bytes of the
  /// host, such as outputs, go this way. Nothing: the run was stopped.
  virtual Shared share(int worker, std::vector<std::byte> bytes) = 0;

  /// Makes every wait and barrier, now and later, return false, so that an
  /// error never becomes a deadlock. The first error stays.
  virtual void stop(Error error) = 0;
  virtual bool isStopped() const = 0;
  /// After stop().
  virtual Error reason() const = 0;

  /// What keeps this process from going on though it waits for no other one,
  /// in words, once that has lasted too long; "": nothing does.
  using SelfExamination = std::function<std::string()>;
  /// Any thread may call it at any time, until an empty one takes its place.
  virtual void setSelfExamination(SelfExamination) {}
  /// This process has waited for others for long: has them examine themselves.
  /// One that finds something is named, and the run is stopped.
  virtual void doubt() {}
  /// Something hangs that nobody can call off: all processes are to end soon,
  /// and one says why. False: there is only this one.
  virtual bool abandon(const std::string &) { return false; }
};

} // namespace smex::runtime

#endif
