// The exchanges of one GPU (Exchange.h), on a stream of their own. The first of
// its workers, the leader, puts them there, in the order of the list, so that
// all ranks come to them in one order; the others wait for their events.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_EXCHANGER_H
#define SMEX_RUNTIME_BACKENDS_CUDA_EXCHANGER_H

#include "runtime/backends/cuda/CudaProgram.h"
#include "runtime/backends/cuda/Exchange.h"
#include "runtime/backends/cuda/ExchangeParts.h"
#include "runtime/backends/cuda/nccl/Watchdog.h"

#include <functional>
#include <map>

namespace smex::cuda {

class Exchanger {
public:
  Exchanger(CudaProgram &shared, size_t gpu, int leader);
  ~Exchanger();

  /// Says what it needs of the GPU's memory; returns with unsettled addresses
  /// taken for it.
  Status place(const std::function<Address(size_t gpu, int64_t bytes)> &take);
  /// Joins the communicators. All ranks do it at once, each in a thread of its
  /// own.
  Status join();
  /// What hangs in join() is left alone: it is known why.
  void abandon() { watchdog.rest(); }
  int leader() const { return leading; }

  // The leader's calls, as those of a DeviceWorker:
  Status start();
  Status bind();
  Status begin(int64_t step);
  /// Puts all exchanges of the step there that are left below the number.
  Status submitBelow(int instruction);
  /// Returns when they are done, or the run was stopped. Ends the process if
  /// nothing goes on for too long.
  Status finish();

  /// All of the step is over, also for whoever asks.
  void tell(int64_t step) { told.store(step); }

  /// How far the GPU's exchanges are. For any thread that has entered it.
  struct State {
    /// Other than before, if one is over, or a part of one.
    std::pair<int64_t, size_t> place;
    /// The instruction that they have come to, of those on the stream, if they
    /// need not wait for other work of the GPU, and what keeps them there.
    std::optional<int> instruction;
    ExchangeParts::Part at = ExchangeParts::Part::Others;

    bool waitsForOthers() const {
      return instruction && at == ExchangeParts::Part::Others;
    }
    bool waitsForKernel() const {
      return instruction && at == ExchangeParts::Part::Own;
    }
  };
  State look() const { return look(0); }

  // Of any of the GPU's workers:
  bool isTold(int64_t step) const { return told.load() >= step; }
  /// What has been recorded when the exchange of this instruction is over;
  /// null: it has none.
  Event eventOf(int instruction) const { return events[size_t(instruction)]; }
  /// Returns once the leader has put it there; false: the run was stopped.
  [[nodiscard]] bool wait(int instruction, int64_t step);
  /// When they ran, those that the worker does; after finish() of the leader.
  Result<std::vector<runtime::Executed>> executed(int worker);

private:
  /// What the watchdog is told where no instruction is at hand.
  static constexpr int joining = -1, leaving = -2;
  Status check(Code code, const char *what) const;
  Status checkNccl(nccl::Code code, const char *what) const;
  Status put(const Exchange &exchange);
  Status put(const ExchangeRound &round, int instruction);
  Status transfer(const ExchangeRound &round, int instruction);
  Status launch(const std::vector<OwnLaunch> &all);
  Status enter(ExchangeParts::Part part);
  bool isSkipped(int instruction) const;
  std::string whatHangs(int instruction) const;
  void end(const std::string &why) const;
  bool hasBegun(const Exchange &exchange) const;
  State look(size_t first) const;
  void tellOver(size_t exchange);
  void tellBegun(size_t exchange);

  CudaProgram &shared;
  const size_t gpu;
  const int leading, rank;
  Exchanges sizes; // with unsettled addresses
  Address tables = 0;
  Exchanges all;
  /// Of the list, in this step: so many are on the stream,
  std::atomic<size_t> next{0};
  size_t over = 0;              // and so many have completed
  std::atomic<int64_t> base{0}; // of the step's events
  std::atomic<int64_t> told{-1};
  bool isBound = false; // all ranks have joined
  Stream stream = nullptr;
  std::vector<Event> events;            // per instruction
  std::unique_ptr<ExchangeParts> parts; // where the GPU is watched
  struct Timed {
    Event start = nullptr, end = nullptr;
  };
  std::vector<Timed> timed; // per exchange of the list, with trace
  Event began = nullptr;
  double beganAt = 0;
  std::map<StepSet, nccl::Communicator> groups;
  nccl::Communicator world = nullptr;
  nccl::Watchdog watchdog;
};

} // namespace smex::cuda

#endif
