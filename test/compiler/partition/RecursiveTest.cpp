#include "compiler/partition/Recursive.h"
#include "compiler/partition/Algorithm.h"
#include "compiler/partition/BruteForce.h"
#include "compiler/partition/CommunicationBytes.h"
#include "compiler/partition/Factorize.h"
#include "compiler/partition/LowerBound.h"
#include "test/compiler/partition/PlanChecks.h"
#include "test/compiler/partition/RandomGraph.h"

#include <catch2/catch.hpp>

#include <iostream>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::test;

namespace {

PartitionPlan search(const OperatorGraph &graph, int64_t workers,
                     const Params &params = {}) {
  auto plan = partitionRecursively(graph, workers, params);
  REQUIRE(plan);
  REQUIRE(validate(graph, *plan));
  return std::move(*plan);
}

int64_t costOf(const OperatorGraph &graph, const PartitionPlan &plan,
               const std::vector<int64_t> &links) {
  int64_t cost = 0;
  for (int op = 0; op < int(graph.operators.size()); ++op) {
    for (int i = 0; i < int(graph.operators[op].operands.size()); ++i)
      cost += readCost(graph, plan, op, i, links);
    cost += writeCost(graph, plan, op, links);
  }
  return cost;
}

/// Each step's bytes, or its cost where links differ, are the least of all
/// choices for it.
void checkSteps(const OperatorGraph &graph, const PartitionPlan &plan,
                const Params &params) {
  checkTotals(graph, plan);
  PartitionPlan before;
  for (const Step &step : plan.steps) {
    const auto least = leastStepBytes(graph, before, step.ways, params);
    REQUIRE(least);
    before.steps.push_back(step);
    if (params.linkCosts.empty()) {
      REQUIRE(step.bytes == *least);
      REQUIRE(step.optimal);
    } else {
      REQUIRE(costOf(graph, before, params.linkCosts) == *least);
    }
  }
}

} // namespace

TEST_CASE("each step of random graphs is as good as the best of all choices") {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    RandomSizes sizes;
    sizes.maxOperators = seed % 4 == 0 ? 3 : 2;
    const Model model = randomGraph(random, sizes);
    Params params = randomParams(random);
    params.shareAlikeReaders = false; // B alone
    CAPTURE(describe(model));
    for (int64_t workers : {2, 3, 4, 6, 8}) {
      CAPTURE(workers);
      checkSteps(model, search(model, workers, params), params);
    }
  }
}

TEST_CASE("where links differ, each step costs the least") {
  int better = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    RandomSizes sizes;
    sizes.maxOperators = 2;
    const Model model = randomGraph(random, sizes);
    Params params = randomParams(random);
    params.shareAlikeReaders = false;
    params.ways = seed % 3 == 0   ? std::vector<int64_t>{2, 2, 2}
                  : seed % 3 == 1 ? std::vector<int64_t>{2, 3}
                                  : std::vector<int64_t>{3, 2};
    const PartitionPlan even = search(model, workersOf(params.ways), params);
    for (size_t s = params.ways.size(); s-- > 0;)
      params.linkCosts.insert(
          params.linkCosts.begin(),
          (s + 1 < params.ways.size() ? params.linkCosts.front() : 1) +
              random.below(9));
    CAPTURE(describe(model));
    const PartitionPlan plan = search(model, workersOf(params.ways), params);
    checkSteps(model, plan, params);
    better += costOf(model, plan, params.linkCosts) <
              costOf(model, even, params.linkCosts);
  }
  CHECK(better > 0); // mostly, the least moves least over any link
}

TEST_CASE("devices by weight: steps are the least of such cuts") {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    RandomSizes sizes;
    sizes.maxOperators = 2;
    const Model model = randomGraph(random, sizes);
    Params params = randomParams(random);
    params.shareAlikeReaders = false;
    params.ways = {2, 3};
    params.weights = {{1, random.between(1, 4)},
                      {random.between(1, 3), 2, random.between(1, 3)}};
    CAPTURE(describe(model));
    checkSteps(model, search(model, 6, params), params);
  }
}

TEST_CASE("whole plans: bound <= best of all <= recursive") {
  const RandomSizes sizes = fewPlans();
  int plans = 0, best = 0, bounded = 0;
  double worst = 0;
  for (uint64_t seed = 1000; seed < 1200; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Model model = randomGraph(random, sizes);
    CAPTURE(describe(model));
    for (int64_t workers : {2, 3, 4, 6}) {
      CAPTURE(workers);
      Params params = randomParams(random);
      const PartitionPlan plan = search(model, workers, params);
      const auto least = partitionByBruteForce(model, workers, params);
      const auto leastSeparate = leastBytesByBruteForce(model, workers, params);
      REQUIRE(least);
      REQUIRE(leastSeparate);
      REQUIRE(plan.lowerBoundBytes <= least->sharedBytes);
      REQUIRE(least->sharedBytes <= plan.sharedBytes);
      REQUIRE(leastSeparate->bytes <= plan.bytes);
      REQUIRE(least->sharedBytes <= leastSeparate->sharedBytes);
      ++plans;
      best += plan.sharedBytes == least->sharedBytes;
      bounded += plan.lowerBoundBytes == least->sharedBytes;
      if (least->sharedBytes > 0)
        worst = std::max(worst, double(plan.sharedBytes - least->sharedBytes) /
                                    double(least->sharedBytes));

      // The same with steps left open, and with tables that don't fit.
      for (int64_t limit : {4, 30, 200}) {
        params.maxBoundPairEntries = limit;
        params.maxBoundEntries = random.between(1, 100);
        PairCosts costs(model);
        REQUIRE(lowerBoundBytes(model, factorize(workers),
                                Choices(model, params), costs, params,
                                kMostBytes) <= least->sharedBytes);
      }
    }
  }
  std::cout << "recursive against all plans of " << plans
            << " tiny problems: the best one in " << best << ", at worst "
            << int(worst * 100) << " % above it; the lower bound is reached in "
            << bounded << "\n";
  CHECK(best > plans * 3 / 4);
}

