#include "runtime/graph/Choice.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>

using namespace smex;
using namespace smex::graph;

TEST_CASE("a choice is of different numbers, ascending") {
  Choice choice;
  for (int64_t all : {0, 1, 7, 3, 100, 2}) // one choice for rows of any length
    for (int64_t few = 0; few <= all; ++few) {
      const Numbers &drawn = choice.draw(few, all, Random(uint64_t(few), "x"));
      REQUIRE(int64_t(drawn.size()) == few);
      for (size_t i = 0; i < drawn.size(); ++i) {
        CHECK((drawn[i] >= 0 && drawn[i] < all));
        CHECK((i == 0 || drawn[i - 1] < drawn[i]));
      }
    }
}

TEST_CASE("every set is as likely as any other") {
  Choice choice;
  std::map<Numbers, int> seen;
  constexpr int rounds = 20000;
  for (uint64_t seed = 0; seed < rounds; ++seed)
    ++seen[choice.draw(2, 5, Random(seed, "sets"))];
  REQUIRE(seen.size() == 10);
  for (const auto &[set, times] : seen)
    CHECK(std::abs(times - rounds / 10) < 5 * std::sqrt(rounds / 10.));
}
