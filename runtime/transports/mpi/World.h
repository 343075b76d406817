// The processes of one mpirun, and what they say to one another beside a run:
// whether they agree, that they live, and how they end.
#ifndef SMEX_RUNTIME_TRANSPORTS_MPI_WORLD_H
#define SMEX_RUNTIME_TRANSPORTS_MPI_WORLD_H

#include "runtime/transports/mpi/Post.h"
#include "runtime/transports/mpi/Watch.h"

#include <map>
#include <optional>
#include <string>

namespace smex::mpi {

/// What is to be stopped when a process is lost, and what it can tell of it.
/// Called from threads of the world's own.
class Bystander {
public:
  virtual ~Bystander() = default;
  /// What the workers of this process were at, or waited for, in words. `lost`:
  /// a rank, or -1 where it is not known which.
  virtual std::string whereabouts(int lost) const = 0;
  virtual void interrupt(const Error &error) = 0;
  /// Why this process itself is to be given up; "": it is not.
  virtual std::string examine() const = 0;
};

class World {
public:
  /// Returns when every process has joined. It must be the first that a program
  /// does of those that start threads: SIGTERM is for its own from then on.
  static Result<std::unique_ptr<World>> join();
  ~World();

  int rank() const { return post->rank(); }
  int size() const { return post->size(); }
  /// One process speaks for all.
  bool isFirst() const { return rank() == 0; }
  /// Of the ranks, those whose processes are on this machine.
  std::vector<int> neighbours() const;

  /// Every process calls it, in the same order, with something of its own, and
  /// gets what each has brought. An error: that a process is lost, or has come
  /// to its end instead.
  Result<std::vector<Bytes>> gather(Bytes bytes);

  /// Every process has come with a status: where some are errors, all return
  /// the same one, which names the ranks if it is not everybody's.
  Status agree(const Status &own);

  /// The end of this process' part, with what has become of it. Once all have
  /// come, the message is printed by one of them. The status to exit with, the
  /// same for all. Where a process is lost, it does not return but exits.
  int finish(const Status &own);

  /// A conversation of its own; processes open theirs in the same order. The
  /// thread that owns MPI calls `take`.
  int open(std::function<void(Letter)> take);
  void close(int channel);
  void send(int to, Subject subject, SharedBytes bytes) {
    post->send(to, subject, std::move(bytes));
  }
  /// By the thread that owns MPI, soon.
  void run(std::function<void()> work) { post->run(std::move(work)); }

  /// Has every other process ask its bystander whether it is to be given up,
  /// soon. Not all of many calls within a short time are heard.
  void doubt();
  /// Ends all processes as if one were lost, of which it is not known which.
  void abandon(const std::string &why) { lose(-1, why, rank()); }

  /// One at a time; null: none.
  void setBystander(Bystander *bystander);
  /// What to do once a process is lost, for messages. Before the run begins.
  void setAdvice(std::string text);

private:
  using Clock = std::chrono::steady_clock;
  /// What is known of a process.
  struct Peer {
    Place place;
    Witnessed witnessed;
    Clock::duration silent{}; // since its last letter
    /// What it has come to its end with, and after how many gatherings.
    std::optional<Bytes> ended;
    int64_t gathered = 0;
    bool hasHeard = false; // who is lost
  };
  struct Gathering {
    std::vector<std::optional<Bytes>> brought;
    size_t count = 0;
  };

  World() = default;
  // By the thread that owns MPI.
  void take(Letter letter);
  void takeControl(Letter &letter);
  void tick();
  // By the one that watches.
  void watch();
  void findLost(Clock::duration passed);
  void findTerminated(Clock::duration since);
  void examine();

  /// `finder`: the rank that has noticed it.
  void lose(int rank, const std::string &why, int finder);
  void tellLost(int rank, const std::string &why);
  std::string withPlace(std::string message, int lost);
  void stop(const Error &error);
  std::string nameOf(int rank) const;
  bool haveAllHeard() const;
  void sendAll(int32_t kind, const Bytes &bytes);
  [[noreturn]] void leave();

  std::unique_ptr<Post> post;
  std::thread watcher;

  mutable std::mutex mutex; // of what follows
  std::condition_variable changed;
  std::vector<Peer> peers; // by rank
  std::map<int64_t, Gathering> gatherings;
  int64_t gathered = 0;
  std::optional<Error> stopped; // a process is lost, or all were told to end
  std::optional<int> lost;      // -1: it is not known who, or nobody
  bool speaks = false;          // of what is lost
  /// This process was stopped itself: others may have given it up since.
  bool isBack = false;
  std::optional<int> ending; // the status, once all have come to their end
  bool isClosed = false;
  Clock::time_point doubted; // last
  bool hasBall = true; // which goes to and fro between rank 0 and each other

  std::mutex taking; // of what follows, held while a letter is taken
  std::map<int, std::function<void(Letter)>> channels;
  std::vector<Letter> early; // of channels that are not open yet
  int opened = 0;            // channels, so far

  std::mutex standing; // of the bystander
  Bystander *bystander = nullptr;
  std::string advice;
  bool hasRun = false; // a bystander has been there
};

} // namespace smex::mpi

#endif
