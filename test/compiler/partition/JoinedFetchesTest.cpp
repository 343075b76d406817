// Lists of rows that overlap are fetched together: what plans move, and what
// bounds say of it.
#include "compiler/partition/Algorithm.h"
#include "compiler/partition/BruteForce.h"
#include "compiler/partition/CommunicationBytes.h"
#include "compiler/partition/DecidedTerms.h"
#include "compiler/partition/Needed.h"
#include "compiler/partition/SharedFetches.h"
#include "test/compiler/partition/ListedTerms.h"
#include "test/compiler/partition/RandomGraph.h"

#include <catch2/catch.hpp>

#include <iostream>
#include <set>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::test;

namespace {

/// y[i, f] = x[list[i], f]
struct Gather {
  tdl::Lambda lambda;

  Gather() {
    auto parsed =
        tdl::parseLambda("(list: i32[1], x: f32[2]) -> f32: lambda i, f: "
                         "x[i64(list[i]), f]");
    REQUIRE(parsed);
    lambda = std::move(*parsed);
  }

  int apply(Model &model, int x, const std::vector<int64_t> &list) const {
    const auto known = std::make_shared<const analysis::KnownList>(
        analysis::KnownList{{int64_t(list.size())}, list});
    const std::vector<std::vector<int64_t>> shapes = {{int64_t(list.size())},
                                                      model.shape(x)};
    const auto rows = analysis::rowReads(lambda, shapes, {known, nullptr});
    REQUIRE(rows[1]);
    return model.apply({int64_t(list.size()), model.shape(x)[1]}, {},
                       {{x, analysis::accesses(lambda, shapes)[1], rows[1]}});
  }
};

/// Readers of one tensor, most of them by lists.
Model readers(Random &random, const Gather &gather, int64_t count,
              int64_t extent) {
  Model model;
  const int64_t rows = random.between(2, extent);
  const int x = model.tensor({rows, random.between(1, 3)}, 4);
  for (int64_t i = 0; i < count; ++i) {
    if (random.chance(20)) {
      model.elementwise({x});
      continue;
    }
    std::vector<int64_t> list(size_t(random.between(1, extent)));
    for (int64_t &row : list)
      row = random.below(rows);
    gather.apply(model, x, list);
  }
  return model;
}

/// By element: what a worker gets of tensor 0 that it does not own, each once.
int64_t distinctElements(const OperatorGraph &graph,
                         const PartitionPlan &plan) {
  int64_t elements = 0;
  for (int64_t w = 0; w < plan.workers(); ++w) {
    const Box owned = ownedBox(graph, plan, 0, w);
    std::set<std::pair<int64_t, int64_t>> got;
    for (int op = 0; op < int(graph.operators.size()); ++op) {
      const Needed needed =
          neededOf(graph.operators[op].operands[0],
                   indexBox(graph, plan, op, w), graph.tensors[0].shape);
      for (Interval run : rowsOf(needed))
        for (int64_t row = run.lo; row < run.hi; ++row)
          for (int64_t f = needed.box[1].lo; f < needed.box[1].hi; ++f)
            if (!contains(owned, Box{{row, row + 1}, {f, f + 1}}))
              got.insert({row, f});
    }
    elements += int64_t(got.size());
  }
  return elements;
}

/// As `plan`, with all operators cut by what they gather, so that boxes of what
/// they read differ in rows alone.
PartitionPlan byRows(PartitionPlan plan) {
  for (Step &step : plan.steps)
    for (Division &division : step.operators)
      if (division.isPart() && division.dimension() != 0)
        division = Division::part(0);
  return plan;
}

} // namespace

TEST_CASE("what lists of rows move is known where operators are decided") {
  const Gather gather;
  int same = 0, all = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Model model = readers(random, gather, random.between(2, 4), 9);
    CAPTURE(describe(model));
    const Listed listed(model, random.between(2, 8), Params());
    auto [plan, tensors, operators] = Drawn(random, listed);
    DecidedTerms decided(listed.terms, {});
    for (int op = 0; op < decided.operators(); ++op)
      decided.fix(op, int(operators[op]));
    int64_t least = kMostBytes;
    listed.forEachHistory(0, plan, [&, &plan = plan](int64_t) {
      least = std::min(least, sharedReadBytes(model, plan, 0));
    });
    same += int64_t(decided.moved(0).bytes) == least;
    ++all;
  }
  std::cout << same << " of " << all
            << " tensors exactly what moves is known\n";
  CHECK(same > all * 9 / 10);
}

