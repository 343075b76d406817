// Splits into stages: loads, and the smallest largest one.
#include "compiler/placement/Algorithm.h"
#include "compiler/placement/IdealSplit.h"
#include "compiler/placement/Loads.h"
#include "compiler/placement/StageSearch.h"
#include "test/compiler/placement/Exhaustive.h"

#include <catch2/catch.hpp>

using namespace smex::placement;
using namespace smex::placement::test;

namespace {

/// Calls use(problem, params, random) for graphs with all that there may be.
template <typename Use> void forRandomProblems(int seeds, int most, Use &&use) {
  for (uint64_t seed = 0; seed < uint64_t(seeds); ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const TaskGraph graph =
        randomTasks(random, int(1 + random.below(most)), 1.2);
    const Devices devices = devicesOf(int(1 + random.below(3)), 16, 0.125);
    const Problem problem(graph, devices);
    Params params;
    params.objective = Objective::Throughput;
    params.transfersOverlap = random.chance(30);
    use(problem, params, random);
  }
}

double naiveLargest(const Problem &problem, const Placement &placement,
                    const Params &params) {
  return naiveLargestLoad(problem, placement, params.transfersOverlap);
}

} // namespace

TEST_CASE("loads are what their definition says") {
  forRandomProblems(
      300, 14,
      [](const Problem &problem, const Params &params, Random &random) {
        const Placement placement = randomPlacement(random, problem);
        const Loads loads = loadsOf(problem, placement);
        for (int d = 0; d < problem.devices.count; ++d)
          CHECK(loads.of(d, params.transfersOverlap) ==
                Approx(
                    naiveLoad(problem, placement, d, params.transfersOverlap)));
        CHECK(cost(problem, placement, params) ==
              Approx(naiveLargest(problem, placement, params)));
      });
}

TEST_CASE("loads of stages are those of the placement") {
  forRandomProblems(
      200, 14,
      [](const Problem &problem, const Params &params, Random &random) {
        const StageGraph graph(problem);
        Stages stages(size_t(graph.count()));
        for (int &stage : stages)
          stage = int(random.below(problem.devices.count));
        const auto loads = stageLoads(graph, stages, problem.devices.count);
        const Placement placement = graph.placement(stages);
        REQUIRE(validate(problem, placement));
        for (int d = 0; d < problem.devices.count; ++d)
          CHECK(loads[size_t(d)].of(params.transfersOverlap) ==
                Approx(
                    naiveLoad(problem, placement, d, params.transfersOverlap)));
        if (inOrder(graph, stages))
          CHECK(goesForward(problem, placement));
      });
}

TEST_CASE("contiguous finds the best of all stages in order") {
  int isWorse = 0;
  forRandomProblems(
      300, 8, [&](const Problem &problem, const Params &params, Random &) {
        double best = std::numeric_limits<double>::infinity(), any = best;
        forEachPlacement(problem, [&](const Placement &placement) {
          const double load = naiveLargest(problem, placement, params);
          any = std::min(any, load);
          if (goesForward(problem, placement))
            best = std::min(best, load);
        });
        for (const char *name : {"contiguous", "pipeline"}) {
          const auto outcome = place(problem, name, params);
          REQUIRE(outcome);
          CHECK(goesForward(problem, outcome->placement));
          CHECK(naiveLargest(problem, outcome->placement, params) ==
                Approx(best));
          CHECK(outcome->lowerBound == Approx(best));
          CHECK(outcome->stagesInOrder);
        }
        isWorse += best > any * (1 + 1e-9);
      });
  CHECK(isWorse > 10); // than placements that are not in order
}

TEST_CASE("the best cuts of one order") {
  forRandomProblems(
      300, 9, [](const Problem &problem, const Params &params, Random &random) {
        const StageGraph graph(problem);
        const auto orders = linearOrders(graph);
        const auto &order =
            orders[size_t(random.below(int64_t(orders.size())))];
        SplitParams split;
        split.stages = problem.devices.count;
        split.transfersOverlap = params.transfersOverlap;
        split.below = std::numeric_limits<double>::infinity();
        const bool isLimited = random.chance(40);
        if (isLimited) {
          split.memoryBytes = 20 + random.below(60);
          split.bytes = &graph.bytes;
        }
        // All stages that rise along the order.
        double best = std::numeric_limits<double>::infinity();
        Stages stages(order.size());
        const std::function<void(size_t, int)> tryAll = [&](size_t at,
                                                            int stage) {
          if (at == order.size()) {
            std::vector<int64_t> used(size_t(split.stages));
            for (size_t b = 0; b < stages.size(); ++b)
              used[size_t(stages[b])] += graph.bytes[b];
            if (!isLimited || *std::max_element(used.begin(), used.end()) <=
                                  *split.memoryBytes)
              best = std::min(
                  best, naiveLargest(problem, graph.placement(stages), params));
            return;
          }
          for (int s = stage; s < split.stages; ++s) {
            stages[size_t(order[at])] = s;
            tryAll(at + 1, s);
          }
        };
        tryAll(0, 0);
        const auto found = splitOrder(graph, order, split);
        REQUIRE(bool(found) == (best < split.below));
        if (!found)
          return;
        CHECK(inOrder(graph, *found));
        CHECK(naiveLargest(problem, graph.placement(*found), params) ==
              Approx(best));
        split.below = best * (1 - 1e-9);
        CHECK(!splitOrder(graph, order, split));
      });
}

TEST_CASE("orders are topological, and stages stay where they are") {
  forRandomProblems(
      200, 30,
      [](const Problem &problem, const Params &params, Random &random) {
        const StageGraph graph(problem);
        auto orders = linearOrders(graph);
        SplitParams split;
        split.stages = problem.devices.count;
        split.transfersOverlap = params.transfersOverlap;
        split.below = std::numeric_limits<double>::infinity();
        const auto stages = splitOrder(graph, orders[0], split);
        REQUIRE(stages);
        orders.push_back(orderWithin(graph, *stages));
        for (size_t i = 1; i < orders.back().size(); ++i)
          CHECK((*stages)[size_t(orders.back()[i - 1])] <=
                (*stages)[size_t(orders.back()[i])]);
        for (const auto &order : orders) {
          std::vector<int> place(size_t(graph.count()), -1);
          for (size_t i = 0; i < order.size(); ++i)
            place[size_t(order[i])] = int(i);
          REQUIRE(order.size() == place.size());
          for (size_t b = 0; b < place.size(); ++b)
            for (int next : graph.after[b])
              CHECK(place[b] < place[size_t(next)]);
        }
        const Stages better =
            anneal(graph, *stages, split, 20'000, uint64_t(random.below(1000)));
        CHECK(inOrder(graph, better));
        const auto largest = [&](const Stages &each) {
          return naiveLargest(problem, graph.placement(each), params);
        };
        CHECK(largest(better) <= largest(*stages) * (1 + 1e-9));
      });
}

TEST_CASE("unions on a circle are on one stage") {
  // a -> b -> c with a and c together: so is b.
  TaskGraph graph;
  for (int i = 0; i < 3; ++i)
    addTask(graph, 1, 4);
  graph.edges = {{0, 1, 4}, {1, 2, 4}};
  graph.tasks[0].together = graph.tasks[2].together = 7;
  const Devices devices = devicesOf(3);
  const Problem problem(graph, devices);
  CHECK(StageGraph(problem).count() == 1);
  CHECK(StageGraph(problem, Blocks::OfAnyPlacement).count() == 2);
}
