#include "compiler/partition/Sums.h"

#include "compiler/partition/Algorithm.h"
#include "compiler/partition/CommunicationBytes.h"
#include "test/compiler/partition/RandomGraph.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::test;

namespace {

/// x^T y over the samples, which are the first dimension of both.
int gradient(Model &model, int x, int y) {
  const int result =
      model.apply({model.shape(x)[1], model.shape(y)[1]}, {model.shape(x)[0]},
                  {{x, indices({2, 0})}, {y, indices({2, 1})}});
  model.operators.back().isSum = true;
  return result;
}

int sum(Model &model, std::vector<int> terms) {
  const int result = model.elementwise(terms);
  model.operators.back().isLinear = true;
  return result;
}

/// The weight's gradient over so many timesteps, one added to the other.
Model timesteps(int count, int64_t batch, int64_t in, int64_t out) {
  Model model;
  int total = -1;
  for (int t = 0; t < count; ++t) {
    const int x = model.tensor({batch, in}), dy = model.tensor({batch, out});
    const int one = gradient(model, x, dy);
    total = t == 0 ? one : sum(model, {total, one});
  }
  return model;
}

std::vector<int> allOf(const JoinedSums &joined) { return joined.operators; }

} // namespace

TEST_CASE("sums of sums are one operator") {
  const Model model = timesteps(3, 8, 4, 6);
  const JoinedSums joined = joinSums(model);
  REQUIRE(joined.graph.operators.size() == 1);
  const Operator &op = joined.graph.operators[0];
  CHECK(op.extents == std::vector<int64_t>{4, 6, 8});
  CHECK(op.operands.size() == 6);
  CHECK(op.splits == std::vector<int>{0, 1, 2});
  CHECK(joined.graph.tensors.size() == 7); // and not the sums inside
  CHECK(joined.graph.tensors[size_t(op.result)].name ==
        model.tensors.back().name);
  CHECK(validate(joined.graph, 8));
}

TEST_CASE("what stays apart") {
  const std::vector<int> apart = {0, 1, 2};
  Model model = timesteps(2, 8, 4, 6);
  CHECK(allOf(joinSums(model)) == std::vector<int>{0, 0, 0});
  SECTION("a gradient that is an output, too") {
    model.tensors[size_t(model.operators[0].result)].isOutput = true;
    CHECK(allOf(joinSums(model)) == apart);
  }
  SECTION("a gradient that another operator reads") {
    model.elementwise({model.operators[0].result});
    CHECK(allOf(joinSums(model)) == std::vector<int>{0, 1, 2, 3});
  }
  SECTION("a maximum") {
    model.operators[1].isSum = false;
    CHECK(allOf(joinSums(model)) == apart);
  }
  SECTION("a product of the two") {
    model.operators[2].isLinear = false;
    CHECK(allOf(joinSums(model)) == apart);
  }
  SECTION("sums over other numbers of samples") {
    model.operators[1].extents[2] = 7;
    CHECK(allOf(joinSums(model)) == apart);
  }
  SECTION("sums that no search may cut") {
    for (Operator &op : model.operators)
      op.splits = {0, 1};
    CHECK(allOf(joinSums(model)) == apart);
  }
  SECTION("one sum, scaled") {
    Model one;
    sum(one, {gradient(one, one.tensor({8, 4}), one.tensor({8, 6}))});
    CHECK(allOf(joinSums(one)) == std::vector<int>{0, 1});
  }
  SECTION("a sum and an input") {
    Model one;
    const int weight = one.tensor({4, 6});
    sum(one, {gradient(one, one.tensor({8, 4}), one.tensor({8, 6})), weight});
    CHECK(allOf(joinSums(one)) == std::vector<int>{0, 1});
  }
}

TEST_CASE("a sum of sums that is read twice is one beside what reads it") {
  Model model = timesteps(2, 8, 4, 6);
  const int total = model.operators.back().result;
  sum(model, {total, total});
  CHECK(allOf(joinSums(model)) == std::vector<int>{0, 0, 0, 1});
}

