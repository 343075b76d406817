// Proofs that loads are too small, against all placements of small graphs.
#include "compiler/placement/ForcedBlocks.h"
#include "compiler/placement/FreeStages.h"
#include "compiler/placement/StageBound.h"
#include "compiler/placement/StageClusters.h"
#include "compiler/placement/StageProof.h"
#include "test/compiler/placement/Exhaustive.h"
#include "test/compiler/placement/RandomProblems.h"

#include <catch2/catch.hpp>

using namespace smex::placement;
using namespace smex::placement::test;

namespace {

constexpr double kMore = 1 + 1e-6, kLess = 1 - 1e-6;
constexpr int kRates = 5;

/// Stages and largest loads of all placements.
std::vector<std::pair<double, Stages>> all(const Problem &problem,
                                           const StageGraph &graph) {
  std::vector<std::pair<double, Stages>> loads;
  forEachPlacement(problem, [&](const Placement &placement) {
    Stages stages(size_t(graph.count()), 0);
    for (size_t t = 0; t < placement.size(); ++t)
      if (placement[t] != problem.devices.host())
        stages[size_t(graph.blockOf[t])] = placement[t];
    loads.emplace_back(naiveLargestLoad(problem, placement, false), stages);
  });
  return loads;
}

double smallest(const std::vector<std::pair<double, Stages>> &loads) {
  double best = std::numeric_limits<double>::infinity();
  for (const auto &[load, stages] : loads)
    best = std::min(best, load);
  return best;
}

} // namespace

TEST_CASE("what is forced is so in all placements of a smaller load") {
  int together = 0, apart = 0, none = 0;
  forRandomProblems(300, kRates, [&](const Problem &problem, Random &random) {
    const StageGraph graph(problem, Blocks::OfAnyPlacement);
    const auto placements = all(problem, graph);
    const double load =
        smallest(placements) * (0.75 + double(random.below(5)) / 8);
    int64_t work = 1'000'000'000;
    const auto clusters = forcedTogether(graph, load, work);
    CHECK(work < 1'000'000'000);
    const ForcedApart forced = forcedApart(graph, load, work);
    none += !clusters;
    for (int a = 0; clusters && a < graph.count(); ++a)
      for (int b = a + 1; b < graph.count(); ++b) {
        together += (*clusters)[size_t(a)] == (*clusters)[size_t(b)];
        apart += forced.apart[size_t(a)][size_t(b)];
      }
    for (const auto &[reached, stages] : placements) {
      if (reached >= load * kLess)
        continue;
      REQUIRE(clusters);
      for (int a = 0; a < graph.count(); ++a)
        for (int b = a + 1; b < graph.count(); ++b) {
          const bool areTogether = stages[size_t(a)] == stages[size_t(b)];
          if ((*clusters)[size_t(a)] == (*clusters)[size_t(b)])
            REQUIRE(areTogether);
          if (forced.apart[size_t(a)][size_t(b)])
            REQUIRE(!areTogether);
        }
    }
  });
  CHECK(together > 300);
  CHECK(apart > 300);
  CHECK(none > 20);
}

TEST_CASE("a proof holds up to the smallest load that a placement has") {
  int more = 0;
  forRandomProblems(300, kRates, [&](const Problem &problem, Random &) {
    const StageGraph graph(problem, Blocks::OfAnyPlacement);
    const double best = smallest(all(problem, graph));
    if (best == 0)
      return;
    const auto prove = [&](double load) {
      int64_t work = 1'000'000'000;
      return proveLoad(graph, problem.devices.count, load, work);
    };
    REQUIRE(prove(best * kLess) == Proof::Holds);
    REQUIRE(prove(best * kMore) == Proof::Fails);
    StageBoundParams params;
    params.stages = problem.devices.count;
    params.reached = best;
    REQUIRE(stageBound(graph, params) <= best * kMore);
    REQUIRE(stageBound(graph, params) >= best * 0.99);
    params.reached = best * 1.5;
    REQUIRE(stageBound(graph, params) <= best * kMore);
    const double bound = stageBound(graph, params);
    params.proofWork = params.priceWork = 0;
    more += bound > stageBound(graph, params) * kMore;
  });
  CHECK(more > 50);
}

TEST_CASE("of small graphs, the search reaches the smallest load") {
  int reached = 0, tried = 0;
  forRandomProblems(40, kRates, [&](const Problem &problem, Random &) {
    const StageGraph graph(problem, Blocks::OfAnyPlacement);
    const double best = smallest(all(problem, graph));
    SplitParams split;
    split.stages = problem.devices.count;
    const auto stages = freeStages(graph, split, std::nullopt, 4);
    REQUIRE(stages);
    ++tried;
    reached += naiveLargestLoad(problem, graph.placement(*stages), false) <=
               best * kMore;
  });
  CAPTURE(reached, tried);
  CHECK(reached * 20 >= tried * 19);
}

TEST_CASE("where nothing takes time, nothing is proven, and that ends") {
  TaskGraph graph;
  addTask(graph, 0, 1);
  addTask(graph, 0, 1);
  graph.edges.push_back({0, 1, 8});
  const Devices devices = devicesOf(2, 1, 0);
  const Problem problem(graph, devices);
  StageBoundParams params;
  params.stages = 2;
  params.reached = 1;
  CHECK(stageBound(StageGraph(problem, Blocks::OfAnyPlacement), params) ==
        Approx(0).margin(1e-9));
}

TEST_CASE("a proof without work is none") {
  // Six tasks of 1 s in a circle of transfers, on two devices.
  TaskGraph graph;
  for (int i = 0; i < 6; ++i)
    addTask(graph, 1, 1);
  for (int i = 0; i < 6; ++i)
    graph.edges.push_back(
        {std::min(i, (i + 1) % 6), std::max(i, (i + 1) % 6), 1});
  const Devices devices = devicesOf(2, 4, 0);
  const Problem problem(graph, devices);
  const StageGraph blocks(problem, Blocks::OfAnyPlacement);
  // Three each, and two that are read elsewhere: 3.5 s.
  int64_t work = 1'000'000'000;
  CHECK(proveLoad(blocks, 2, 3.49, work) == Proof::Holds);
  CHECK(proveLoad(blocks, 2, 3.51, work) == Proof::Fails);
  work = 0;
  CHECK(proveLoad(blocks, 2, 3.49, work) == Proof::Unknown);
}
