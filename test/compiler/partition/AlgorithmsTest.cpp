// Every algorithm by name: valid plans, true totals, never below the bound.
#include "compiler/partition/Algorithm.h"
#include "compiler/partition/BruteForce.h"
#include "compiler/partition/CommunicationBytes.h"
#include "test/compiler/partition/PlanChecks.h"
#include "test/compiler/partition/RandomGraph.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::test;

namespace {

PartitionPlan run(const OperatorGraph &graph, int64_t workers,
                  std::string_view name, const Params &params = {}) {
  auto plan = partition::partition(graph, workers, name, params);
  REQUIRE(plan);
  return std::move(*plan);
}

/// `layers` recurrent layers whose weights are parameters, batch cuttable.
Model withParameters(Model model) {
  std::vector<bool> isResult(model.tensors.size());
  for (const Operator &op : model.operators)
    isResult[op.result] = true;
  for (size_t t = 1; t < model.tensors.size(); ++t)
    model.tensors[t].isParameter = !isResult[t];
  return model;
}

} // namespace

TEST_CASE("every algorithm on random graphs") {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Model model = randomGraph(random);
    CAPTURE(describe(model));
    for (int64_t workers : {1, 4, 6, 7}) {
      CAPTURE(workers);
      const Params params = randomParams(random);
      for (const Algorithm &algorithm : algorithms()) {
        if (algorithm.name == "brute-force")
          continue;
        CAPTURE(algorithm.name);
        const PartitionPlan plan = run(model, workers, algorithm.name, params);
        CHECK(plan.workers() == workers);
        checkTotals(model, plan);
      }
    }
  }
}

TEST_CASE("best is never worse than tofu and recursive") {
  for (uint64_t seed = 100; seed < 160; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Model model = randomGraph(random);
    for (int64_t workers : {4, 12}) {
      const PartitionPlan best = run(model, workers, "best");
      CHECK(best.sharedBytes <= run(model, workers, "tofu").sharedBytes);
      CHECK(best.sharedBytes <= run(model, workers, "recursive").sharedBytes);
    }
  }
}

TEST_CASE("the papers' algorithms on a training graph") {
  const Model model = withParameters(trainedMlp(4, 512, 1024));
  std::map<std::string_view, int64_t> bytes;
  for (const Algorithm &algorithm : algorithms())
    if (algorithm.name != "brute-force") {
      const PartitionPlan plan = run(model, 8, algorithm.name);
      checkTotals(model, plan);
      bytes[algorithm.name] = plan.sharedBytes;
    }
  CHECK(bytes["tofu"] < bytes["all-row-greedy"]);
  CHECK(bytes["all-row-greedy"] < bytes["all-row-random"]);
  CHECK(bytes["tofu"] <= bytes["icml18"]);
  CHECK(bytes["best"] <= bytes["flat"]);
  CHECK(bytes["flat-coarsened"] <= bytes["tofu"]);
  CHECK(bytes["flat-coarsened"] <= bytes["icml18-reduction"]);
}

TEST_CASE("data parallelism replicates parameters and cuts the batch") {
  const Model model = withParameters(trainedMlp(3, 64, 32));
  const PartitionPlan plan = run(model, 8, "data-parallel");
  REQUIRE(plan.steps.size() == 1);
  for (size_t t = 0; t < model.tensors.size(); ++t)
    if (model.tensors[t].isParameter)
      CHECK(plan.steps[0].tensors[t].isWhole());
  CHECK(plan.steps[0].tensors[0].cuts(0));
  // Three gradients of 32 x 32: each worker gets seven terms of its eighth, and
  // then the other seven eighths.
  CHECK(plan.bytes == 3 * 2 * 7 * 32 * 32 * 4);
}

TEST_CASE("data parallelism adds up the terms of a gradient in shares") {
  // A weight that two products read, and its history, which takes the sum of
  // both gradients.
  Model model;
  const int x = model.tensor({64, 24}), w = model.tensor({24, 32}),
            history = model.tensor({24, 32});
  model.tensors[w].isParameter = model.tensors[history].isParameter = true;
  std::vector<int> terms;
  for (int i = 0; i < 2; ++i)
    terms.push_back(model.apply(
        {24, 32}, {64},
        {{x, indices({2, 0})}, {model.matmul(x, w), indices({2, 1})}}));
  const int sum = model.elementwise(terms);
  const int nextHistory = model.elementwise({history, sum});
  const int next = model.elementwise({w, sum, nextHistory});

  const PartitionPlan plan = run(model, 4, "data-parallel");
  const Step &step = plan.steps.at(0);
  for (const int each : {terms[0], terms[1], sum})
    CHECK(step.tensors[each].cuts(1));
  for (const int each : {w, history, nextHistory, next})
    CHECK(step.tensors[each].isWhole());
  // Each worker gets three terms of a fourth of each gradient, and three
  // fourths of the sum, which both updates read.
  CHECK(plan.sharedBytes == (2 * 3 + 3) * 24 * 32 * 4);
}

