// One worker of the cpu backend: an arena, and instructions bound to it.
#ifndef SMEX_RUNTIME_BACKENDS_CPU_CPUWORKER_H
#define SMEX_RUNTIME_BACKENDS_CPU_CPUWORKER_H

#include "runtime/backends/cpu/BoundKernel.h"
#include "runtime/backends/host/Arena.h"
#include "runtime/backends/host/HostWorker.h"

#include <mutex>

namespace smex::runtime {

/// What the workers of one program share that a process has.
struct CpuProgram {
  const plan::Partitioned &partitioned;
  Transport &transport;
  DeviceOptions options;
  std::string target; // of the code
  KernelObject object;
  std::vector<tdl::Lambda> lambdas; // of the program's kernels
  std::vector<Arena> arenas;        // one per worker of the process
  /// DeviceOptions::oneAtATime: whoever computes has it; null: all may.
  std::unique_ptr<std::mutex> turn = {};

  const plan::Program &program() const { return partitioned.program; }
};

/// All its queues are one thread, the worker's own: an instruction is done when
/// submit() returns.
class CpuWorker : public HostWorker {
public:
  /// `place`: which of the process' arenas is its own.
  CpuWorker(std::shared_ptr<CpuProgram> shared, int number, size_t place,
            int threads)
      : HostWorker(shared->partitioned, number, shared->arenas[place].data()),
        shared(std::move(shared)), threads(threads) {}

  Status start() override;
  Status bind() override;
  Status submit(const Submission &submission) override;
  Result<Activity> finish() override;

private:
  /// One step of a fetch or a reduction: copy a box, or combine it with what is
  /// there.
  struct Move {
    bool combine;
    Box box;
    int worker;            // that has it
    const std::byte *from; // its buffer; null: out of reach
    const Box *fromBox;
  };
  /// What an instruction moves, and whether others take part in it.
  struct Transfer {
    std::vector<Move> list;
    std::optional<Exchange> exchange;
  };

  const plan::Worker &own() const {
    return shared->partitioned.workers[size_t(number)];
  }
  TensorType typeOf(int buffer) const;
  BufferView view(int buffer) const;
  bool isExclusive(int buffer) const;
  Result<BoundKernelPtr> bindCompute(int instruction) const;
  std::vector<Move> movesOf(int instruction) const;
  Status bring(int instruction, std::vector<Move> &list,
               std::vector<std::byte> &brought) const;
  Status run(int instruction);
  Status move(int instruction);
  void noteAccesses(int instruction) const;
  void sumAndRound(const plan::Instruction &what, const BufferView &to,
                   const std::vector<Move> &list);

  std::shared_ptr<CpuProgram> shared;
  ThreadGroup threads;
  Activity activity;
  std::vector<BoundKernelPtr> kernels; // per instruction; null: nothing to do
  std::vector<Transfer> transfers;     // per instruction
};

} // namespace smex::runtime

#endif
