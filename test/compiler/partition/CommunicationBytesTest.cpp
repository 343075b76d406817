#include "compiler/partition/CommunicationBytes.h"
#include "compiler/partition/Algorithm.h"
#include "compiler/partition/Factorize.h"
#include "compiler/partition/Fetches.h"
#include "compiler/partition/PairCosts.h"
#include "test/compiler/partition/RandomGraph.h"

#include <catch2/catch.hpp>

#include <numeric>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::test;

namespace {

Step step(int64_t ways, const std::vector<int> &tensors,
          const std::vector<int> &operators) {
  Step result;
  result.ways = ways;
  result.tensors = divisions(tensors);
  result.operators = divisions(operators);
  return result;
}

PartitionPlan planOf(std::vector<Step> steps) {
  PartitionPlan plan;
  plan.steps = std::move(steps);
  return plan;
}

// Tensors 0, 1, 2 are A, B, C; index variables i, j of C, and k.
constexpr int kRows = 0, kColumns = 1, kContraction = 2;

/// Of every kind: whole, placed, and parts that are even, weighted or bounded.
PartitionPlan randomPlan(Random &random, const OperatorGraph &graph,
                         int64_t workers) {
  PartitionPlan plan;
  int64_t before = 1;
  for (int64_t ways : factorize(workers)) {
    Step step;
    step.ways = ways;
    const auto pick = [&](const std::vector<int64_t> &extents,
                          const std::vector<int> &splits) {
      return randomDivision(random, extents, splits, ways, before);
    };
    for (const Tensor &tensor : graph.tensors) {
      std::vector<int> dimensions(tensor.shape.size());
      std::iota(dimensions.begin(), dimensions.end(), 0);
      step.tensors.push_back(pick(tensor.shape, dimensions));
    }
    for (const Operator &op : graph.operators)
      step.operators.push_back(pick(op.extents, op.splits));
    plan.steps.push_back(std::move(step));
    before *= ways;
  }
  return plan;
}

/// The elements of a box, each as a box.
std::vector<Box> points(const Box &box) {
  if (box.isAbsent())
    return {};
  std::vector<Box> list = {Box(0)};
  for (Interval side : box) {
    std::vector<Box> longer;
    for (const Box &begun : list)
      for (int64_t i = side.lo; i < side.hi; ++i) {
        longer.push_back(begun);
        longer.back().push_back({i, i + 1});
      }
    list = std::move(longer);
  }
  return list;
}

} // namespace

TEST_CASE("C = A.B with all rows cut twice moves 3 |B|") {
  const Model model = matmulModel(8, 8, 8);
  const Step rows = step(2, {kRows, kRows, kRows}, {kRows});
  const PartitionPlan plan = planOf({rows, rows});
  CHECK(communicationBytes(model, plan) == 3 * 8 * 8 * 4);
  CHECK(readBytes(model, plan, 0, 0) == 0);
  CHECK(writeBytes(model, plan, 0) == 0);
  // After the first step each half lacks half of B.
  CHECK(communicationBytes(model, planOf({rows})) == 8 * 8 * 4);
}

TEST_CASE("steps do not add up: fetched whole, then cut") {
  // Each group fetches the half of B that it lacks, 16 elements in all. Cut by
  // the contraction next, a worker needs two rows of B and owns one: two
  // workers own one of their two rows, two workers neither.
  const Model model = matmulModel(4, 4, 4);
  const PartitionPlan plan =
      planOf({step(2, {kRows, kRows, kRows}, {kRows}),
              step(2, {kRows, kRows, kRows}, {kContraction})});
  CHECK(readBytes(model, planOf({plan.steps[0]}), 0, 1) == 16 * 4);
  CHECK(readBytes(model, plan, 0, 1) == 24 * 4);
}

