// What a plan takes on a machine, simulated and, where it is too large, not.
#include "compiler/pipeline/OnMachine.h"
#include "test/compiler/simulate/Plans.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::pipeline;
using simulate::PlanMaker;

TEST_CASE("a plan too large to be simulated takes no less than its computing") {
  // Each GPU computes for 2 s and gets 1000 bytes at 1000 bytes/s meanwhile.
  PlanMaker maker(2);
  maker.compute({250, 250});
  maker.fetch({{0, {{1, 250}}}, {1, {{0, 250}}}});
  maker.compute({250'000'000, 250'000'000});
  const auto machine = simulate::star(2);
  const auto onMachine = OnMachine::of(machine, 2);
  REQUIRE(onMachine);
  const auto simulated = onMachine->stepTime(maker.partitioned, 3, {});
  REQUIRE(simulated);
  CHECK(simulated->isSimulated);
  CHECK(simulated->seconds == Approx(2).epsilon(1e-3));
  const auto rated = onMachine->stepTime(maker.partitioned, 3, {}, 0);
  REQUIRE(rated);
  CHECK_FALSE(rated->isSimulated);
  // As if nothing were hidden.
  CHECK(rated->seconds == Approx(3).epsilon(1e-3));
}
