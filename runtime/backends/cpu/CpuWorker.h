// One worker of the cpu backend: an arena, and instructions bound to it.
#ifndef SMEX_RUNTIME_BACKENDS_CPU_CPUWORKER_H
#define SMEX_RUNTIME_BACKENDS_CPU_CPUWORKER_H

#include "runtime/backends/Backend.h"
#include "runtime/backends/cpu/Arena.h"
#include "runtime/backends/cpu/BoundKernel.h"

namespace smex::runtime {

/// What the workers of one program share.
struct CpuProgram {
  const plan::Partitioned &partitioned;
  KernelObject object;
  std::vector<tdl::Lambda> lambdas; // of the program's kernels
  std::vector<Arena> arenas;        // one per worker

  const plan::Program &program() const { return partitioned.program; }
};

class CpuWorker : public DeviceWorker {
public:
  CpuWorker(std::shared_ptr<CpuProgram> shared, int number, int threads)
      : shared(std::move(shared)), number(number), threads(threads) {}

  Status start() override;
  Status write(int64_t offset, int64_t bytes,
               const std::function<Status(std::byte *)> &fill) override;
  Status read(int64_t offset, int64_t bytes,
              const std::function<void(const std::byte *)> &use) override;
  Status bind() override;
  Result<int64_t> run(int instruction) override;

private:
  /// One step of a fetch or a reduction: copy a box, or combine it with what is
  /// there.
  struct Move {
    bool combine;
    Box box;
    const std::byte *from;
    const Box *fromBox;
    bool remote;
  };

  const plan::Worker &own() const {
    return shared->partitioned.workers[size_t(number)];
  }
  TensorType typeOf(int buffer) const;
  BufferView view(int buffer) const;
  bool isExclusive(int buffer) const;
  Result<BoundKernelPtr> bindCompute(int instruction) const;
  std::vector<Move> movesOf(int instruction) const;
  int64_t move(int instruction);
  void noteAccesses(int instruction) const;
  void sumAndRound(const plan::Instruction &what, const BufferView &to,
                   const std::vector<Move> &list);

  std::shared_ptr<CpuProgram> shared;
  int number;
  ThreadGroup threads;
  std::vector<BoundKernelPtr> kernels;  // per instruction; null: nothing to do
  std::vector<std::vector<Move>> moves; // per instruction
};

} // namespace smex::runtime

#endif