TEST_CASE("steps do not add up: the same grid, transposed") {
  // Each step alone moves half of the input; of the four workers two own what
  // they need.
  Model model;
  model.elementwise({model.tensor({8, 8})});
  const PartitionPlan plan =
      planOf({step(2, {1, 0}, {0}), step(2, {0, 1}, {1})});
  CHECK(communicationBytes(model, planOf({plan.steps[0]})) == 32 * 4);
  CHECK(communicationBytes(model, planOf({plan.steps[1]})) == 32 * 4);
  CHECK(communicationBytes(model, plan) == 32 * 4);
}

TEST_CASE("the plan of the thesis' appendix A.1, and its steps swapped") {
  const Model model = matmulModel(8, 8, 8);
  const int64_t matrix = 8 * 8 * 4;
  const Step first = step(2, {0, 0, 0}, {kColumns});
  const Step second = step(2, {1, 0, 0}, {kRows});
  CHECK(communicationBytes(model, planOf({first, second})) * 4 == 15 * matrix);
  CHECK(communicationBytes(model, planOf({second, first})) * 4 == 14 * matrix);

  // A in a 2x2 grid, B and C in four row strips.
  const PartitionPlan plan = planOf({first, second});
  for (int64_t g = 0; g < 4; ++g) {
    CHECK(extents(ownedBox(model, plan, 0, g)) == std::vector<int64_t>{4, 4});
    CHECK(extents(ownedBox(model, plan, 1, g)) == std::vector<int64_t>{2, 8});
    CHECK(extents(ownedBox(model, plan, 2, g)) == std::vector<int64_t>{2, 8});
  }
}

TEST_CASE("a k-way step moves (k-1)/k of what is needed whole, (k-1)/k^2 of "
          "what is cut otherwise, per worker") {
  const Model model = matmulModel(12, 12, 12);
  for (int64_t k : {2, 3, 4, 6}) {
    const int64_t matrix = 12 * 12 * 4;
    const PartitionPlan plan =
        planOf({step(k, {kColumns, kRows, kRows}, {kRows})});
    CHECK(readBytes(model, plan, 0, 0) * k == (k - 1) * matrix);
    CHECK(readBytes(model, plan, 0, 1) == (k - 1) * matrix);
    // A reduction: every owner gets k - 1 partial results of its part.
    const PartitionPlan reduced =
        planOf({step(k, {kColumns, kRows, kRows}, {kContraction})});
    CHECK(communicationBytes(model, reduced) == (k - 1) * matrix);
  }
}

TEST_CASE("a halo is all that a convolution cut along an image moves") {
  Model model;
  model.conv(model.tensor({1, 3, 8, 8}), 4, 3);
  const Step height = step(2, {2, -1, 2}, {2});
  CHECK(communicationBytes(model, planOf({height})) == 2 * (3 * 8) * 4);
  // Four workers: the inner two have two neighbours.
  CHECK(communicationBytes(model, planOf({height, height})) == 6 * (3 * 8) * 4);
}

TEST_CASE("who computed the same partial result fetches it from nobody") {
  Model model = matmulModel(4, 4, 4);
  // Whole everywhere: nothing moves. Computed once, held twice: an all-gather.
  CHECK(communicationBytes(model, planOf({step(2, {-1, -1, -1}, {-1})})) == 0);
  CHECK(communicationBytes(model, planOf({step(2, {-1, -1, -1}, {0})})) ==
        16 * 4);
  // Cut by the contraction in the first step only, C held whole in the second:
  // each worker lacks the one partial result that the other half has of its
  // 8 elements.
  CHECK(communicationBytes(model, planOf({step(2, {-1, -1, 0}, {kContraction}),
                                          step(2, {-1, -1, -1}, {-1})})) ==
        4 * 8 * 4);
}

