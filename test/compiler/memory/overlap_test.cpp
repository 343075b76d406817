#include "compiler/memory/Overlap.h"
#include "compiler/memory/Planner.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace smex;
using namespace smex::memory;

namespace {

Task task(Queue queue, double seconds, int writes, std::vector<int> reads) {
  Task task;
  task.queue = queue;
  task.seconds = seconds;
  task.writes = {writes};
  task.reads = std::move(reads);
  return task;
}

Task compute(double seconds, int writes, std::vector<int> reads) {
  return task(Queue::Computing, seconds, writes, std::move(reads));
}

Task transfer(double seconds, int writes, std::vector<int> reads) {
  return task(Queue::Transfers, seconds, writes, std::move(reads));
}

std::vector<Storage> storage(size_t count, int64_t bytes = 1) {
  return std::vector<Storage>(count, Storage{{bytes}, false, false});
}

/// Most bytes alive at once, per worker.
std::vector<int64_t> peaks(const std::vector<Task> &tasks,
                           const std::vector<Storage> &storage,
                           const std::vector<int> &order) {
  std::vector<int64_t> found;
  for (size_t w = 0; w < storage[0].bytes.size(); ++w) {
    std::vector<Allocation> lives;
    for (size_t b = 0; b < storage.size(); ++b) {
      Allocation life{int64_t(order.size()), 0, storage[b].bytes[w]};
      for (size_t at = 0; at < order.size(); ++at) {
        const Task &task = tasks[size_t(order[at])];
        if (task.writes.front() != int(b) &&
            !std::count(task.reads.begin(), task.reads.end(), int(b)))
          continue;
        life.lower = std::min(life.lower, int64_t(at));
        life.upper = std::max(life.upper, int64_t(at) + 1);
      }
      if (storage[b].fromStart)
        life.lower = 0;
      if (storage[b].toEnd)
        life.upper = int64_t(order.size());
      lives.push_back(life);
    }
    found.push_back(mostAlive(lives, 1));
  }
  return found;
}

const std::vector<int> inOrder(size_t count) {
  std::vector<int> order;
  for (size_t i = 0; i < count; ++i)
    order.push_back(int(i));
  return order;
}

} // namespace

TEST_CASE("a fetch goes ahead of the computation that it can go beside") {
  // 0 and 1 are there; 1 is fetched for the second computation.
  auto places = storage(6);
  places[0].fromStart = places[1].fromStart = true;
  places[0].toEnd = places[1].toEnd = true;
  const std::vector<Task> tasks = {compute(5, 2, {0}), transfer(3, 3, {1}),
                                   compute(5, 4, {2, 3})};
  const Overlapped found = overlap(tasks, places, 8);
  CHECK(found.order == std::vector<int>{1, 0, 2});
  CHECK(found.beside == std::vector<int>{1, 0, 0});
  // Not past anything.
  CHECK(overlap(tasks, places, 0).order == std::vector<int>{0, 1, 2});
}

TEST_CASE("late fetching remains where memory is at its peak") {
  auto places = storage(6);
  places[0].fromStart = places[0].toEnd = true;
  // While the first computation runs, all there is is in use: its scratch of 9
  // is gone when the fetch comes.
  places[5].bytes = {9};
  const std::vector<Task> tasks = {compute(5, 5, {0}), compute(5, 2, {5}),
                                   transfer(3, 3, {0}), compute(5, 4, {2, 3})};
  CHECK(overlap(tasks, places, 8).order == std::vector<int>{0, 1, 2, 3});
  // On one of two workers.
  for (Storage &each : places)
    each.bytes.push_back(1);
  CHECK(overlap(tasks, places, 8).order == std::vector<int>{0, 1, 2, 3});
  // If the peak is elsewhere, it goes ahead.
  places[4].bytes = {20, 20};
  CHECK(overlap(tasks, places, 8).order == std::vector<int>{2, 0, 1, 3});
}

TEST_CASE("a computation that would wait lets another one go first") {
  // 1 is needed at once; the last computation needs nothing of it.
  auto places = storage(6);
  places[0].fromStart = places[0].toEnd = places[5].toEnd = true;
  places[4].bytes = {9}; // so that memory is no matter
  const std::vector<Task> tasks = {compute(1, 1, {0}), transfer(3, 2, {1}),
                                   compute(1, 3, {2}), compute(4, 5, {0}),
                                   compute(1, 4, {3})};
  const Overlapped found = overlap(tasks, places, 8);
  CHECK(found.order == std::vector<int>{0, 1, 3, 2, 4});
  CHECK(found.beside == std::vector<int>{0, 1, 0, 0, 0});
}

TEST_CASE("workers compute at the same time, and fetch beside their own") {
  // Worker 0 computes long; what worker 1 fetches meanwhile, and computes, does
  // not wait for that, and goes first.
  auto places = storage(8);
  places[0].fromStart = places[0].toEnd = true;
  places[7].bytes = {9}; // so that memory is no matter
  std::vector<Task> tasks = {compute(9, 1, {0}),  compute(9, 2, {1}),
                             transfer(2, 3, {0}), compute(1, 4, {3}),
                             transfer(2, 5, {4}), compute(1, 6, {2, 5, 7})};
  for (const int i : {2, 3})
    tasks[size_t(i)].workers = {1};
  CHECK(overlap(tasks, places, 8).order == std::vector<int>{2, 0, 3, 4, 1, 5});
  // All on one: one long computation after the other.
  for (Task &each : tasks)
    each.workers = {};
  CHECK(overlap(tasks, places, 8).order == std::vector<int>{2, 0, 1, 3, 4, 5});
}

