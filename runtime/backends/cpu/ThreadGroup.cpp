#include "runtime/backends/cpu/ThreadGroup.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <omp.h>
#include <thread>
#include <vector>

using namespace smex::runtime;

namespace {
/// Some 200 microseconds: the time between two instructions that are worth more
/// than one thread, and between the first thread's end of one and the last's.
/// Going to sleep and being woken takes about as long on a virtual machine.
constexpr int spins = 4000;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// A call of forEach.
struct Job {
  int64_t count;
  const std::function<void(int64_t, int)> &body;
  int most;
  std::atomic<int64_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr problem; // of the first that failed

  void work(int thread) {
    for (;;) {
      const int64_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= count)
        return;
      try {
        body(i, thread);
      } catch (...) {
        if (!failed.exchange(true))
          problem = std::current_exception();
        next.store(count); // the rest is not wanted any more
      }
    }
  }
};
} // namespace

class ThreadGroup::Helpers {
public:
  explicit Helpers(int number) {
    try {
      for (int thread = 1; thread <= number; ++thread)
        threads.emplace_back([this, thread] { loop(thread); });
    } catch (const std::exception &) {
      // The system starts no more of them: those that there are do the work.
    }
  }

  ~Helpers() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      stop = true;
      published.fetch_add(1);
    }
    arrival.notify_all();
    for (std::thread &thread : threads)
      thread.join();
  }

  void run(Job &job) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      open = &job;
      published.fetch_add(1);
    }
    if (sleepers.load() > 0)
      arrival.notify_all();
    job.work(0);
    {
      std::lock_guard<std::mutex> lock(mutex);
      open = nullptr; // whoever has not come yet need not
    }
    for (int i = 0; i < spins && inside.load() > 0; ++i)
      pause();
    if (inside.load() == 0)
      return;
    std::unique_lock<std::mutex> lock(mutex);
    departure.wait(lock, [this] { return inside.load() == 0; });
  }

private:
  void loop(int thread) {
    omp_set_num_threads(1);
    int64_t seen = 0;
    for (;;) {
      for (int i = 0; i < spins && published.load() == seen; ++i)
        pause();
      std::unique_lock<std::mutex> lock(mutex);
      sleepers.fetch_add(1);
      arrival.wait(lock, [&] { return published.load() != seen; });
      sleepers.fetch_sub(1);
      seen = published.load();
      if (stop)
        return;
      Job *job = open;
      if (!job || thread >= job->most)
        continue;
      ++inside;
      lock.unlock();
      job->work(thread);
      lock.lock();
      if (--inside == 0)
        departure.notify_one();
    }
  }

  std::vector<std::thread> threads;
  std::mutex mutex;
  std::condition_variable arrival, departure;
  std::atomic<int64_t> published{0}; // jobs so far; written under the mutex
  std::atomic<int> sleepers{0};
  Job *open = nullptr;
  /// Helpers that are at the open job; written under the mutex.
  std::atomic<int> inside{0};
  bool stop = false;
};

ThreadGroup::ThreadGroup(int threads) : threads(threads) {
  if (threads > 1)
    helpers = std::make_unique<Helpers>(threads - 1);
}

ThreadGroup::~ThreadGroup() = default;

void ThreadGroup::adopt() const { omp_set_num_threads(1); }

void ThreadGroup::forEach(
    int64_t count, const std::function<void(int64_t i, int thread)> &body,
    int most) const {
  const int allowed = most > 0 ? std::min(most, threads) : threads;
  if (allowed <= 1 || count <= 1) {
    for (int64_t i = 0; i < count; ++i)
      body(i, 0);
    return;
  }
  Job job{count, body, int(std::min<int64_t>(count, allowed))};
  helpers->run(job);
  if (job.problem)
    std::rethrow_exception(job.problem);
}
