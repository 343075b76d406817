#include "runtime/backends/cpu/ThreadGroup.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

using namespace smex::runtime;

TEST_CASE("every task is done once, on threads that are told apart") {
  for (int threads : {1, 2, 5}) {
    const ThreadGroup group(threads);
    for (int round = 0; round < 300; ++round)
      for (int64_t count : {0, 1, 2, 50}) {
        const int most = round % 4;
        std::vector<std::atomic<int>> done(64), busy(8);
        std::atomic<bool> shared{false}, beyond{false};
        group.forEach(
            count,
            [&](int64_t i, int thread) {
              beyond = beyond || thread >= threads || (most && thread >= most);
              shared = shared || busy[size_t(thread)].fetch_add(1) != 0;
              ++done[size_t(i)];
              busy[size_t(thread)].fetch_sub(1);
            },
            most);
        CHECK_FALSE((shared || beyond));
        for (int64_t i = 0; i < 64; ++i)
          REQUIRE(done[size_t(i)] == (i < count));
      }
  }
}

TEST_CASE("an exception comes out, and the group goes on") {
  const ThreadGroup group(3);
  for (int round = 0; round < 100; ++round) {
    CHECK_THROWS_AS(group.forEach(20,
                                  [](int64_t i, int) {
                                    if (i % 7 == 3)
                                      throw std::runtime_error("no");
                                  }),
                    std::runtime_error);
    std::atomic<int> done{0};
    group.forEach(20, [&](int64_t, int) { ++done; });
    CHECK(done == 20);
  }
}
