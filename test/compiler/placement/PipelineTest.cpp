// Splits into stages: loads, and the smallest largest one.
#include "compiler/placement/Algorithm.h"
#include "compiler/placement/FreeStages.h"
#include "compiler/placement/IdealSplit.h"
#include "compiler/placement/Loads.h"
#include "compiler/placement/StageClusters.h"
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
  int isWorse = 0, isFreed = 0, isBestOfAll = 0;
  forRandomProblems(
      300, 8, [&](const Problem &problem, const Params &params, Random &) {
        double best = std::numeric_limits<double>::infinity(), any = best;
        forEachPlacement(problem, [&](const Placement &placement) {
          const double load = naiveLargest(problem, placement, params);
          any = std::min(any, load);
          if (goesForward(problem, placement))
            best = std::min(best, load);
        });
        const auto outcome = place(problem, "contiguous", params);
        REQUIRE(outcome);
        CHECK(goesForward(problem, outcome->placement));
        CHECK(naiveLargest(problem, outcome->placement, params) ==
              Approx(best));
        CHECK(outcome->lowerBound == Approx(best));
        CHECK(outcome->stagesInOrder);
        // A pipeline whose data may return is as good, or better.
        const auto free = place(problem, "pipeline", params);
        REQUIRE(free);
        const double load = naiveLargest(problem, free->placement, params);
        CHECK(load <= best * (1 + 1e-9));
        if (free->stagesInOrder)
          CHECK(goesForward(problem, free->placement));
        isWorse += best > any * (1 + 1e-9);
        isFreed += load < best * (1 - 1e-9);
        isBestOfAll += load <= any * (1 + 1e-9);
      });
  CHECK(isWorse > 10); // than placements that are not in order
  CHECK(isFreed > 10);
  CHECK(isBestOfAll >= 297); // of 300: no exact search
}

