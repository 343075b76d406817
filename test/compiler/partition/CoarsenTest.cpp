#include "compiler/partition/Coarsen.h"
#include "test/compiler/partition/Models.h"

#include <catch2/catch.hpp>

using namespace smex::partition;
using namespace smex::partition::test;

namespace {

/// A class per tensor, then one per operator, in the first step for two.
std::vector<int> classesOf(const Model &model) {
  PairCosts costs(model);
  const Params params;
  const PlanBuilder builder(model, {2}, params, costs);
  return coarsen(builder, builder.next());
}

} // namespace

TEST_CASE("a chain of element-wise operators is one class with its tensors") {
  Model model;
  const int a = model.tensor({64, 64}), w = model.tensor({64, 64});
  const int product = model.matmul(a, w);         // operator 0
  const int first = model.elementwise({product}); // 1
  const int second = model.elementwise({first});  // 2
  const std::vector<int> classes = classesOf(model);
  const int tensors = int(model.tensors.size());
  CHECK(classes[first] == classes[product]);
  CHECK(classes[second] == classes[product]);
  CHECK(classes[tensors + 1] == classes[product]);
  CHECK(classes[tensors + 2] == classes[product]);
  // The product itself may be cut along its reduction, and is on its own.
  CHECK(classes[tensors] != classes[product]);
  CHECK(classes[a] != classes[product]);
  CHECK(classes[a] != classes[w]);
}

TEST_CASE("an operand that is broadcast is not cut with the others") {
  Model model;
  const int x = model.tensor({64, 64}), bias = model.tensor({64});
  const int sum =
      model.apply({64, 64}, {}, {{x, indices({0, 1})}, {bias, indices({1})}});
  const std::vector<int> classes = classesOf(model);
  const int tensors = int(model.tensors.size());
  CHECK(classes[x] == classes[sum]);
  CHECK(classes[tensors] == classes[sum]);
  CHECK(classes[bias] != classes[sum]);
}

TEST_CASE("what is read transposed is not element-wise") {
  Model model;
  const int x = model.tensor({64, 64});
  const int turned = model.apply({64, 64}, {}, {{x, indices({1, 0})}});
  const std::vector<int> classes = classesOf(model);
  CHECK(classes[x] != classes[turned]);
}

TEST_CASE("timesteps are one class, and so are their element-wise operators") {
  const int length = 8;
  const Model model = recurrent(1, length, 64, 32);
  const std::vector<int> classes = classesOf(model);
  const int tensors = int(model.tensors.size());
  // matmul, matmul, add, cell, state: five a step.
  for (int step = 2; step < length - 2; ++step)
    for (int op = 0; op < 5; ++op)
      CHECK(classes[tensors + step * 5 + op] == classes[tensors + 5 + op]);
  // The two products of a step, and what adds them.
  CHECK(classes[tensors + 10] != classes[tensors + 11]);
  CHECK(classes[tensors + 12] == classes[model.operators[12].result]);
}

TEST_CASE("classes are numbered from 0 without gaps, and share their options") {
  const Model model = recurrent(2, 6, 64, 32);
  PairCosts costs(model);
  const Params params;
  const PlanBuilder builder(model, {2}, params, costs);
  const NextStep step = builder.next();
  const std::vector<int> classes = coarsen(builder, step);
  REQUIRE(classes.size() == step.options.size());
  std::vector<int> first;
  for (int v = 0; v < int(classes.size()); ++v) {
    REQUIRE(classes[v] <= int(first.size()));
    if (classes[v] == int(first.size()))
      first.push_back(v);
    CHECK(step.options[v] == step.options[first[classes[v]]]);
  }
}
