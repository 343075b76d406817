#include "runtime/backends/reference/Scheduler.h"

#include "dialects/support/Random.h"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace smex;
using namespace smex::runtime;

namespace {
/// How long a process sleeps that can only wait for another one.
constexpr std::chrono::microseconds nap(100);
/// A worker that waits for its neighbours looks so often whether the run was
/// stopped.
constexpr std::chrono::milliseconds glance(10);
} // namespace

Scheduler::Scheduler(std::vector<int> workers, Transport &transport,
                     uint64_t seed, Run run)
    : workers(std::move(workers)), transport(transport), seed(seed),
      run(std::move(run)), queues(this->workers.size() * size_t(queueCount)) {}

void Scheduler::submit(size_t place, const Submission &submission) {
  queues[place * size_t(queueCount) + size_t(submission.done.queue)].push_back(
      submission);
}

Result<bool> Scheduler::finish(size_t place) {
  std::unique_lock<std::mutex> lock(mutex);
  const int64_t before = completed;
  if (++arrived == workers.size()) {
    problem = runAll();
    for (Queue &queue : queues) // what an error has left
      queue.clear();
    arrived = 0;
    ++step;
    ++completed;
    changed.notify_all();
  } else {
    while (completed == before && !transport.isStopped())
      changed.wait_for(lock, glance);
  }
  if (problem && problem->place == place)
    return problem->error;
  return !problem && !transport.isStopped();
}

std::optional<Scheduler::Problem> Scheduler::runAll() {
  const std::vector<size_t> priorities = order();
  while (!transport.isStopped()) {
    const auto next =
        std::find_if(priorities.begin(), priorities.end(),
                     [&](size_t number) { return isReady(queues[number]); });
    if (next != priorities.end()) {
      if (Status done = runFront(*next); !done)
        return Problem{*next / size_t(queueCount), done.takeError()};
      continue;
    }
    if (std::all_of(queues.begin(), queues.end(),
                    [](const Queue &queue) { return queue.empty(); }))
      return std::nullopt;
    if (auto found = deadlock())
      return found;
    std::this_thread::sleep_for(nap);
  }
  return std::nullopt;
}

std::vector<size_t> Scheduler::order() const {
  std::vector<size_t> numbers;
  for (size_t number = 0; number < queues.size(); ++number)
    if (!queues[number].empty())
      numbers.push_back(number);
  if (numbers.empty())
    return numbers;
  const size_t place = size_t((seed % numbers.size() + step) % numbers.size());
  const size_t last = numbers[place];
  const Random random = Random(seed, "schedule").of(step);
  std::sort(numbers.begin(), numbers.end(), [&](size_t a, size_t b) {
    if (a == last || b == last)
      return b == last && a != last;
    return random.bits(a) < random.bits(b);
  });
  return numbers;
}

bool Scheduler::isReady(const Queue &queue) const {
  if (queue.empty())
    return false;
  const std::vector<Event> &after = *queue.front().after;
  return std::all_of(after.begin(), after.end(), [&](const Event &event) {
    return transport.hasHappened(event);
  });
}

Status Scheduler::runFront(size_t number) {
  const Submission front = queues[number].front();
  queues[number].pop_front();
  if (Status done = run(number / size_t(queueCount), front); !done)
    return done;
  transport.signal(front.done);
  return {};
}

std::optional<Scheduler::Problem> Scheduler::deadlock() const {
  std::optional<Problem> first;
  for (size_t number = 0; number < queues.size(); ++number) {
    if (queues[number].empty())
      continue;
    const Submission &front = queues[number].front();
    bool isReady = true;
    for (const Event &event : *front.after) {
      if (transport.hasHappened(event))
        continue;
      isReady = false;
      if (!std::binary_search(workers.begin(), workers.end(), event.worker))
        return std::nullopt;
      if (!first)
        first = Problem{number / size_t(queueCount),
                        fail("instruction ", front.instruction,
                             " waits for worker ", event.worker,
                             ", which waits itself, and so do all")};
    }
    // Another process has signalled meanwhile what it waited for.
    if (isReady)
      return std::nullopt;
  }
  return first;
}
