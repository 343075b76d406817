#include "compiler/memory/LeastWaits.h"

#include <catch2/catch.hpp>
#include <random>

using namespace smex;
using namespace smex::memory;

namespace {

using Waits = std::vector<std::vector<Wait>>;

/// before[a][b]: a completes before b starts; number = worker * count +
/// instruction. What a worker does not do is before nothing.
using Before = std::vector<std::vector<bool>>;

Before closure(const Schedule &schedule, const Waits &waits) {
  const size_t count = schedule.queues.size(),
               workers = size_t(workersOf(schedule.ways));
  const auto does = [&](size_t w, size_t i) {
    return bool(schedule.doers[size_t(schedule.doersOf[i])][w]);
  };
  Before before(workers * count, std::vector<bool>(workers * count));
  for (size_t w = 0; w < workers; ++w)
    for (size_t i = 0; i < count; ++i) {
      if (!does(w, i))
        continue;
      for (size_t j = 0; j < i; ++j)
        if (schedule.queues[j] == schedule.queues[i] && does(w, j))
          before[w * count + j][w * count + i] = true;
      for (const Wait &wait : waits[i])
        for (size_t v = 0; v < workers; ++v)
          if ((differences(schedule.ways, int64_t(v), int64_t(w)) &
               ~wait.steps) == 0 &&
              does(v, size_t(wait.instruction)))
            before[v * count + size_t(wait.instruction)][w * count + i] = true;
    }
  for (size_t k = 0; k < before.size(); ++k)
    for (size_t a = 0; a < before.size(); ++a)
      if (before[a][k])
        for (size_t b = 0; b < before.size(); ++b)
          if (before[k][b])
            before[a][b] = true;
  return before;
}

std::string listed(const std::vector<Wait> &waits) {
  std::string text;
  for (const Wait &wait : waits)
    text += std::to_string(wait.instruction) + "/" +
            std::to_string(wait.steps) + " ";
  return text;
}

Schedule randomSchedule(std::mt19937 &random, const Ways &ways,
                        std::vector<std::vector<bool>> doers) {
  Schedule schedule{ways, {}, std::move(doers), {}, {}};
  const size_t count = 2 + random() % 7;
  for (size_t i = 0; i < count; ++i) {
    schedule.queues.push_back(queues[random() % size_t(queueCount)]);
    schedule.doersOf.push_back(int(random() % schedule.doers.size()));
    schedule.waits.emplace_back();
    for (size_t j = 0; j < i; ++j)
      if (random() % 3 == 0)
        schedule.waits.back().push_back(
            {int(j), random() % (StepSet(1) << ways.size())});
  }
  return schedule;
}

/// How many waits were left out; the order must be the same without them.
size_t dropped(const Schedule &schedule, const Waits &least) {
  REQUIRE(closure(schedule, least) == closure(schedule, schedule.waits));
  size_t count = 0;
  for (size_t i = 0; i < least.size(); ++i)
    count += schedule.waits[i].size() - least[i].size();
  return count;
}

} // namespace

TEST_CASE("a wait that another one implies is left out") {
  // Who has waited for all has waited for itself; and the last instruction's
  // wait for the second is for one that waited for the first.
  const Schedule schedule = {
      {2},
      {Queue::Computing, Queue::Transfers, Queue::Computing, Queue::Transfers},
      {{true, true}},
      {0, 0, 0, 0},
      {{}, {{0, 0}, {0, 1}}, {{0, 1}, {1, 0}}, {{0, 1}, {2, 0}}}};
  const Waits least = leastWaits(schedule);
  CHECK(listed(least[1]) == "0/1 ");
  CHECK(listed(least[2]) == "1/0 ");
  CHECK(listed(least[3]) == "2/0 ");
}

TEST_CASE("placed on one worker each: as few as if each was looked at alone") {
  // Worker 1's computation waits for worker 0's; its transfer for both.
  const StepSet all = 1;
  const Schedule schedule = {
      {2},
      {Queue::Computing, Queue::Computing, Queue::Transfers},
      {{true, false}, {false, true}},
      {0, 1, 1},
      {{}, {{0, all}}, {{0, all}, {1, 0}}}};
  CHECK(listed(leastWaits(schedule)[2]) == "1/0 ");
}

TEST_CASE("random waits: the same order, and none can be spared") {
  std::mt19937 random(5);
  size_t count = 0;
  for (int round = 0; round < 300; ++round) {
    Ways ways;
    for (int s = int(random() % 3); s >= 0; --s)
      ways.push_back(2 + int(random() % 2));
    const std::vector<bool> everyone(size_t(workersOf(ways)), true);
    const Schedule schedule = randomSchedule(random, ways, {everyone});
    INFO("round " << round);
    const Waits least = leastWaits(schedule);
    count += dropped(schedule, least);
    const Before before = closure(schedule, least);
    for (size_t i = 0; i < least.size(); ++i)
      for (size_t k = 0; k < least[i].size(); ++k) {
        Waits fewer = least;
        fewer[i].erase(fewer[i].begin() + int(k));
        REQUIRE(closure(schedule, fewer) != before);
      }
  }
  CHECK(count > 300);
}

TEST_CASE("random waits of random workers: the same order") {
  std::mt19937 random(6);
  size_t count = 0;
  for (int round = 0; round < 500; ++round) {
    Ways ways;
    for (int s = int(random() % 3); s >= 0; --s)
      ways.push_back(2 + int(random() % 2));
    std::vector<std::vector<bool>> doers = {
        std::vector<bool>(size_t(workersOf(ways)), true)};
    for (int k = int(random() % 4); k > 0; --k) {
      doers.push_back(doers[random() % doers.size()]);
      for (size_t w = 0; w < doers.back().size(); ++w)
        doers.back()[w] = doers.back()[w] && random() % 3 > 0;
    }
    const Schedule schedule = randomSchedule(random, ways, doers);
    INFO("round " << round);
    count += dropped(schedule, leastWaits(schedule));
  }
  CHECK(count > 300);
}
