#ifndef SMEX_TEST_EMULATED_CUDA_WORK_H
#define SMEX_TEST_EMULATED_CUDA_WORK_H

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

namespace smex::emulated {

/// A span of device addresses that work reads or writes.
struct Span {
  uint64_t begin, end;
  bool isWritten;
};

/// For each stream the number of its last work that is known to be over.
using Clock = std::map<uint64_t, uint64_t>;

/// One thing that a stream does: a launch, a copy, a recorded event.
struct Work {
  std::string description; // for messages
  uint64_t stream = 0;
  uint64_t number = 0; // in its stream, from 1
  unsigned device = 0;
  std::vector<std::shared_ptr<Work>> after; // has to be done before; then empty
  Clock clock;                              // itself included
  uint64_t era = 0;                         // in which it was submitted
  /// Does it; returns what it accessed. Null for an event.
  std::function<std::vector<Span>()> run;
  /// Of a launch: which thread writes a byte, or reads it, and by which line of
  /// PTX; it may be asked later, too, while memory is what it was.
  std::function<std::string(uint64_t address, bool isWritten)> placeOf;
  /// If set: asked, once all before it is done, until it says that the work may
  /// run. What it waits for is out of this driver's sight.
  std::function<bool()> ready;
  bool callsHost = false; // the driver's lock is open while it runs
  bool isStarted = false, isDone = false;
  /// Its device has failed: it does nothing any more, and nobody waits for it.
  bool isDropped = false;
  double seconds = 0; // when it was done

  bool isAfter(const Work &other) const {
    auto found = clock.find(other.stream);
    return found != clock.end() && found->second >= other.number;
  }
};

using WorkPointer = std::shared_ptr<Work>;

/// Two works that access a byte, at least one of them writing, and neither has
/// to wait for the other.
struct StreamRace {
  std::string text;
};

/// All work that was submitted and is not done. Work runs when somebody waits
/// for something, in an order that a seed draws from all that events allow.
class Scheduler {
public:
  explicit Scheduler(uint64_t seed) : random(seed), seed(seed) {}

  void submit(const WorkPointer &work);
  /// Runs until the work is done; then the host, and all that it submits from
  /// now on, is after it. `lock` is open while host functions run. An error in
  /// a work goes to `onError`, and the work counts as done.
  void finish(const WorkPointer &work, std::unique_lock<std::mutex> &lock);
  void finishAll(std::unique_lock<std::mutex> &lock);
  /// Runs one work, if any is ready: who asks again and again gets there.
  void step(std::unique_lock<std::mutex> &lock);
  /// The host learned that this work is done.
  void learn(const Work &work);
  /// What a device still had to do will do nothing, after an error; but what
  /// other devices do after it stays after all that it was after.
  void drop(unsigned device);
  /// Forgets accesses to memory that was freed.
  void forget(uint64_t begin, uint64_t end);
  /// Of how many streams the host knows something; for tests.
  size_t knownStreams() const { return host.size(); }

  std::function<void(const Work &, std::exception_ptr)> onError;
  /// Whether a work that begins never ends, or fails as a kernel may; asked
  /// once for each.
  std::function<bool(const Work &)> hangs, fails;

private:
  struct Access {
    Span span;
    std::shared_ptr<Work> work;
  };
  WorkPointer choose(const Work *wanted);
  void run(const WorkPointer &work, std::unique_lock<std::mutex> &lock);
  void check(const WorkPointer &work, const std::vector<Span> &spans);

  std::vector<WorkPointer> pending;
  std::vector<Access> accesses;
  Clock host;
  /// Grows where nothing is pending and no access is remembered: nobody will
  /// ask again what is after works of before, so that clocks leave them out.
  /// Without that, each would have an entry for every stream that ever was.
  uint64_t era = 0;
  std::condition_variable changed;
  std::mt19937_64 random;
  uint64_t seed;
};

} // namespace smex::emulated

#endif
