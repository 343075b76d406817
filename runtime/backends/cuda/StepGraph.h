// A step of all workers of a process as one CUDA graph: its instructions are
// submitted once, by one thread, to streams that are captured, and then the
// whole of it is launched by one call.
//
// It is captured rather than made of explicit nodes, so that what submits an
// instruction is the same code in both ways, and what a library does for one is
// in the graph as it is. The streams are the graph's own: those of the workers
// may be in use beside it.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_STEPGRAPH_H
#define SMEX_RUNTIME_BACKENDS_CUDA_STEPGRAPH_H

#include "dialects/support/Queue.h"
#include "runtime/backends/cuda/Gpu.h"
#include "runtime/transports/Transport.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

namespace smex::cuda {

/// What a worker was handed in a step, in order.
struct StepTask {
  int instruction = 0, queue = 0;
  bool isSkipped = false;
  struct Wait {
    int worker, instruction;
  };
  std::vector<Wait> after;
};

class StepGraph {
public:
  struct Worker {
    const Gpu *gpu = nullptr;
    std::vector<StepTask> tasks;
    const std::vector<bool> *isWaitedFor = nullptr; // per instruction
    /// Puts what the instruction does on a stream.
    std::function<Status(int instruction, Stream)> launch;
  };
  /// Captures the workers' tasks, in the order of instructions, of which each
  /// waits for earlier ones only. The first worker's GPU launches the graph;
  /// its context is current before and afterwards. An error leaves nothing
  /// behind: the step can be submitted as before.
  static Result<std::unique_ptr<StepGraph>>
  capture(const std::vector<Worker> &workers);
  ~StepGraph();
  StepGraph(const StepGraph &) = delete;

  /// Does a step, and returns when it is done: by one thread.
  Status run();
  /// By the others: returns once so many steps are done. False: the run was
  /// stopped.
  [[nodiscard]] bool wait(int64_t steps, const runtime::Transport &transport);
  /// Steps that were launched, and those of them that are done.
  std::pair<int64_t, int64_t> progress() const { return {launched, done}; }

private:
  StepGraph(const Gpu &gpu, Stream stream, GraphExec exec)
      : gpu(gpu), stream(stream), exec(exec) {}

  const Gpu &gpu;
  const Stream stream;
  const GraphExec exec;
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<int64_t> launched{0}, done{0}; // steps
};

} // namespace smex::cuda

#endif