namespace {

/// All cuts of an order of the graph's blocks, by their definition.
void checkCuts(const Problem &problem, const Params &params, Random &random,
               const StageGraph &graph, const std::vector<int> &order) {
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
  const std::function<void(size_t, int)> tryAll = [&](size_t at, int stage) {
    if (at == order.size()) {
      std::vector<int64_t> used(size_t(split.stages));
      for (size_t b = 0; b < stages.size(); ++b)
        used[size_t(stages[b])] += graph.bytes[b];
      if (!isLimited ||
          *std::max_element(used.begin(), used.end()) <= *split.memoryBytes)
        best = std::min(best,
                        naiveLargest(problem, graph.placement(stages), params));
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
  CHECK(naiveLargest(problem, graph.placement(*found), params) == Approx(best));
  split.below = best * (1 - 1e-9);
  CHECK(!splitOrder(graph, order, split));
}

} // namespace

TEST_CASE("the best cuts of one order") {
  forRandomProblems(
      300, 9, [](const Problem &problem, const Params &params, Random &random) {
        const StageGraph graph(problem);
        const auto orders = linearOrders(graph);
        checkCuts(problem, params, random, graph,
                  orders[size_t(random.below(int64_t(orders.size())))]);
      });
}

TEST_CASE("the best cuts of an order in which data returns") {
  forRandomProblems(
      300, 9, [](const Problem &problem, const Params &params, Random &random) {
        const StageGraph graph(problem, Blocks::OfAnyPlacement);
        auto orders = unionOrders(graph);
        orders.push_back(orders[0]);
        for (size_t i = orders.back().size(); i > 1; --i)
          std::swap(orders.back()[i - 1],
                    orders.back()[size_t(random.below(int64_t(i)))]);
        for (const auto &order : orders) {
          std::vector<int> sorted = order;
          std::sort(sorted.begin(), sorted.end());
          REQUIRE(int(sorted.size()) == graph.count());
          for (int b = 0; b < graph.count(); ++b)
            CHECK(sorted[size_t(b)] == b);
          checkCuts(problem, params, random, graph, order);
        }
      });
}

TEST_CASE("clusters keep loads and limits") {
  int joined = 0;
  forRandomProblems(
      200, 30,
      [&](const Problem &problem, const Params &params, Random &random) {
        const StageGraph graph(problem, Blocks::OfAnyPlacement);
        ClusterParams limits;
        limits.mostSeconds = double(1 + random.below(40)) / 4;
        if (random.chance(50)) {
          limits.mostBytes = 1 + random.below(40);
          limits.bytes = &graph.bytes;
        }
        limits.seed = uint64_t(random.below(1000));
        const std::vector<int> of = clusters(graph, limits);
        const StageGraph small = contract(graph, of);
        std::vector<int> members(size_t(small.count()));
        for (int cluster : of)
          ++members[size_t(cluster)];
        for (size_t c = 0; c < members.size(); ++c) {
          REQUIRE(members[c] > 0);
          if (members[c] == 1)
            continue;
          ++joined;
          CHECK(small.seconds[c] <= limits.mostSeconds * (1 + 1e-9));
          if (limits.mostBytes)
            CHECK(small.bytes[c] <= *limits.mostBytes);
        }
        Stages stages(members.size()), opened(of.size());
        for (int &stage : stages)
          stage = int(random.below(problem.devices.count));
        for (size_t b = 0; b < of.size(); ++b)
          opened[b] = stages[size_t(of[b])];
        CHECK(largestLoad(small, stages, problem.devices.count,
                          params.transfersOverlap) ==
              Approx(naiveLargest(problem, graph.placement(opened), params)));
      });
  CHECK(joined > 200);
}

TEST_CASE(
    "free stages are never worse, keep the room, and are the same again") {
  int better = 0;
  forRandomProblems(
      60, 40,
      [&](const Problem &problem, const Params &params, Random &random) {
        const StageGraph graph(problem, Blocks::OfAnyPlacement);
        SplitParams split;
        split.stages = problem.devices.count;
        split.transfersOverlap = params.transfersOverlap;
        split.bytes = &graph.bytes;
        const Stages one(size_t(graph.count()), 0);
        if (random.chance(50))
          split.memoryBytes = 20 + random.below(300);
        const auto used = [&](const Stages &stages) {
          std::vector<int64_t> bytes(size_t(split.stages));
          for (size_t b = 0; b < stages.size(); ++b)
            bytes[size_t(stages[b])] += graph.bytes[b];
          return *std::max_element(bytes.begin(), bytes.end());
        };
        constexpr int kRounds = 12;
        const auto found = freeStages(graph, split, one, kRounds);
        CHECK(found == freeStages(graph, split, one, kRounds));
        const bool oneFits =
            !split.memoryBytes || used(one) <= *split.memoryBytes;
        REQUIRE((found || !oneFits));
        if (!found)
          return;
        CHECK((!split.memoryBytes || used(*found) <= *split.memoryBytes));
        const auto largest = [&](const Stages &each) {
          return naiveLargest(problem, graph.placement(each), params);
        };
        if (oneFits)
          CHECK(largest(*found) <= largest(one) * (1 + 1e-9));
        better += largest(*found) < largest(one);
      });
  CHECK(better > 20);
}

TEST_CASE("a training graph's layers are parted, way back and all") {
  // Four layers forward and backward, each with its weights: of stages in
  // order, all would be one block.
  TaskGraph graph;
  std::vector<int> forward, backward;
  for (int layer = 0; layer < 4; ++layer) {
    forward.push_back(addTask(graph, 1));
    graph.tasks.back().together = layer;
    if (layer > 0)
      graph.edges.push_back({forward[size_t(layer) - 1], forward.back(), 1});
  }
  for (int layer = 4; layer-- > 0;) {
    const int task = addTask(graph, 2);
    graph.tasks.back().together = layer;
    graph.edges.push_back(
        {backward.empty() ? forward.back() : backward.back(), task, 1});
    backward.push_back(task);
  }
  const Devices devices = devicesOf(4, 64, 0);
  const Problem problem(graph, devices);
  CHECK(StageGraph(problem).count() == 1);
  Params params;
  params.objective = Objective::Throughput;
  const auto outcome = place(problem, "pipeline", params);
  REQUIRE(outcome);
  CHECK(!outcome->stagesInOrder);
  // A layer on each device; the inner ones send and receive twice.
  CHECK(cost(problem, outcome->placement, params) == Approx(3 + 4.0 / 64));
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

TEST_CASE("tasks of the host that are together close no circle") {
  // a -> the host's first, the host's second -> b: no data goes from b to a.
  TaskGraph graph;
  for (int i = 0; i < 4; ++i)
    addTask(graph, 1, 4);
  graph.edges = {{0, 1, 4}, {2, 3, 4}, {3, 0, 4}};
  graph.tasks[1].together = graph.tasks[2].together = 7;
  graph.tasks[1].hasGpuKernel = graph.tasks[2].hasGpuKernel = false;
  const Devices devices = devicesOf(2, 64, 0);
  const Problem problem(graph, devices);
  const StageGraph stages(problem);
  CHECK(stages.blockOf[0] != stages.blockOf[3]);
  Params params;
  params.objective = Objective::Throughput;
  const auto outcome = place(problem, "contiguous", params);
  REQUIRE(outcome);
  CHECK(outcome->placement[0] != outcome->placement[3]);
}
