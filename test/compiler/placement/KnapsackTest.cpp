#include "compiler/placement/Knapsack.h"

#include "test/compiler/placement/RandomTasks.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace smex;
using namespace smex::placement;
using namespace smex::placement::test;

TEST_CASE("the knapsack takes the best rate, or what is enough and cheaper") {
  const auto same = [](const std::vector<int64_t> &bytes) {
    return [&](int item) { return bytes[size_t(item)]; };
  };
  // Of rates 1, 2 and 3; 0 costs most.
  std::vector<int64_t> bytes = {100, 10, 4};
  Knapsack knapsack(3);
  knapsack.offer(0, 100, 100);
  knapsack.offer(1, 20, 10);
  knapsack.offer(2, 12, 4);
  CHECK(knapsack.pick(50, same(bytes)) == 0);
  CHECK(knapsack.pick(9, same(bytes)) == 1); // enough by itself
  CHECK(knapsack.pick(4, same(bytes)) == 2);
  bytes[0] = 40; // it brings less now: a rate of 2.5
  CHECK(knapsack.pick(50, same(bytes)) == 1);
  CHECK(knapsack.offered(0) == 40);
  knapsack.offer(1, 0, 0);
  CHECK(knapsack.pick(50, same(bytes)) == 0);
  knapsack.offer(0, 0, 0), knapsack.offer(2, 0, 0);
  CHECK(knapsack.pick(50, same(bytes)) == -1);
}

TEST_CASE("the knapsack forgets what is no longer offered") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const int count = int(1 + random.below(12));
    Knapsack knapsack(static_cast<size_t>(count));
    std::vector<int64_t> bytes(static_cast<size_t>(count));
    std::vector<double> costs(static_cast<size_t>(count));
    for (int i = 0; i < 60; ++i) {
      const size_t item = size_t(random.below(count));
      if (random.chance(60)) {
        bytes[item] = random.below(64), costs[item] = double(random.below(50));
        knapsack.offer(int(item), costs[item], bytes[item]);
      } else if (bytes[item] > 0) { // brings less, without being told
        bytes[item] -= random.below(bytes[item] + 1);
      }
      const int64_t lacking = 1 + random.below(64);
      const int got =
          knapsack.pick(lacking, [&](int each) { return bytes[size_t(each)]; });
      double bestRate = std::numeric_limits<double>::max();
      for (size_t j = 0; j < bytes.size(); ++j)
        if (bytes[j] > 0)
          bestRate = std::min(bestRate, costs[j] / double(bytes[j]));
      if (bestRate == std::numeric_limits<double>::max()) {
        CHECK(got == -1);
        continue;
      }
      REQUIRE(got >= 0);
      const size_t g = size_t(got);
      REQUIRE(bytes[g] > 0);
      if (costs[g] / double(bytes[g]) != bestRate)
        CHECK(bytes[g] >= lacking);
      // Those of more than twice what is lacking are all looked at.
      for (size_t j = 0; j < bytes.size(); ++j)
        if (bytes[j] >= 2 * lacking)
          CHECK(costs[g] <= costs[j]);
    }
  }
}
