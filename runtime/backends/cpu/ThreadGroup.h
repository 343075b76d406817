// The threads of one worker. They are OpenMP's, the same that oneDNN was built
// with: two pools would keep each other from the cores.
#ifndef SMEX_RUNTIME_BACKENDS_CPU_THREADGROUP_H
#define SMEX_RUNTIME_BACKENDS_CPU_THREADGROUP_H

#include <cstdint>
#include <functional>

namespace smex::runtime {

class ThreadGroup {
public:
  explicit ThreadGroup(int threads) : threads(threads) {}
  int size() const { return threads; }

  /// To be called once on the worker's thread: library calls made outside
  /// forEach are to use one thread, so that results do not depend on how many
  /// there are.
  void adopt() const;

  /// Calls body(i, thread) for every i in [0, count), on at most `most` threads
  /// (0: all); `thread` counts from 0 and tells apart those that run at the
  /// same time. Returns when all are done. An exception in a body is thrown
  /// again from here.
  void forEach(int64_t count,
               const std::function<void(int64_t i, int thread)> &body,
               int most = 0) const;

private:
  int threads;
};

} // namespace smex::runtime

#endif
