// A run whose workers are in several processes, which mpirun has started.
#ifndef SMEX_TOOLS_SMEX_RUN_PROCESSES_H
#define SMEX_TOOLS_SMEX_RUN_PROCESSES_H

#include "runtime/executor/Executor.h"
#include "runtime/transports/mpi/MpiTransport.h"

#include <optional>

namespace smex::tools {

/// A step's instruction, in words (mpi::MpiTransport::Names).
std::string nextInstruction(const plan::Partitioned &partitioned, int worker,
                            const std::vector<int64_t> &completed,
                            int firstStep);

/// Threads for each worker of this process, where none are asked for: the cores
/// that it may use, shared evenly by the workers that are there.
int threadsPerWorker(const mpi::World &world, int workers);

/// What the devices call themselves that all processes run `workers` on, or
/// this one alone without a world.
Result<std::vector<std::string>> devicesOf(runtime::Backend &backend,
                                           int workers, mpi::World *world);

/// What the other processes have where the first one has a file of parameters:
/// it wants them after the same steps, and keeps nothing.
class FollowingSink : public runtime::ParameterSink {
public:
  explicit FollowingSink(std::function<bool(int completed)> wanted)
      : wanted(std::move(wanted)) {}
  bool wants(int completed) const override { return wanted(completed); }
  Status begin(int) override { return {}; }
  std::byte *place(int) override { return nullptr; }
  Status commit() override { return {}; }

private:
  std::function<bool(int)> wanted;
};

/// A checkpoint as it goes from the first process to the others, which may see
/// no disk of his.
mpi::Bytes encode(int completed, std::string_view file);
struct SentCheckpoint {
  int completed = 0; // steps; 0: there is none
  std::optional<io::Safetensors> values;
};
Result<SentCheckpoint> decodeCheckpoint(const mpi::Bytes &bytes);

} // namespace smex::tools

#endif