TEST_CASE("what one memory holds, those like it can") {
  auto places = storage(6);
  places[0].fromStart = places[0].toEnd = true;
  places[5].bytes = {9};
  for (Storage &each : places)
    each.bytes.push_back(each.bytes[0] + 1);
  const std::vector<Task> tasks = {compute(5, 5, {0}), compute(5, 2, {5}),
                                   transfer(3, 3, {0}), compute(5, 4, {2, 3})};
  CHECK(overlap(tasks, places, 8).order == inOrder(4));
  CHECK(overlap(tasks, places, 8, 1, {{0, 1}, {}}).order == inOrder(4));
  // The second is full; the first would have room, if it were the second.
  for (Storage &each : places)
    each.bytes[1] = 0;
  places[5].bytes[1] = 30;
  CHECK(overlap(tasks, places, 8, 1, {{0, 1}, {}}).order == inOrder(4));
  CHECK(overlap(tasks, places, 8, 1, {{0, 0}, {}}).order ==
        std::vector<int>{2, 0, 1, 3});
  // The first has no room for as much as the second, but for a little more
  // than it needs; less than it needs counts as nothing.
  CHECK(overlap(tasks, places, 8, 1, {{0, 0}, {10, 100}}).order == inOrder(4));
  CHECK(overlap(tasks, places, 8, 1, {{0, 0}, {1, 1}}).order == inOrder(4));
  CHECK(overlap(tasks, places, 8, 1, {{0, 0}, {29, 100}}).order ==
        std::vector<int>{2, 0, 1, 3});
}

TEST_CASE("what is without transfers stays as it is") {
  auto places = storage(9);
  std::vector<Task> tasks;
  for (int i = 0; i < 8; ++i)
    tasks.push_back(compute(1 + i % 3, i + 1, {i / 2}));
  CHECK(overlap(tasks, places, 8).order == inOrder(8));
}

TEST_CASE("random programs: an order of what depends, in no more memory") {
  std::mt19937 random(3);
  int moved = 0;
  for (int round = 0; round < 300; ++round) {
    const size_t count = 2 + random() % 30, workers = 1 + random() % 2;
    std::vector<Storage> places(count + 2);
    for (Storage &each : places) {
      for (size_t w = 0; w < workers; ++w)
        each.bytes.push_back(int64_t(random() % 8));
      each.toEnd = random() % 8 == 0;
    }
    for (size_t b : {count, count + 1})
      places[b].fromStart = true;
    std::vector<Task> tasks;
    for (size_t i = 0; i < count; ++i) {
      std::vector<int> reads;
      for (size_t k = 0; k < 1 + random() % 2; ++k)
        reads.push_back(i > 0 && random() % 4
                            ? int(i - 1 - random() % std::min<size_t>(i, 6))
                            : int(count + random() % 2));
      // Now and then a buffer is filled by two.
      const int to = i > 0 && random() % 8 == 0 ? int(i - 1) : int(i);
      const Queue queue = random() % 3
                              ? Queue::Computing
                              : queues[1 + random() % (queueCount - 1)];
      tasks.push_back(task(queue, double(random() % 5), to, reads));
      for (size_t w = 0; w < workers; ++w)
        if (random() % 2)
          tasks.back().workers.push_back(int(w));
    }
    Room room;
    if (random() % 2)
      room.alike.assign(workers, 0);
    if (random() % 2)
      for (size_t w = 0; w < workers; ++w)
        room.capacities.push_back(int64_t(random() % 40));
    const Overlapped found =
        overlap(tasks, places, int(random() % 12), 1, room);
    std::vector<int> sorted = found.order;
    std::sort(sorted.begin(), sorted.end());
    REQUIRE(sorted == inOrder(count));
    std::vector<int> at(count);
    for (size_t k = 0; k < count; ++k)
      at[size_t(found.order[k])] = int(k);
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < i; ++j) {
        const auto reads = [](const Task &task, int buffer) {
          return std::count(task.reads.begin(), task.reads.end(), buffer) > 0;
        };
        if (tasks[i].writes == tasks[j].writes ||
            reads(tasks[i], tasks[j].writes.front()) ||
            reads(tasks[j], tasks[i].writes.front()))
          REQUIRE(at[j] < at[i]);
      }
    const auto before = peaks(tasks, places, inOrder(count));
    const auto after = peaks(tasks, places, found.order);
    for (size_t w = 0; w < workers; ++w) {
      int64_t more = room.alike.empty()
                         ? before[w]
                         : *std::max_element(before.begin(), before.end());
      if (!room.capacities.empty())
        more = std::min(more, room.capacities[w]);
      REQUIRE(after[w] <= std::max(before[w], more));
    }
    moved += found.order != inOrder(count);
  }
  CHECK(moved > 100);
}
