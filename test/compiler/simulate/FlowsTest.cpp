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
