// Notices a kernel that does not end, or a GPU that does nothing any more.
// Nobody can call it off, and whoever waits for it waits for ever, so that the
// process has to be ended by another thread, which says first where it hangs.
//
// It looks from time to time how far the events of submitted instructions are,
// and what the host's threads wait for (HostWaits.h), and costs a step nothing
// but to enter its waits.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_GPUWATCHDOG_H
#define SMEX_RUNTIME_BACKENDS_CUDA_GPUWATCHDOG_H

#include "runtime/backends/cuda/CudaProgram.h"

#include <thread>

namespace smex::cuda {

class GpuWatchdog {
public:
  /// Before anything is asked of a GPU that may take long. DeviceOptions::hung
  /// is told once, if nothing is completed for DeviceOptions::hungAfter seconds
  /// though something is under way, or waited for.
  explicit GpuWatchdog(const CudaProgram &shared);
  ~GpuWatchdog();

  /// Instructions, their events and the graph are about to be destroyed: from
  /// now on, it looks at what the host waits for, and at nothing else.
  void forgetInstructions();

  /// Transport::SelfExamination: whether the GPUs have completed nothing for
  /// nccl::hungSeconds(), and not because others keep them waiting.
  std::string examine();

private:
  /// What one worker does on one queue.
  struct Lane {
    int worker, queue;
    std::vector<int> instructions; // in order
    int64_t step = -1;
    size_t completed = 0; // of the instructions, in that step
    bool isBusy = false;
  };
  void watch();
  /// Asks the GPUs; true: something has been completed, or nothing is to do.
  bool goesOn();
  bool instructionsGoOn();
  bool advance(Lane &lane);
  bool isCompleted(int worker, int instruction, int64_t step) const;
  bool isReady(const Lane &lane) const;
  bool isReadyBesideExchanges(const Lane &lane) const;
  bool waitsForOthers();
  /// Or what the run was stopped by, where it was, and cannot end.
  Error whatHangs();
  std::string whereItHangs();
  std::string notCompleted(double seconds, const char *option);
  std::string whereExchangeHangs() const;
  std::string textOf(const Lane &lane) const;
  std::string textOf(int worker, int instruction) const;
  std::string gpuOf(int worker) const;

  const CudaProgram &shared;
  std::vector<Lane> lanes;
  /// Of each GPU, how far its exchanges are (Exchanger::State).
  std::vector<std::pair<int64_t, size_t>> exchanged;
  int64_t graphSteps = 0; // that were done
  bool isGraphBusy = false;
  bool isExchangeBusy = false; // with a kernel of the GPU itself
  HostWaits::State waits;
  std::atomic<double> idle{0}; // seconds
  std::mutex looking;          // at instructions and waits
  bool areForgotten = false;
  std::mutex mutex;
  std::condition_variable changed;
  bool isOver = false;
  std::thread thread;
};

} // namespace smex::cuda

#endif
