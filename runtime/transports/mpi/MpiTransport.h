// The transport between the processes of one mpirun. Workers of one process
// talk as LocalTransport has it. Others are told of events, and are asked for
// pieces, which the process that has them packs and sends: so bytes move once,
// when they are wanted and ready.
#ifndef SMEX_RUNTIME_TRANSPORTS_MPI_MPITRANSPORT_H
#define SMEX_RUNTIME_TRANSPORTS_MPI_MPITRANSPORT_H

#include "runtime/transports/Local.h"
#include "runtime/transports/mpi/Meetings.h"
#include "runtime/transports/mpi/World.h"

#include <list>
#include <optional>
#include <set>

namespace smex::mpi {

/// The process of worker `worker` of `workers`: neighbours are together.
constexpr int processOf(int worker, int workers, int processes) {
  return int(int64_t(worker) * processes / workers);
}

class MpiTransport : public runtime::Transport, private Bystander {
public:
  /// What a worker does next once its queues have completed so much (the count
  /// of Event), in words, for messages: "instruction 4 (node "fc1") of step 3".
  using Names = std::function<std::string(
      int worker, const std::vector<int64_t> &completed)>;

  /// Processes make theirs in the same order; `world` outlives it. Which
  /// process has which worker: processOf, or as `processes` says per worker.
  MpiTransport(World &world, int workers, int queues, Names names = {},
               std::vector<int> processes = {});
  ~MpiTransport() override;

  /// Of this process.
  const std::vector<int> &workers() const { return own; }

  void signal(const runtime::Event &event) override;
  bool hasHappened(const runtime::Event &event) const override {
    return local.hasHappened(event);
  }
  [[nodiscard]] bool wait(const runtime::Event &event) override;
  void offer(int worker, runtime::Memory memory) override;
  std::byte *reach(int worker) const override { return local.reach(worker); }
  Status move(int worker, int buffer,
              const std::vector<runtime::Arrival> &arrivals) override;
  /// As move(): each member asks the others for its own pieces.
  Status collective(int worker, int buffer, const runtime::Exchange &exchange,
                    const std::vector<runtime::Arrival> &arrivals) override;
  [[nodiscard]] bool barrier() override;
  runtime::Shared share(int worker, std::vector<std::byte> bytes) override;
  void stop(Error error) override;
  bool isStopped() const override { return local.isStopped(); }
  Error reason() const override { return local.reason(); }
  void setSelfExamination(SelfExamination given) override;
  void doubt() override { world.doubt(); }
  bool abandon(const std::string &why) override;

private:
  /// What a worker has asked another process for.
  struct Order {
    std::condition_variable changed;
    Bytes bytes;
    bool isThere = false;
  };
  /// What is waited for of a worker of another process.
  struct Awaited {
    int worker = 0;
    std::optional<runtime::Event> event; // or pieces that it has
  };

  // Bystander.
  std::string whereabouts(int lost) const override;
  void interrupt(const Error &error) override { stopHere(error); }
  std::string examine() const override;

  void stopHere(const Error &error);
  // By the thread that owns MPI.
  void take(Letter letter);
  void takeEvents(const Bytes &bytes);
  void takeOrdered(const Bytes &bytes);
  void sendEvents();
  void serve(int to, const Bytes &order);

  Status pack(int to, const Bytes &order);
  void packLarge();
  void sendAll(int32_t kind, Bytes bytes);
  std::vector<int64_t> completedBy(int worker) const; // per queue
  std::string nextOf(int worker) const;
  int slowest(int process) const;
  std::string nameOf(const Awaited &wait) const;
  size_t place(const runtime::Event &event) const {
    return size_t(event.worker) * size_t(queues) + size_t(event.queue);
  }

  World &world;
  const int queues;
  const Names names;
  const std::vector<int> processes; // per worker
  const std::vector<int> own;       // workers
  runtime::LocalTransport local;
  std::vector<runtime::Memory> memories; // per worker; of own ones
  Meetings meetings;
  int channel = 0;
  std::thread packer; // of what would hold up the thread that owns MPI

  mutable std::mutex examining; // of the examination, also while it goes on
  SelfExamination examination;

  mutable std::mutex mutex;       // of what follows
  std::vector<int64_t> completed; // per worker and queue, as far as is known
  std::set<size_t> news;          // of these, what others have not been told
  std::map<int64_t, std::shared_ptr<Order>> orders;
  int64_t ordered = 0;
  std::list<Awaited> awaited;
  std::condition_variable packing;
  std::deque<std::pair<int, Bytes>> toPack;
  bool isClosed = false;
};

} // namespace smex::mpi

#endif
