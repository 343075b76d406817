// Letters between the processes of one mpirun. One thread of each process owns
// MPI; everything else hands it what is to be sent, and it hands on what comes.
// It sleeps rather than spins: there may be more processes than cores.
#ifndef SMEX_RUNTIME_TRANSPORTS_MPI_POST_H
#define SMEX_RUNTIME_TRANSPORTS_MPI_POST_H

#include "dialects/support/Result.h"
#include "runtime/transports/mpi/Library.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace smex::mpi {

using Bytes = std::vector<std::byte>;
using SharedBytes = std::shared_ptr<const Bytes>;

/// Which conversation a letter is of, and what it is there.
struct Subject {
  int32_t channel = 0, kind = 0;
};

struct Letter {
  int from = 0;
  Subject subject;
  Bytes bytes;
};

class Post {
public:
  /// Both are called by the thread that owns MPI, and must not wait.
  struct Callbacks {
    std::function<void(Letter)> letter;
    std::function<void()> tick; // every few milliseconds at least
  };

  /// Returns when MPI is initialized, which takes all processes: where they do
  /// not come, it ends this one (Patience.h). Callbacks begin with start().
  static Result<std::unique_ptr<Post>> open();
  void start(Callbacks callbacks);
  ~Post();

  int rank() const { return own; }
  int size() const { return all; }

  /// From any thread. The letter arrives, if both processes live; two letters
  /// may arrive in another order.
  void send(int to, Subject subject, SharedBytes bytes);
  /// Has the thread call `work` as soon as it can.
  void run(std::function<void()> work);

  /// Nothing is sent to this process any more, and nothing to it waited for.
  void forget(int rank);

  /// When the thread last came by: it does not, if MPI holds it.
  std::chrono::steady_clock::time_point lastRound() const {
    return std::chrono::steady_clock::time_point(
        std::chrono::steady_clock::duration(round.load()));
  }

  /// Ends the thread. `finalized`: once all has been sent, and with MPI's own
  /// end, for which every process must come; otherwise at once, if it can.
  void close(bool finalized);

private:
  struct Outgoing {
    int to;
    Subject subject;
    SharedBytes bytes;
  };
  /// On its way; what MPI reads stays where it is.
  struct Sending {
    int to;
    std::shared_ptr<const void> keeps;
    Request request;
  };
  /// A letter whose later parts are still to come.
  struct Receiving {
    Letter letter;
    std::deque<Request> requests;
  };

  Post() = default;
  void work(const Library &mpi);
  Status initialize(const Library &mpi);
  void loop(const Library &mpi);
  bool takeOutgoing(const Library &mpi);
  void startSending(const Library &mpi, const Outgoing &outgoing);
  bool finishSending(const Library &mpi);
  bool receive(const Library &mpi);
  bool finishReceiving(const Library &mpi);
  void pause(int idle);

  int own = 0, all = 1;
  Callbacks callbacks;
  std::thread thread;
  std::atomic<int64_t> round{0};

  std::mutex mutex; // of what follows
  std::condition_variable changed;
  std::deque<Outgoing> outgoing;
  std::deque<std::function<void()>> tasks;
  std::vector<bool> forgotten;
  enum class State { Starting, Open, Running, Draining, Closed };
  State state = State::Starting;
  bool finalizes = false;
  Status started;

  // The thread's own.
  std::list<Sending> sending;
  std::list<Receiving> receiving;
};

} // namespace smex::mpi

#endif