TEST_CASE("workers add up their terms, and bring one sum together") {
  const int64_t workers = 4, in = 8, out = 6, bytes = in * out * 4;
  for (int count : {2, 5, 40}) {
    CAPTURE(count);
    const Model model = timesteps(count, 12, in, out);
    const JoinedSums joined = joinSums(model);
    // Along the samples, the result by rows.
    PartitionPlan plan;
    plan.steps.resize(1);
    plan.steps[0].ways = workers;
    plan.steps[0].tensors.assign(joined.graph.tensors.size(),
                                 Division::part(0));
    plan.steps[0].operators = {Division::part(2)};
    REQUIRE(validate(joined.graph, plan));
    // A reduce-scatter of one sum, whatever it is a sum of.
    const int64_t expected = (workers - 1) * bytes;
    CHECK(communicationBytes(joined.graph, plan) == expected);
    const PartitionPlan terms = inTerms(model, joined, plan);
    CHECK(communicationBytes(model, terms) == expected);
    for (size_t o = 0; o < model.operators.size(); ++o) {
      const Operator &op = model.operators[o];
      const bool isLast = o + 1 == model.operators.size();
      CHECK(terms.steps[0].operators[o] ==
            (op.isSum ? Division::part(2) : Division::term(Reducer::Sum)));
      CHECK(terms.steps[0].tensors[size_t(op.result)] ==
            (isLast ? Division::part(0) : Division::term(Reducer::Sum)));
    }
  }
}

TEST_CASE("where a worker has no samples, sums are made whole at once") {
  const Model model = timesteps(2, 2, 8, 6);
  const JoinedSums joined = joinSums(model);
  PartitionPlan plan;
  plan.steps.resize(1);
  plan.steps[0].ways = 4; // of two samples
  plan.steps[0].tensors.assign(joined.graph.tensors.size(), Division::part(1));
  plan.steps[0].operators = {Division::part(2)};
  const PartitionPlan parts = inTerms(model, joined, plan);
  CHECK(validate(model, parts));
  CHECK(parts.steps[0].operators.back() == Division::part(1));
}

TEST_CASE("random graphs: terms move what the joined operator does") {
  Random random(11);
  int withTerms = 0;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    // A random graph, and sums of sums of what it computes.
    Model model = randomGraph(random);
    const int64_t batch = random.between(1, 9), in = random.between(1, 5),
                  out = random.between(1, 5);
    std::vector<int> parts;
    for (int64_t t = random.between(2, 4); t-- > 0;) {
      const int x = model.tensor({batch, in}), y = model.tensor({batch, out});
      parts.push_back(gradient(model, x, y));
      if (random.chance(30))
        parts.back() = sum(model, {parts.back()});
    }
    while (parts.size() > 1) {
      const int last = parts.back();
      parts.pop_back();
      parts.back() = sum(model, {parts.back(), last});
    }
    const int reader = model.elementwise({parts.back()});
    REQUIRE(model.shape(reader).size() == 2);
    const JoinedSums joined = joinSums(model);
    REQUIRE(joined.graph.operators.size() < model.operators.size());
    CAPTURE(describe(model));
    PartitionPlan plan;
    int64_t before = 1;
    for (int64_t ways : random.chance(50) ? Ways{2, 2} : Ways{3}) {
      Step step;
      step.ways = ways;
      for (const auto &tensor : joined.graph.tensors) {
        std::vector<int> all(tensor.shape.size());
        for (size_t d = 0; d < all.size(); ++d)
          all[d] = int(d);
        step.tensors.push_back(
            randomDivision(random, tensor.shape, all, ways, before));
      }
      for (const Operator &op : joined.graph.operators)
        step.operators.push_back(
            randomDivision(random, op.extents, op.splits, ways, before));
      plan.steps.push_back(std::move(step));
      before *= ways;
    }
    REQUIRE(validate(joined.graph, plan));
    const PartitionPlan terms = inTerms(model, joined, plan);
    bool areTerms = false;
    for (const Step &step : terms.steps)
      for (const Division &division : step.operators)
        areTerms |= division.isTerm();
    withTerms += areTerms;
    const size_t op = size_t(joined.operators.back() - 1); // the joined one
    const Divisions divided = divisionsOf(plan, &Step::operators, op);
    const size_t rank = 2;
    // Elsewhere, what one operator sums up all of is not where its parts are.
    if (areTerms)
      CHECK(communicationBytes(model, terms) ==
            communicationBytes(joined.graph, plan));
    else if (!cutsFrom(divided, rank))
      CHECK(communicationBytes(model, terms) ==
            communicationBytes(joined.graph, plan));
  }
  CHECK(withTerms > 50);
}
