#include "runtime/backends/cpu/ThreadGroup.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <omp.h>

using namespace smex::runtime;

void ThreadGroup::adopt() const { omp_set_num_threads(1); }

void ThreadGroup::forEach(
    int64_t count, const std::function<void(int64_t i, int thread)> &body,
    int most) const {
  const int64_t allowed = most > 0 ? std::min(most, threads) : threads;
  const int team = int(std::min(count, allowed));
  if (team <= 1) {
    for (int64_t i = 0; i < count; ++i)
      body(i, 0);
    return;
  }
  std::exception_ptr problem; // none may leave a parallel region
  std::atomic<bool> stop{false};
#pragma omp parallel for schedule(dynamic) num_threads(team)
  for (int64_t i = 0; i < count; ++i) {
    if (stop.load(std::memory_order_relaxed))
      continue;
    try {
      body(i, omp_get_thread_num());
    } catch (...) {
#pragma omp critical(smex_thread_group)
      if (!problem)
        problem = std::current_exception();
      stop = true;
    }
  }
  if (problem)
    std::rethrow_exception(problem);
}