TEST_CASE("sums of 16-bit floats move partial results of 32 bits") {
  Model model = matmulModel(4, 6, 8);
  for (Tensor &tensor : model.tensors)
    tensor.elementBytes = 2;
  model.operators[0].partialBytes = 4;
  const int64_t elements = 4 * 8;
  // Each worker has a partial result of the whole, and lacks the other's half.
  const Step sum = step(2, {1, 0, kRows}, {kContraction});
  CHECK(writeBytes(model, planOf({sum}), 0) == elements * 4);
  // Columns where rows are owned: each lacks a quarter, rounded already.
  const Step columns = step(2, {kRows, 1, kRows}, {1});
  CHECK(writeBytes(model, planOf({columns}), 0) == elements / 2 * 2);
  // Columns of a sum in two parts: rounded when both parts have come together.
  // Each of four owns a quarter of the rows, of which it has half the columns
  // of one part: of four times that it lacks three.
  CHECK(writeBytes(model, planOf({sum, columns}), 0) == elements / 2 * 3 * 4);
}

TEST_CASE("workers without work neither need nor make anything") {
  Model model = matmulModel(3, 3, 3);
  const PartitionPlan plan = planOf({step(5, {0, 0, 0}, {kContraction})});
  // Owners of one row of C each: 2 partial results of 3 elements each come from
  // others. Two workers own and do nothing.
  CHECK(writeBytes(model, plan, 0) == 3 * 2 * 3 * 4);
  CHECK(readBytes(model, plan, 0, 1) == 0);
}

TEST_CASE("the result of a reduction of nothing moves, though nobody works") {
  const Model model = matmulModel(3, 0, 3);
  // Rows of C that are owned by columns: each worker lacks two of its three
  // elements.
  const Step rows = step(3, {0, 0, kColumns}, {kRows});
  CHECK(writeBytes(model, planOf({rows}), 0) == 3 * 2 * 4);
  // Of no partial results there is nothing to fetch.
  const Step none = step(3, {0, 0, kColumns}, {kContraction});
  CHECK(writeBytes(model, planOf({none}), 0) == 0);
  CHECK(readBytes(model, planOf({rows}), 0, 1) == 0);
}

TEST_CASE("one fetch serves several readers if its region holds theirs") {
  Model model;
  const int x = model.tensor({8});
  model.apply({8}, {}, {{x, Access{{whole()}}}});
  model.elementwise({x});
  model.elementwise({x});
  const PartitionPlan plan = planOf({step(2, {0, 0, 0, 0}, {0, 0, 0})});
  CHECK(communicationBytes(model, plan) == 2 * 4 * 4);
  CHECK(sharedCommunicationBytes(model, plan) == 2 * 4 * 4);
  // The same halves, from the other worker.
  const PartitionPlan held = planOf(
      {step(2, {0, 0, 0, 0}, {0, 0, 0}), step(2, {-1, 0, 0, 0}, {0, 0, 0})});
  CHECK(sharedReadBytes(model, held, x) == 4 * 4 * 4);
}

