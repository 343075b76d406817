#include "dialects/support/Random.h"

#include <catch2/catch.hpp>

#include <set>
#include <vector>

using namespace smex;

TEST_CASE("random bits are a function of seed, name and element") {
  // Any implementation on any machine must draw these.
  CHECK(Random(0, "w").bits(0) == 0xb7be8ebb704b8fdf);
  CHECK(Random(0, "w").bits(1) == 0xf170eb364ca15c4);
  CHECK(Random(1, "w").bits(0) == 0x1eb4c777a4bb95b6);
}

TEST_CASE("numbers below a count are uniform, each stream its own") {
  const Random random(7, "numbers");
  for (int64_t count : {1, 2, 7, 10}) {
    std::vector<int> seen(size_t(count), 0);
    constexpr int draws = 10000;
    for (uint64_t e = 0; e < draws; ++e) {
      const int64_t value = random.of(3).below(count, e);
      REQUIRE(value >= 0);
      REQUIRE(value < count);
      ++seen[size_t(value)];
    }
    // Five standard deviations of a binomial, the largest there is.
    for (int times : seen)
      CHECK(std::abs(times - draws / double(count)) <= 5 * 50);
  }
  CHECK(random.below(int64_t(1) << 62, 1) > int64_t(1) << 32);
  std::set<uint64_t> first;
  for (uint64_t thing = 0; thing < 1000; ++thing)
    first.insert(random.of(thing).bits(0));
  CHECK(first.size() == 1000);
}
