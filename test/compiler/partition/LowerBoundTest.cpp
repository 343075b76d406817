#include "compiler/partition/LowerBound.h"
#include "compiler/partition/Algorithm.h"
#include "compiler/partition/BruteForce.h"
#include "compiler/partition/CommunicationBytes.h"
#include "compiler/partition/DualAscent.h"
#include "compiler/partition/Factorize.h"
#include "compiler/partition/Recursive.h"
#include "test/compiler/partition/ListedTerms.h"
#include "test/compiler/partition/RandomGraph.h"

#include <catch2/catch.hpp>

#include <iostream>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::test;

namespace {

constexpr int64_t kMuch = int64_t(1) << 28; // of work

int64_t raise(const TensorTerms &terms, int64_t maxWork,
              int64_t maxKept = kMuch, int64_t enough = kMostBytes) {
  Charges charges;
  return raiseBound(terms, enough, maxWork, charges, maxKept).bytes;
}

PartitionPlan search(const OperatorGraph &graph, int64_t workers,
                     const Params &params = {}) {
  auto plan = partitionRecursively(graph, workers, params);
  REQUIRE(plan);
  return std::move(*plan);
}

} // namespace

TEST_CASE("terms add up to what is written and each tensor's largest read, or "
          "where regions are told apart to more, never to more than moves") {
  int more = 0, all = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Model model = randomGraph(random);
    CAPTURE(describe(model));
    const int64_t workers = random.chance(50) ? 4 : 6;
    const Params params = randomParams(random);
    const Listed listed(model, workers, params, 0);
    const Listed byRegions(model, workers, params);
    for (int round = 0; round < 5; ++round) {
      const auto [plan, tensors, operators] = Drawn(random, listed);
      int64_t sum = 0;
      std::vector<int64_t> largest(model.tensors.size());
      for (int op = 0; op < int(model.operators.size()); ++op) {
        sum += writeBytes(model, plan, op);
        const auto &operands = model.operators[op].operands;
        for (int i = 0; i < int(operands.size()); ++i)
          largest[operands[i].tensor] = std::max(largest[operands[i].tensor],
                                                 readBytes(model, plan, op, i));
      }
      for (int64_t bytes : largest)
        sum += bytes;
      REQUIRE(sum <= sharedCommunicationBytes(model, plan));
      REQUIRE(sumOfTerms(listed.terms, tensors, operators, model) == sum);
      const int64_t ofRegions =
          sumOfTerms(byRegions.terms, tensors, operators, model);
      REQUIRE(ofRegions >= sum);
      REQUIRE(ofRegions <= sharedCommunicationBytes(model, plan));
      more += ofRegions > sum;
      all += ofRegions == sharedCommunicationBytes(model, plan);
    }
  }
  CHECK(more > 50);
  CHECK(all > 500); // of 750
}

TEST_CASE("the ascent stays below the best of all plans, at any time") {
  const RandomSizes sizes = fewPlans();
  int plans = 0, reached = 0;
  for (uint64_t seed = 2000; seed < 2300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Model model = randomGraph(random, sizes);
    CAPTURE(describe(model));
    for (int64_t workers : {2, 3, 4, 6}) {
      CAPTURE(workers);
      const Params params = randomParams(random);
      const auto least = partitionByBruteForce(model, workers, params);
      REQUIRE(least);
      const Listed listed(model, workers, params);
      int64_t before = 0;
      for (int64_t work : {int64_t(0), int64_t(1000), int64_t(4000), kMuch}) {
        const int64_t bound = raise(listed.terms, work);
        REQUIRE(bound <= least->sharedBytes);
        REQUIRE(bound >= before);
        before = bound;
        // It does not matter what is kept, nor that it is done again.
        REQUIRE(raise(listed.terms, work) == bound);
        REQUIRE(raise(listed.terms, work, 0) <= bound);
      }
      REQUIRE(raise(listed.terms, kMuch, 0) == before);
      // It goes on where another ascent ended.
      const Listed simple(model, workers, params, 0);
      Charges charges;
      const int64_t first =
          raiseBound(simple.terms, kMostBytes, kMuch, charges).bytes;
      REQUIRE(raiseBound(simple.terms, kMostBytes, 0, charges).bytes <= first);
      const int64_t second =
          raiseBound(listed.terms, kMostBytes, kMuch, charges).bytes;
      REQUIRE(second <= least->sharedBytes);
      REQUIRE(second >= first - first / 1000 - 1);
      ++plans;
      reached += before == least->sharedBytes;
    }
  }
  std::cout << "the ascent reaches the best plan of " << reached << " of "
            << plans << " tiny problems\n";
  CHECK(reached > plans * 3 / 4);
}

