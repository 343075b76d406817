// Pipelines of graphs where transfers take most of the time: from one good
// split to the next, much is cut on the way.
#include "compiler/placement/Bounds.h"
#include "examples/bench/TaskGraphs.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::placement;

TEST_CASE("where transfers are most, the search reaches the bound") {
  // Single blocks that move, or clusters of them, have reached 2909 us.
  bench::GraphSize size;
  size.tasks = 100;
  size.ccr = 10;
  for (const bench::GraphClass &each : bench::graphClasses()) {
    if (std::string(each.name) != "resnet")
      continue;
    const TaskGraph graph = each.draw(size);
    const Devices devices = bench::devicesOf(16);
    const Problem problem(graph, devices);
    Params params;
    params.objective = Objective::Throughput;
    const auto outcome = place(problem, "pipeline", params);
    REQUIRE(outcome);
    const double load = cost(problem, *outcome, params);
    CHECK(load <= lowerBounds(problem, params, load).best * 1.001);
    return;
  }
  FAIL("there are no such graphs");
}