TEST_CASE("each row that some list names moves once") {
  const Gather gather;
  int joined = 0; // plans in which readers need the same rows
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Model model = readers(random, gather, random.between(2, 4), 9);
    CAPTURE(describe(model));
    const int64_t workers = random.between(2, 8);
    const Listed listed(model, workers, Params());
    const PartitionPlan drawn = Drawn(random, listed).plan;
    const bool allLists = std::all_of(
        model.operators.begin(), model.operators.end(),
        [](const Operator &op) { return op.operands[0].rows != nullptr; });
    const PartitionPlan ofRows = byRows(drawn);
    for (const PartitionPlan &plan : {drawn, ofRows}) {
      REQUIRE(sharedReadBytes(model, plan, 0) >=
              4 * distinctElements(model, plan));
      PairCosts costs(model);
      REQUIRE(communicationBytes(model, plan) -
                  bytesSavedByFetchingOnce(model, plan, costs) ==
              sharedCommunicationBytes(model, plan));
    }
    if (!allLists)
      continue;
    REQUIRE(sharedReadBytes(model, ofRows, 0) ==
            4 * distinctElements(model, ofRows));
    int64_t alone = 0;
    for (int op = 0; op < int(model.operators.size()); ++op)
      alone += readBytes(model, ofRows, op, 0);
    joined += alone > sharedReadBytes(model, ofRows, 0);
  }
  CHECK(joined > 20);
}

TEST_CASE("terms are at most what is moved where rows are fetched together") {
  const Gather gather;
  int exact = 0, all = 0, more = 0;
  for (uint64_t seed = 1000; seed < 1120; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Model model = readers(random, gather, random.between(2, 4), 9);
    CAPTURE(describe(model));
    const int64_t workers = random.chance(50) ? 4 : 6;
    const Params params = randomParams(random);
    const Listed listed(model, workers, params),
        simple(model, workers, params, 0);
    for (int round = 0; round < 5; ++round) {
      const auto [plan, tensors, operators] = Drawn(random, listed);
      const int64_t sum = sumOfTerms(listed.terms, tensors, operators, model),
                    alone = sumOfTerms(simple.terms, tensors, operators, model),
                    moved = sharedCommunicationBytes(model, plan);
      REQUIRE(sum <= moved);
      REQUIRE(sum >= alone);
      ++all;
      exact += sum == moved;
      more += sum > alone;
    }
  }
  CHECK(exact > all / 3);
  CHECK(more > 50);
}

TEST_CASE("bounds hold where rows are fetched together") {
  const Gather gather;
  int all = 0, reached = 0;
  for (uint64_t seed = 3000; seed < 3040; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Model model = readers(random, gather, 2, 7);
    CAPTURE(describe(model));
    const Params params = randomParams(random);
    for (int64_t workers : {2, 3, 4}) {
      const auto least = partitionByBruteForce(model, workers, params);
      REQUIRE(least);
      const auto found =
          partition::partition(model, workers, "recursive", params);
      REQUIRE(found);
      REQUIRE(found->lowerBoundBytes <= least->sharedBytes);
      REQUIRE(found->sharedBytes >= least->sharedBytes);
      REQUIRE(found->sharedBytes == sharedCommunicationBytes(model, *found));
      // Its steps may have other ways.
      const auto best = partition::partition(model, workers, "best", params);
      REQUIRE(best);
      REQUIRE(best->lowerBoundBytes <= best->sharedBytes);
      REQUIRE(best->sharedBytes == sharedCommunicationBytes(model, *best));
      ++all;
      reached += best->sharedBytes <= least->sharedBytes;
    }
  }
  CHECK(reached > all * 9 / 10);
}
