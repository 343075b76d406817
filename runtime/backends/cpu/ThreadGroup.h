// The threads of one worker: the worker's own and some helpers. Helpers join
// while there is work and nobody waits for one that comes late, so that a busy
// machine costs only its share of the time. Library calls are made with one
// thread each (oneDNN would bring OpenMP's own).
#ifndef SMEX_RUNTIME_BACKENDS_CPU_THREADGROUP_H
#define SMEX_RUNTIME_BACKENDS_CPU_THREADGROUP_H

#include <cstdint>
#include <functional>
#include <memory>

namespace smex::runtime {

class ThreadGroup {
public:
  explicit ThreadGroup(int threads);
  ~ThreadGroup();
  int size() const { return threads; }

  /// To be called once on the worker's thread: libraries are to use this thread
  /// alone.
  void adopt() const;

  /// Calls body(i, thread) for every i in [0, count), on at most `most` threads
  /// (0: all); `thread` counts from 0 and tells apart those that run at the
  /// same time. Returns when all are done. An exception in a body is thrown
  /// again from here. One call at a time.
  void forEach(int64_t count,
               const std::function<void(int64_t i, int thread)> &body,
               int most = 0) const;

private:
  class Helpers;
  int threads;
  std::unique_ptr<Helpers> helpers; // none for one thread
};

} // namespace smex::runtime

#endif
