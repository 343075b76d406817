#include "compiler/memory/LeastWaits.h"

#include <catch2/catch.hpp>
#include <random>

using namespace smex;
using namespace smex::memory;
using plan::Queue;

namespace {

/// before[a][b]: a completes before b starts; id = worker * count +
/// instruction.
using Before = std::vector<std::vector<bool>>;

Before closure(const std::vector<Queue> &queues, const WaitLists &waits) {
  const size_t count = queues.size(), all = waits.size() * count;
  Before before(all, std::vector<bool>(all));
  for (size_t w = 0; w < waits.size(); ++w)
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = 0; j < i; ++j)
        if (queues[j] == queues[i])
          before[w * count + j][w * count + i] = true;
      for (const Wait &wait : waits[w][i])
        before[size_t(wait.worker) * count + size_t(wait.instruction)]
              [w * count + i] = true;
    }
  for (size_t k = 0; k < all; ++k)
    for (size_t a = 0; a < all; ++a)
      for (size_t b = 0; b < all; ++b)
        if (before[a][k] && before[k][b])
          before[a][b] = true;
  return before;
}

std::string listed(const std::vector<Wait> &waits) {
  std::string text;
  for (const Wait &wait : waits)
    text += std::to_string(wait.worker) + ":" +
            std::to_string(wait.instruction) + " ";
  return text;
}

} // namespace

TEST_CASE("a wait that another one implies is left out") {
  const std::vector<Queue> queues = {Queue::Computing, Queue::Transfers,
                                     Queue::Computing, Queue::Transfers};
  // Worker 1's transfer waits for the other's computation, its computation for
  // that transfer; so the computation need not wait for the other's as well.
  const WaitLists waits = {{{}, {}, {}, {}},
                           {{}, {{0, 0}}, {{0, 0}, {1, 1}}, {{0, 2}, {0, 0}}}};
  const WaitLists least = leastWaits(queues, waits);
  CHECK(listed(least[1][1]) == "0:0 ");
  CHECK(listed(least[1][2]) == "1:1 ");
  CHECK(listed(least[1][3]) == "0:2 ");
}

TEST_CASE("random waits: the same order, and none can be spared") {
  std::mt19937 random(5);
  int dropped = 0;
  for (int round = 0; round < 200; ++round) {
    const size_t workers = 1 + random() % 3, count = 1 + random() % 6;
    std::vector<Queue> queues;
    for (size_t i = 0; i < count; ++i)
      queues.push_back(random() % 2 ? Queue::Computing : Queue::Transfers);
    WaitLists waits(workers, std::vector<std::vector<Wait>>(count));
    for (size_t w = 0; w < workers; ++w)
      for (size_t i = 0; i < count; ++i)
        for (size_t v = 0; v < workers; ++v)
          for (const Queue queue : plan::queues)
            for (size_t j = i; j-- > 0;)
              if (queues[j] == queue && !(v == w && queue == queues[i]) &&
                  random() % 2) {
                waits[w][i].push_back({int(v), int(j)});
                break;
              }
    const WaitLists least = leastWaits(queues, waits);
    const Before before = closure(queues, waits);
    REQUIRE(closure(queues, least) == before);
    for (size_t w = 0; w < workers; ++w)
      for (size_t i = 0; i < count; ++i) {
        dropped += int(waits[w][i].size() - least[w][i].size());
        for (size_t k = 0; k < least[w][i].size(); ++k) {
          WaitLists fewer = least;
          fewer[w][i].erase(fewer[w][i].begin() + int(k));
          REQUIRE(closure(queues, fewer) != before);
        }
      }
  }
  CHECK(dropped > 100);
}