TEST_CASE("the best of all plans is found by search, bound and rounding") {
  const RandomSizes sizes = fewPlans();
  int all = 0, best = 0, rounded = 0, recursive = 0;
  for (uint64_t seed = 5000; seed < 5150; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Model model = randomGraph(random, sizes);
    CAPTURE(describe(model));
    const Params params = randomParams(random);
    for (int64_t workers : {2, 4, 6}) {
      const auto least = partitionByBruteForce(model, workers, params);
      const auto found = partition::partition(model, workers, "best", params);
      REQUIRE(least);
      REQUIRE(found);
      REQUIRE(found->lowerBoundBytes <= found->sharedBytes);
      REQUIRE(found->sharedBytes == sharedCommunicationBytes(model, *found));
      ++all;
      best += found->sharedBytes <= least->sharedBytes;
      const PartitionPlan before = search(model, workers, params);
      const auto after =
          partition::partition(model, workers, "rounded", params);
      REQUIRE(after);
      REQUIRE(after->sharedBytes <= before.sharedBytes);
      REQUIRE(after->sharedBytes >= after->lowerBoundBytes);
      REQUIRE(after->sharedBytes == sharedCommunicationBytes(model, *after));
      rounded += after->sharedBytes <= least->sharedBytes;
      recursive += before.sharedBytes <= least->sharedBytes;
    }
  }
  std::cout << "of " << all << " plans of tiny problems " << best
            << " of best, " << rounded << " of rounded, " << recursive
            << " of recursive are the best\n";
  CHECK(rounded > recursive);
  CHECK(best > all * 98 / 100);
}

TEST_CASE("no more is sought than is enough") {
  const Model model = recurrent(2, 6, 256, 256);
  const Listed listed(model, 8, {});
  const int64_t all = raise(listed.terms, kMuch);
  CHECK(all > 0);
  CHECK(raise(listed.terms, kMuch, kMuch, 1) >= 1);
  CHECK(raise(listed.terms, kMuch, kMuch, 1) < all);
}

TEST_CASE("on a chain the ascent is exact") {
  for (const auto &[batch, hidden] :
       {std::pair(65536, 64), std::pair(64, 4096), std::pair(512, 512)}) {
    const Model model = chain(5, batch, hidden);
    Params params;
    params.network.maxTableEntries = int64_t(1) << 30;
    const auto plan = partition::partition(model, 8, "flat", params);
    REQUIRE(plan);
    const Listed listed(model, 8, params);
    const int64_t bound = raise(listed.terms, kMuch);
    CHECK(bound <= plan->sharedBytes);
    CHECK(bound * 1001 >= plan->sharedBytes * 1000);
  }
}

TEST_CASE("numbers that a double does not hold are left alone") {
  const int64_t much = int64_t(1) << 26;
  const Model model = matmulModel(much, 2, much);
  const Listed listed(model, 8, {});
  CHECK(listed.terms.most > double(int64_t(1) << 50));
  const int64_t bound = raise(listed.terms, kMuch);
  CHECK(bound >= 0);
  CHECK(bound <= search(model, 8).sharedBytes);
}

TEST_CASE("bounds of whole plans are near") {
  const auto gap = [](const Model &model, int64_t workers) {
    const PartitionPlan plan = search(model, workers);
    CHECK(plan.lowerBoundBytes <= plan.sharedBytes);
    return double(plan.sharedBytes - plan.lowerBoundBytes) /
           double(plan.lowerBoundBytes);
  };
  CHECK(gap(recurrent(2, 20, 2048, 1024), 8) < 0.001);
  CHECK(gap(trainedMlp(4, 512, 1024), 8) < 0.2);
  CHECK(gap(resnet50(8), 8) < 0.15);
}