TEST_CASE(
    "ZeRO cuts gradients, history and updates, and replicates parameters") {
  // y = x . w; the gradient of w, summed over 64 samples; a history that it is
  // added to; and the next w, in w's place.
  Model model;
  const int x = model.tensor({64, 24}), w = model.tensor({24, 32}),
            history = model.tensor({24, 32});
  const int y = model.matmul(x, w);
  const int gradient =
      model.apply({24, 32}, {64}, {{x, indices({2, 0})}, {y, indices({2, 1})}});
  const int nextHistory = model.elementwise({history, gradient});
  const int next = model.elementwise({w, nextHistory});
  model.tensors[w].isParameter = model.tensors[history].isParameter = true;
  model.tensors[next].isParameter = true; // it is read as a whole, as w is
  const int z = model.matmul(y, model.tensor({32, 8}));
  const int again = model.apply(
      {64, 32}, {24}, {{x, indices({0, 2})}, {next, indices({2, 1})}});
  REQUIRE(again > z);

  const PartitionPlan plan = run(model, 4, "zero");
  const Step &step = plan.steps.at(0);
  CHECK(step.tensors[w].isWhole());
  CHECK(step.tensors[next].isWhole());
  for (const int each : {x, y, again})
    CHECK(step.tensors[each].cuts(0));
  for (const int each : {history, gradient, nextHistory})
    CHECK(step.tensors[each].cuts(1)); // 32, its longest
  // Each worker gets three terms of its fourth of the gradient, and the other
  // three fourths of the next w.
  CHECK(plan.bytes == 2 * 3 * 24 * 32 * 4);
  CHECK(run(model, 4, "data-parallel").bytes == 2 * 3 * 24 * 32 * 4);
}

TEST_CASE("a place is one of the step's groups") {
  const Model model = matmulModel(4, 4, 4);
  Step placed;
  placed.ways = 2;
  placed.tensors.assign(model.tensors.size(), Division::placed(0));
  placed.operators.assign(model.operators.size(), Division::placed(1));
  PartitionPlan plan;
  plan.steps.push_back(std::move(placed));
  CHECK(validate(model, plan));
  // All is on one worker, and read on the other.
  CHECK(ownedBox(model, plan, 0, 0) == wholeBox({4, 4}));
  CHECK(isEmpty(ownedBox(model, plan, 0, 1)));
  CHECK(isEmpty(indexBox(model, plan, 0, 0)));
  CHECK(communicationBytes(model, plan) == 3 * 4 * 4 * 4);
  plan.steps[0].tensors[0] = Division::placed(2);
  CHECK(!validate(model, plan));
  plan.steps[0].tensors[0] = Division::whole();
  plan.steps[0].operators[0] = Division::placed(2);
  CHECK(!validate(model, plan));
}

TEST_CASE("a draw is the seed's") {
  const Model model = chainWithSkips(30, 64, 128);
  Params one, other;
  other.seed = 1;
  CHECK(sameDecisions(run(model, 8, "all-row-random", one),
                      run(model, 8, "all-row-random", one)));
  CHECK(!sameDecisions(run(model, 8, "all-row-random", one),
                       run(model, 8, "all-row-random", other)));
}

TEST_CASE("all rows: every tensor is cut along its first dimension") {
  const Model model = chain(3, 64, 128);
  for (const char *name : {"all-row-greedy", "all-row-random"}) {
    const PartitionPlan plan = run(model, 4, name);
    REQUIRE(plan.steps.size() == 1);
    for (const Division &division : plan.steps[0].tensors)
      CHECK(division.cuts(0));
  }
}

TEST_CASE("equal-chop takes one step, the recursion three") {
  const Model model = chain(3, 64, 128);
  CHECK(run(model, 8, "equal-chop").steps.size() == 1);
  CHECK(run(model, 8, "tofu").steps.size() == 3);
}

TEST_CASE("the thesis' algorithms run on Tofu's coarsening") {
  // Of a chain of maps, operators and tensors are decided alike by each.
  Model model;
  int tensor = model.tensor({64, 96});
  for (int i = 0; i < 6; ++i)
    tensor = model.elementwise({tensor});
  for (const Algorithm &algorithm : algorithms()) {
    if (!algorithm.isCoarsened())
      continue;
    CAPTURE(std::string(algorithm.name));
    for (const Step &step : run(model, 8, algorithm.name).steps) {
      for (const Division &division : step.tensors)
        CHECK(division == step.tensors[0]);
      for (const Division &division : step.operators)
        CHECK(division == step.tensors[0]);
    }
  }
}

TEST_CASE("icml18 reduces no output") {
  const Model model = trainedMlp(3, 64, 32);
  const PartitionPlan plan = run(model, 8, "icml18");
  for (const Step &step : plan.steps)
    for (size_t o = 0; o < model.operators.size(); ++o)
      CHECK(step.operators[o].dimension() <
            int(model.shape(model.operators[o].result).size()));
}

TEST_CASE("critical-dp cuts nothing that needs a halo") {
  Model model;
  model.conv(model.tensor({2, 2, 64, 64}), 2, 3);
  const PartitionPlan plan = run(model, 2, "critical-dp");
  // Neither y, x nor the kernel's.
  const Division &of = plan.steps[0].operators[0];
  CHECK((of.cuts(0) || of.cuts(1) || of.cuts(4)));
}

TEST_CASE("more histories than flat takes") {
  const Model model = chain(3, 64, 128);
  Params params;
  params.maxFlatHistories = 3;
  checkTotals(model, run(model, 16, "flat", params));
}