TEST_CASE("a search within limits stays sound") {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Model model = randomGraph(random);
    Params params = randomParams(random);
    params.network.maxTableEntries = 2;
    params.network.maxBoundEntries = 4;
    params.network.maxPartEntries = 4;
    const PartitionPlan plan = search(model, 8, params);
    checkTotals(model, plan);
  }
}

TEST_CASE("one worker needs no step and nothing from others") {
  const PartitionPlan plan = search(matmulModel(4, 4, 4), 1);
  CHECK(plan.steps.empty());
  CHECK(plan.sharedBytes == 0);
  CHECK(plan.optimal);
}

TEST_CASE("any number of workers from 1 to 64") {
  Model model;
  model.conv(model.tensor({2, 3, 10, 10}), 5, 3);
  for (int64_t workers = 1; workers <= 64; ++workers) {
    CAPTURE(workers);
    const PartitionPlan plan = search(model, workers);
    CHECK(plan.workers() == workers);
    checkTotals(model, plan);
    // Every element has an owner.
    for (int t = 0; t < int(model.tensors.size()); ++t) {
      int64_t owned = 0;
      for (int64_t g = 0; g < workers; ++g)
        owned += volume(ownedBox(model, plan, t, g));
      CHECK(owned >= volume(wholeBox(model.shape(t))));
    }
  }
}

TEST_CASE("a chain with a large batch is cut along the batch") {
  const Model model = chain(6, 65536, 64);
  Params params;
  params.wholeTensorShare = int64_t(1) << 40; // nothing is small
  const PartitionPlan plan = search(model, 8, params);
  checkTotals(model, plan);
  for (const Step &step : plan.steps)
    for (const Division &division : step.operators)
      CHECK(division.cuts(0));
  // Six matrices of 64 x 64, each worker lacking 7/8 of each.
  CHECK(plan.bytes == 6 * 7 * 64 * 64 * 4);
  CHECK(plan.optimal);
  // Against such a batch the matrices are small, and held whole.
  CHECK(search(model, 8).bytes == 0);
}

TEST_CASE("a chain with large weights leaves them where they are") {
  const Model model = chain(6, 64, 4096);
  const PartitionPlan plan = search(model, 8);
  checkTotals(model, plan);
  const int64_t weights = 6 * int64_t(4096) * 4096 * 4;
  CHECK(plan.bytes < weights / 10);
}

TEST_CASE("a residual graph") {
  const Model model = resnet50(8);
  for (int64_t workers : {6, 8}) {
    const PartitionPlan plan = search(model, workers);
    checkTotals(model, plan);
    for (const Step &step : plan.steps)
      CHECK(step.optimal);
    CHECK(plan.lowerBoundBytes * 2 > plan.sharedBytes);
  }
}

TEST_CASE(
    "activations and their gradients come out alike, where that is free") {
  const Model model = trainedMlp(4, 512, 1024);
  const PartitionPlan plan = search(model, 8);
  checkTotals(model, plan);
  CHECK(plan.steps[0].optimal);
  CHECK(plan.lowerBoundBytes > 0);
  const auto pairs = gradientPairs(4);
  REQUIRE(pairs.size() == 5);
  for (const Step &step : plan.steps)
    for (const auto &[activation, gradient] : pairs)
      CHECK(step.tensors[activation] == step.tensors[gradient]);
}

TEST_CASE("twenty timesteps that read one weight fetch it once") {
  const Model model = recurrent(2, 20, 2048, 1024);
  Params params;
  params.shareAlikeReaders = false;
  const PartitionPlan separate = search(model, 8, params);
  const PartitionPlan shared = search(model, 8);
  checkTotals(model, separate);
  checkTotals(model, shared);
  CHECK(shared.sharedBytes * 2 < separate.sharedBytes);
  CHECK(shared.bytes > separate.bytes);
}

TEST_CASE("the same input gives the same plan") {
  const Model model = chainWithSkips(60, 64, 128);
  Params limited;
  limited.network.maxTableEntries = 8;
  limited.network.maxBoundEntries = 16;
  limited.network.maxPartEntries = 8;
  CHECK(sameDecisions(search(model, 12), search(model, 12)));
  CHECK(sameDecisions(search(model, 12, limited), search(model, 12, limited)));
}

TEST_CASE("algorithms are known by name") {
  const Model model = matmulModel(4, 4, 4);
  for (const Algorithm &algorithm : algorithms()) {
    const auto plan = partition::partition(model, 4, algorithm.name);
    REQUIRE(plan);
    checkTotals(model, *plan);
  }
  const auto plan = partition::partition(model, 4, "magic");
  REQUIRE(!plan);
  CHECK(plan.error().fault == Fault::Usage);
  CHECK(plan.error().message ==
        "no algorithm \"magic\"; there are recursive, rounded, best, tofu, "
        "critical-dp, "
        "all-row-greedy, all-row-random, spartan, equal-chop, icml18, "
        "icml18-reduction, data-parallel, one-weird-trick, zero, flat, "
        "flat-coarsened, brute-force");
  CHECK(!partition::partition(chain(40, 8, 8), 8, "brute-force"));
  CHECK(!partition::partition(model, 0));
}
