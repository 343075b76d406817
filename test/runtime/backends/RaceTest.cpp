// What threads tell one another by the thread group and the local transport, in
// memory that is not atomic: built with the thread sanitizer, which sees each
// access that nothing orders.
#include "runtime/backends/cpu/ThreadGroup.h"
#include "runtime/transports/Local.h"

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace smex;
using namespace smex::runtime;

namespace {

int failures = 0;
void check(bool holds, const char *what) {
  if (!holds) {
    std::fprintf(stderr, "FAILED: %s\n", what);
    ++failures;
  }
}

/// Who calls sees what bodies wrote, and bodies what was written before.
void groupPublishes(int threads) {
  const ThreadGroup group(threads);
  std::vector<int64_t> from(64), to(64);
  for (int64_t round = 0; round < 2000; ++round) {
    for (size_t i = 0; i < from.size(); ++i)
      from[i] = round + int64_t(i);
    // Some rounds late, when helpers sleep.
    if (round % 500 == 499)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    group.forEach(int64_t(from.size()),
                  [&](int64_t i, int) { to[size_t(i)] = 2 * from[size_t(i)]; });
    int64_t sum = 0;
    for (int64_t value : to)
      sum += value;
    check(sum == 2 * (64 * round + 64 * 63 / 2), "forEach: all was done");
  }
}

/// An exception and what it carries come to the caller.
void groupThrows() {
  const ThreadGroup group(4);
  for (int round = 0; round < 500; ++round) {
    std::string carried;
    try {
      group.forEach(30, [&](int64_t i, int) {
        if (i % 5 == 4)
          throw std::runtime_error("number " + std::to_string(round));
      });
    } catch (const std::runtime_error &e) {
      carried = e.what();
    }
    check(carried == "number " + std::to_string(round), "forEach: exception");
  }
}

/// `work(worker)` for each worker, at the same time.
template <typename Work> void onThreads(int workers, const Work &work) {
  std::vector<std::thread> threads;
  for (int worker = 0; worker < workers; ++worker)
    threads.emplace_back(work, worker);
  for (std::thread &thread : threads)
    thread.join();
}

/// Each worker reads what the one before wrote, after waiting for it; barriers
/// keep rounds apart.
void transportPublishes(int workers) {
  constexpr int64_t rounds = 2000;
  LocalTransport transport(workers, 1);
  std::vector<int64_t> values(size_t(workers), 0);
  std::vector<int> wrong(size_t(workers), 0);
  const auto work = [&](int worker) {
    for (int64_t round = 1; round <= rounds; ++round) {
      if (worker > 0) {
        if (!transport.wait({worker - 1, 0, round}))
          return;
        values[size_t(worker)] = values[size_t(worker) - 1] + 1;
      } else {
        values[0] = round;
      }
      transport.signal({worker, 0, round});
      if (!transport.barrier())
        return;
      wrong[size_t(worker)] += values.back() != round + workers - 1;
      if (!transport.barrier()) // or the next round would write what is read
        return;
    }
  };
  onThreads(workers, work);
  for (int count : wrong)
    check(count == 0, "transport: what was written is seen");
}

/// One gives up, and says why; all the others stop.
void transportStops() {
  for (int round = 0; round < 200; ++round) {
    LocalTransport transport(3, 1);
    std::string reason;
    std::vector<int> stopped(3, 0);
    const auto work = [&](int worker) {
      if (worker == 1) {
        reason = "round " + std::to_string(round);
        transport.stop(fail(reason));
        stopped[1] = 1;
        return;
      }
      stopped[size_t(worker)] =
          worker == 0 ? !transport.wait({1, 0, 1}) : !transport.barrier();
    };
    onThreads(3, work);
    check(stopped[0] && stopped[1] && stopped[2], "transport: all stopped");
    check(reason == "round " + std::to_string(round) &&
              transport.reason().message == reason,
          "transport: the reason");
  }
}

/// Everybody gets what all have shared, round after round, and pieces of what
/// is out of reach.
void transportShares(int workers) {
  constexpr int rounds = 500;
  LocalTransport transport(workers, 1);
  std::vector<std::vector<std::byte>> memory(static_cast<size_t>(workers));
  std::vector<int> wrong(size_t(workers), 0);
  const auto work = [&](int worker) {
    std::vector<std::byte> &own = memory[size_t(worker)];
    own.resize(4);
    transport.offer(worker, {nullptr, [&](int, const Box &box, std::byte *to) {
                               for (int64_t i = box[0].lo; i < box[0].hi; ++i)
                                 *to++ = own[size_t(i)];
                               return Status();
                             }});
    for (int round = 0; round < rounds; ++round) {
      own.assign(4, std::byte(round + worker));
      const Shared all = transport.share(worker, own);
      for (int other = 0; other < workers; ++other) {
        std::byte piece[2] = {};
        const Box box{{1, 3}};
        const bool isBrought =
            bool(transport.move(worker, 0, {{{other, box}, piece}}));
        const std::byte expected = std::byte(round + other);
        wrong[size_t(worker)] +=
            !isBrought || piece[1] != expected ||
            *all[size_t(other)] != std::vector<std::byte>(4, expected);
      }
      if (!transport.barrier())
        return;
    }
  };
  onThreads(workers, work);
  for (int count : wrong)
    check(count == 0, "transport: what was shared and moved");
}

} // namespace

int main() {
  for (int threads : {2, 3, 5})
    groupPublishes(threads);
  groupThrows();
  for (int workers : {2, 3, 8})
    transportPublishes(workers);
  transportStops();
  for (int workers : {1, 2, 5})
    transportShares(workers);
  return failures ? 1 : 0;
}