TEST_CASE("fast tables agree with the definition") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Model model = randomGraph(random);
    for (Operator &op : model.operators) {
      if (seed % 2) // as of sums of 16-bit floats
        op.partialBytes = 2 * model.tensors[op.result].elementBytes;
      const size_t rank = model.tensors[op.result].shape.size();
      if (seed % 5 == 0 && op.extents.size() > rank)
        op.extents.back() = 0;
    }
    CAPTURE(describe(model));
    const int64_t workers = random.between(1, 12);
    REQUIRE(validate(model, workers));
    const PartitionPlan plan = randomPlan(random, model, workers);
    const PartitionPlan other = randomPlan(random, model, workers);
    REQUIRE(validate(model, plan));

    PairCosts costs(model);
    const auto list = [&](std::vector<Division> Step::*choices, int id) {
      Candidates candidates{factorize(workers), {{}, {}}};
      for (size_t s = 0; s < plan.steps.size(); ++s) {
        candidates.histories[0].push_back((other.steps[s].*choices)[id]);
        candidates.histories[1].push_back((plan.steps[s].*choices)[id]);
      }
      return costs.add(candidates);
    };
    for (int op = 0; op < int(model.operators.size()); ++op) {
      const int rows = list(&Step::operators, op);
      const int result = model.operators[op].result;
      REQUIRE(
          costs.bytes(costs.write(op, rows, list(&Step::tensors, result)))[3] ==
          writeBytes(model, plan, op));
      for (size_t steps = 0; steps <= plan.steps.size(); ++steps)
        REQUIRE(costs.bytes(costs.crossingWrite(
                    op, rows, list(&Step::tensors, result), steps))[3] ==
                writeBytes(model, plan, op, steps));
      for (int i = 0; i < int(model.operators[op].operands.size()); ++i) {
        const int tensor = model.operators[op].operands[i].tensor;
        const int columns = list(&Step::tensors, tensor);
        const auto &exact =
            costs.bytes(costs.read(op, i, rows, columns, Count::Region));
        const auto &guaranteed =
            costs.bytes(costs.read(op, i, rows, columns, Count::Guaranteed));
        REQUIRE(exact[3] == readBytes(model, plan, op, i));
        REQUIRE(guaranteed[3] <= exact[3]);
        for (size_t steps = 0; steps <= plan.steps.size(); ++steps)
          REQUIRE(
              costs.bytes(costs.crossingRead(op, i, rows, columns, steps))[3] ==
              readBytes(model, plan, op, i, steps));
      }
    }
    const int64_t all = communicationBytes(model, plan);
    const int64_t shared = sharedCommunicationBytes(model, plan);
    REQUIRE(shared <= all);
    REQUIRE(all - shared == bytesSavedBySharing(model, plan));
  }
}

TEST_CASE("what crosses between groups, element by element") {
  int64_t crossing = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Model model = randomGraph(random);
    const PartitionPlan plan =
        randomPlan(random, model, random.chance(50) ? 8 : 12);
    const int64_t workers = plan.workers();
    int64_t size = workers; // of a group
    for (size_t steps = 0; steps <= plan.steps.size(); ++steps) {
      for (int op = 0; op < int(model.operators.size()); ++op)
        for (int i = 0; i < int(model.operators[op].operands.size()); ++i) {
          const Operand &read = model.operators[op].operands[i];
          const auto &shape = model.tensors[read.tensor].shape;
          int64_t elements = 0;
          for (int64_t g = 0; g < workers; ++g)
            for (const Box &point : points(
                     read.access.region(indexBox(model, plan, op, g), shape))) {
              bool isNear = false;
              for (int64_t near = g / size * size;
                   near < g / size * size + size; ++near)
                isNear =
                    isNear ||
                    contains(ownedBox(model, plan, read.tensor, near), point);
              elements += !isNear;
            }
          REQUIRE(readBytes(model, plan, op, i, steps) ==
                  elements * model.tensors[read.tensor].elementBytes);
          crossing += elements;
        }
      if (steps < plan.steps.size())
        size /= plan.steps[steps].ways;
    }
  }
  CHECK(crossing > 1000);
}

TEST_CASE("graphs and plans that make no sense are named") {
  const auto message = [](const OperatorGraph &graph, int64_t workers) {
    const Status status = validate(graph, workers);
    return status ? std::string() : status.error().message;
  };
  const Model model = matmulModel(4, 4, 4);
  CHECK(message(model, 8) == "");
  CHECK(message(model, 0) == "0 workers: 1 to 65536 are possible");
  Model bad = model;
  bad.operators[0].extents[0] = 5;
  CHECK(message(bad, 8) ==
        "operator op0: extents differ from the result's shape");
  bad = model;
  bad.operators[0].operands[0].tensor = 7;
  CHECK(message(bad, 8) == "operator op0: no such operand tensor");
  bad = model;
  bad.operators[0].operands[0].access.dims[0].code.push_back({Code::Add});
  CHECK(message(bad, 8) == "operator op0: malformed interval program");
  bad = model;
  bad.operators[0].splits = {1, 1};
  CHECK(message(bad, 8) ==
        "operator op0: split is no index variable, or there twice");
  bad = model;
  bad.operators.push_back(bad.operators[0]);
  CHECK(message(bad, 8) == "operator op0: its result has another producer");
  const int64_t huge = int64_t(1) << 30;
  CHECK(message(matmulModel(huge, 4, 4), 8) == "");
  CHECK(message(matmulModel(huge, 4, huge), 1) == "tensor t2: too large");
  CHECK(message(matmulModel(huge, 4, huge / 8), 8) ==
        "the model is too large for 8 workers");

  CHECK(!validate(model, planOf({step(2, {0, 0}, {0})})));
  CHECK(!validate(model, planOf({step(2, {0, 0, 2}, {0})})));
  CHECK(!validate(model, planOf({step(2, {0, 0, 0}, {3})})));
  CHECK(!validate(model, planOf({step(0, {0, 0, 0}, {0})})));
  PartitionPlan terms = planOf({step(2, {0, 0, 0}, {0})});
  CHECK(validate(model, terms));
  terms.steps[0].tensors[2] = Division::term(Reducer::Sum);
  CHECK(!validate(model, terms));
}

