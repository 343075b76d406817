#include "compiler/simulate/Flows.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::simulate;

TEST_CASE("rates are max-min fair") {
  // The textbook's example: one long flow over both links, one short on each.
  Flows flows({10, 4});
  const std::vector<int> both = {0, 1}, first = {0}, second = {1};
  flows.start(0, both, 100);
  flows.start(1, first, 80);
  flows.start(2, second, 2);
  std::vector<int> ended;
  // 2, 8 and 2 bytes per second; then the long one has 4, the first short 6.
  REQUIRE(flows.nextEnd() == Approx(1));
  flows.advance(flows.nextEnd(), ended);
  CHECK(ended == std::vector<int>{2});
  REQUIRE(flows.nextEnd() == Approx(1 + 72 / 6.0));
  flows.advance(flows.nextEnd(), ended);
  CHECK(ended == std::vector<int>{2, 1});
  REQUIRE(flows.nextEnd() == Approx(13 + 50 / 4.0));
  flows.advance(flows.nextEnd(), ended);
  CHECK(ended == std::vector<int>{2, 1, 0});
  CHECK(flows.nextEnd() > 1e300);
}

TEST_CASE("what one flow does not want is left to others") {
  Flows flows({10, 100});
  const std::vector<int> first = {0}, second = {1};
  std::vector<int> ended;
  flows.start(0, first, 8, /*most=*/2);
  CHECK(flows.nextEnd() == Approx(4));
  // 2, 4 and 4 bytes per second; elsewhere one flow has what it wants.
  flows.start(1, first, 16);
  flows.start(2, first, 40);
  flows.start(3, second, 20, 5);
  flows.start(4, second, 1200);
  while (flows.nextEnd() < 1e300)
    flows.advance(flows.nextEnd(), ended);
  CHECK(ended == std::vector<int>{0, 1, 3, 2, 4});
  flows.start(5, first, 10);
  CHECK(flows.nextEnd() == Approx(12.2 + 1)); // 1,220 bytes of the second
}
