// What the workers of one program share that this process runs on its GPUs.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_CUDAPROGRAM_H
#define SMEX_RUNTIME_BACKENDS_CUDA_CUDAPROGRAM_H

#include "dialects/tdl/lambda/Lambda.h"
#include "runtime/backends/Backend.h"
#include "runtime/backends/cuda/Gpu.h"
#include "runtime/backends/cuda/Prepared.h"
#include "runtime/backends/cuda/Recorder.h"
#include "runtime/backends/cuda/StepGraph.h"

#include <map>

namespace smex::cuda {

class GpuWatchdog;
class Exchanger;
struct Exchanging;

/// Memory of the host that GPUs copy from and to: pages that stay where they
/// are.
class HostMemory {
public:
  static Result<HostMemory> allocate(const Driver &driver, int64_t bytes);
  HostMemory(HostMemory &&other) noexcept
      : driver(other.driver), address(std::exchange(other.address, nullptr)) {}
  ~HostMemory() {
    if (address)
      driver.hostFree(address);
  }
  std::byte *data() const { return static_cast<std::byte *>(address); }

private:
  HostMemory(const Driver &driver, void *address)
      : driver(driver), address(address) {}
  const Driver &driver;
  void *address = nullptr;
};

struct CudaProgram {
  const plan::Partitioned &partitioned;
  runtime::Transport &transport;
  runtime::DeviceOptions options;
  const Driver &driver;
  /// These two outlive all that waits for a GPU when it is destroyed.
  std::shared_ptr<HostWaits> waits;
  std::shared_ptr<GpuWatchdog> watchdog;
  std::vector<tdl::Lambda> lambdas;
  std::vector<std::unique_ptr<Gpu>> gpus;
  /// Of each worker: its GPU, where its arena begins there, and where in the
  /// host's memory, if it has buffers there.
  struct Place {
    Gpu *gpu = nullptr;
    Address arena = 0;
    Address tables = 0; // what its launches read
    std::optional<HostMemory> host;
    PreparedWorker prepared;
    /// Of the GPU, where transfers are exchanges; null: workers read each
    /// other's memory.
    Exchanger *exchanger = nullptr;
  };
  std::vector<Place> places;
  /// Until a GPU's memory is taken, an address in it is this and an offset: no
  /// less aligned than the real one, and no address that there is.
  static Address unsettled(size_t gpu) {
    return Address(gpu + 1) << offsetBits;
  }
  /// The real one.
  Address settled(Address address) const {
    return gpus[size_t(address >> offsetBits) - 1]->memory() +
           (address & ((Address(1) << offsetBits) - 1));
  }
  /// Instructions that others wait for, a flag each.
  std::vector<bool> isWaitedFor;
  Recorder recorder;
  std::vector<int> workers; // of this process, ascending
  /// Where transfers are exchanges: what all of them share, and one for each
  /// GPU.
  std::shared_ptr<const Exchanging> exchanging = nullptr;
  std::vector<std::shared_ptr<Exchanger>> exchangers = {};
  /// What the workers were handed in the first step, where later ones are to be
  /// a graph; each writes its own part.
  std::vector<StepGraph::Worker> steps = {};
  std::unique_ptr<StepGraph> ownedGraph = nullptr;
  /// It, from the second step on; any thread may look.
  std::atomic<StepGraph *> graph{nullptr};
  bool isWatched() const { return options.hungAfter > 0 && options.hung; }

  /// Whether it is safe that later steps are one graph. It is not where the
  /// time of each instruction is asked for, since events inside a graph have
  /// none, nor where transfers are exchanges: captured, those hang where others
  /// fail, and NCCL allows no more than one GPU in a process then.
  bool wantsGraph() const {
    return options.graphs && !options.trace && !exchanging;
  }
  /// What libraries have chosen, for all workers.
  std::unique_ptr<Choices> choices = nullptr;

  const plan::Program &program() const { return partitioned.program; }
  /// On the device; the arena of the host is out of the GPUs' sight.
  Address addressOf(int worker, int buffer) const {
    return places[size_t(worker)].arena +
           Address(partitioned.offset(worker, buffer));
  }

private:
  static constexpr int offsetBits = 48;
};

} // namespace smex::cuda

#endif
