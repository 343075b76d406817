// Ends the process when NCCL hangs: a call that does not return, since another
// rank has died, cannot be called off from inside, and ncclCommAbort may block,
// too.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_NCCL_WATCHDOG_H
#define SMEX_RUNTIME_BACKENDS_CUDA_NCCL_WATCHDOG_H

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace smex::nccl {

/// Seconds without progress that are too many: SMEX_NCCL_TIMEOUT, or 9.
double timeoutSeconds();

/// Says why on standard error and ends the process at once, with the exit
/// status of a failed environment.
[[noreturn]] void endProcess(const std::string &why);

/// A thread that looks whether what it guards goes on. Guarding something costs
/// a few stores.
class Watchdog {
public:
  /// `describe` says what is at hand, by the number that it was entered with.
  explicit Watchdog(std::function<std::string(int)> describe);
  ~Watchdog();
  /// From now on it ends nothing.
  void rest();

  /// While it lives, the process ends if it lives for too long.
  class Guard {
  public:
    Guard(Watchdog &watchdog, int what);
    ~Guard();

  private:
    Watchdog &watchdog;
  };

private:
  void watch();

  const std::function<std::string(int)> describe;
  const double limit;
  std::atomic<int> what{0};
  std::atomic<double> since{0}; // 0: nothing is guarded
  std::mutex mutex;
  std::condition_variable changed;
  bool isOver = false;
  std::thread thread;
};

} // namespace smex::nccl

#endif
