// What threads of the host wait for on the GPUs of a program. A GPU that hangs
// lets nobody go on, and only another thread can tell: so each wait is entered
// here while it lasts.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_HOSTWAITS_H
#define SMEX_RUNTIME_BACKENDS_CUDA_HOSTWAITS_H

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace smex::cuda {

/// What is waited for, in words that live as long as the program, and by which
/// worker; -1: by all of them.
struct HostWait {
  const char *what;
  int worker = -1;
};

class HostWaits {
public:
  /// A wait for a GPU, from when this is made until it is destroyed.
  class Guard {
  public:
    Guard(HostWaits &all, int gpu, HostWait what);
    ~Guard();
    Guard(const Guard &) = delete;

  private:
    friend class HostWaits;
    HostWaits &all;
    const int gpu;
    const HostWait what;
  };

  struct State {
    int64_t over = 0;   // waits that have ended
    std::string oldest; // of those that go on; "": nobody waits
    int worker = -1;    // whose it is
  };
  State look() const;

private:
  mutable std::mutex mutex;
  std::vector<const Guard *> present; // the oldest first
  int64_t over = 0;
};

} // namespace smex::cuda

#endif
