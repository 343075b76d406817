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

/// Seconds without progress that are too many: SMEX_NCCL_TIMEOUT, or 8.
double timeoutSeconds();
/// Who has waited for so many for other ranks asks whether one of them hangs,
inline double doubtSeconds() { return timeoutSeconds() / 2; }
/// and a GPU that has completed nothing for so many does.
inline double hungSeconds() { return timeoutSeconds() * 3 / 4; }

/// Says why on standard error and ends the process at once, with the exit
/// status of a failed environment.
[[noreturn]] void endProcess(const std::string &why);

/// A thread that looks whether what it guards goes on. Guarding something costs
/// a few stores.
class Watchdog {
public:
  /// `describe` says what is at hand, by the number that it was entered with.
  /// `doubt` is called again and again once it has lasted for doubtSeconds(),
  /// and `end` after timeoutSeconds().
  explicit Watchdog(
      std::function<std::string(int)> describe,
      std::function<void()> doubt = [] {},
      std::function<void(const std::string &)> end = endProcess);
  ~Watchdog();
  /// From now on it ends nothing.
  void rest();

  /// While it lives, something may have to end (`end`), if it lives too long.
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
  const std::function<void()> doubt;
  const std::function<void(const std::string &)> end;
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