TEST_CASE("a thousand workers are no matter of what could be moved at most") {
  // Of the result, 2^42 bytes, 1024 workers could want 1024 partial sums each:
  // 2^62 bytes. No plan that is looked for comes near.
  const int64_t many = int64_t(1) << 20;
  const Model model = matmulModel(many, 1024, many);
  const auto plan = partition::partition(model, 1024, "recursive");
  INFO((plan ? "" : plan.error().message));
  REQUIRE(plan);
  CHECK(plan->bytes == communicationBytes(model, *plan));
  CHECK(plan->bytes < int64_t(1) << 50);
}

TEST_CASE("outermost regions are those that no other contains everywhere") {
  using Regions = std::vector<std::vector<Box>>;
  const auto kept = [](const Regions &regions) {
    std::vector<std::vector<Needed>> needed;
    for (const std::vector<Box> &region : regions) {
      needed.emplace_back();
      for (const Box &box : region)
        needed.back().push_back({box});
    }
    return outermost(needed);
  };
  using Places = std::vector<size_t>;
  CHECK(kept({{{{0, 4}}}, {{{2, 3}}}, {{{0, 4}}}, {{{3, 6}}}, {{{5, 5}}}}) ==
        Places{0, 3});
  // The second one is inside the first on one worker, but not on the other.
  CHECK(kept({{{{0, 4}}, {{0, 4}}}, {{{2, 3}}, {{3, 5}}}}) == Places{0, 1});
  CHECK(kept({{{{0, 4}}, Box::absent(1)}, {Box::absent(1), {{3, 5}}}}) ==
        Places{0, 1});
  // What is nowhere, or empty, is inside of everything.
  CHECK(kept({{{{0, 4}}, {{0, 4}}}, {Box::absent(1), {{3, 3}}}}) == Places{0});

  Random random(5);
  for (int round = 0; round < 300; ++round) {
    Regions regions(size_t(random.below(12)));
    const int64_t extent = 1 + random.below(4);
    for (auto &region : regions)
      for (int w = 0; w < 2; ++w) {
        Box box;
        for (int d = 0; d < 2; ++d) {
          const int64_t lo = random.below(extent + 1);
          box.push_back({lo, lo + random.below(extent + 1 - lo + 1)});
        }
        region.push_back(box);
      }
    const auto inside = [&](size_t inner, size_t outer) {
      return contains(regions[outer][0], regions[inner][0]) &&
             contains(regions[outer][1], regions[inner][1]);
    };
    Places expected;
    for (size_t i = 0; i < regions.size(); ++i) {
      bool isServed = isEmpty(regions[i][0]) && isEmpty(regions[i][1]);
      for (size_t j = 0; j < regions.size(); ++j)
        isServed =
            isServed || (j != i && inside(i, j) && (!inside(j, i) || j < i));
      if (!isServed)
        expected.push_back(i);
    }
    CHECK(kept(regions) == expected);
  }
}
