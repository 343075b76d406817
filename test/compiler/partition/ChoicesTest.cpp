#include "compiler/partition/Choices.h"
#include "compiler/partition/Contiguous.h"
#include "compiler/partition/Factorize.h"
#include "compiler/partition/Recursive.h"
#include "test/compiler/partition/RandomGraph.h"

#include <catch2/catch.hpp>

#include <map>
#include <set>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::test;

namespace {

/// A graph of one operator with all its index variables cut at will, whose
/// result has this shape.
Model single(std::vector<int64_t> shape) {
  Model model;
  model.apply(std::move(shape), {}, {});
  return model;
}

} // namespace

TEST_CASE("all sequences of ways, each once, that of prime factors first") {
  // Ordered factorizations: f(n) is the sum of f(d) over the proper divisors.
  std::map<int64_t, size_t> count = {{1, 1}};
  for (int64_t k = 2; k <= 72; ++k) {
    for (int64_t d = 1; d < k; ++d)
      if (k % d == 0)
        count[k] += count[d];
    const auto all = sequences(k, 1000);
    CHECK(all.size() == count[k]);
    CHECK(all.front() == factorize(k));
    CHECK(std::set<std::vector<int64_t>>(all.begin(), all.end()).size() ==
          all.size());
    for (const auto &ways : all) {
      int64_t product = 1;
      for (int64_t way : ways)
        product *= way;
      CHECK(product == k);
    }
  }
  CHECK(sequences(64, 5).size() == 5);
  CHECK(sequences(64, 1).size() == 1);
}

TEST_CASE("ways are prime factors, largest first") {
  using Ways = std::vector<int64_t>;
  CHECK(factorize(1) == Ways{});
  CHECK(factorize(8) == Ways{2, 2, 2});
  CHECK(factorize(12) == Ways{3, 2, 2});
  CHECK(factorize(7) == Ways{7});
  CHECK(factorize(60) == Ways{5, 3, 2, 2});
  for (int64_t k = 1; k <= 200; ++k) {
    int64_t product = 1;
    for (int64_t way : factorize(k))
      product *= way;
    CHECK(product == k);
  }
}

TEST_CASE("a dimension is cut only if every group gets some of it") {
  const Model model = single({8, 3, 1});
  const Choices choices(model, {});
  CHECK(choices.ofTensor(0, {}, {2}) == divisions({0, 1}));
  CHECK(choices.ofTensor(0, {}, {4}) == divisions({0}));
  CHECK(choices.ofOperator(0, {}, {4}) == divisions({0}));
  // Parts of 3 are 2 and 1; the larger one can be cut once more.
  CHECK(choices.ofTensor(0, divisions({1}), {2, 2}) == divisions({0, 1}));
  CHECK(choices.ofTensor(0, divisions({1, 1}), {2, 2, 2}) == divisions({0}));
}

TEST_CASE("by weights, the smallest part has an element") {
  const Model model = single({8, 3, 1});
  Params params;
  params.weights = {{1, 3}, {2, 2}};
  const Choices choices(model, params);
  // A quarter of 3 is nothing.
  const std::vector<Division> first = choices.ofTensor(0, {}, {2});
  CHECK(first == std::vector<Division>{Division::weighted(0, {1, 3})});
  // The largest part has 6; equal weights are even parts.
  CHECK(choices.ofTensor(0, first, {2, 2}) == divisions({0, 1}));
  CHECK(choices.ofTensor(0, first, {2, 7}) == divisions({0}));
}

TEST_CASE("where no dimension is long enough, the longest is cut unevenly") {
  const Model model = single({5, 3});
  const Choices choices(model, {});
  CHECK(choices.ofTensor(0, {}, {7}) == divisions({0}));
  CHECK(choices.ofTensor(0, divisions({0}), {7, 7}) == divisions({1}));
  CHECK(choices.ofTensor(0, divisions({0, 1}), {7, 7, 7}) == divisions({-1}));
}

TEST_CASE("what is small may be whole, but not much of the model together") {
  Model model;
  model.tensor({1024, 1024});
  model.tensor({8});
  for (int i = 0; i < 100; ++i)
    model.tensor({16, 16});
  const Choices choices(model, {});
  CHECK(choices.ofTensor(0, {}, {2}) == divisions({0, 1}));
  CHECK(choices.ofTensor(1, {}, {2}) == divisions({0, -1}));
  CHECK(choices.ofTensor(2, {}, {2}) == divisions({0, 1})); // a hundred of them
  Params params;
  params.wholeTensorShare = 16;
  CHECK(Choices(model, params).ofTensor(2, {}, {2}) == divisions({0, 1, -1}));
}

TEST_CASE("Tofu always cuts what can be cut") {
  Params params;
  params.alwaysCut = true;
  params.wholeTensorShare = 1;
  Model model = single({1, 1});
  const int scalar = model.tensor({});
  const Choices choices(model, params);
  CHECK(choices.ofTensor(0, {}, {2}) == divisions({0, 1}));
  CHECK(choices.ofTensor(scalar, {}, {2}) == divisions({-1}));
}

TEST_CASE("only splits may be cut") {
  Model model = single({8, 8});
  model.operators[0].splits = {1};
  CHECK(Choices(model, {}).ofOperator(0, {}, {2}) == divisions({1}));
  model.operators[0].splits = {};
  CHECK(Choices(model, {}).ofOperator(0, {}, {2}) == divisions({-1}));
}

TEST_CASE("a 4-D tensor over 8 workers: 4 ways a step, 20 in all") {
  const Model model = single({8, 8, 8, 8});
  const Choices choices(model, {});
  std::set<std::vector<int64_t>> grids;
  const auto histories = choices.tensorHistories(0, factorize(8), 1000);
  REQUIRE(histories);
  CHECK(histories->size() == 64);
  for (const History &history : *histories) {
    std::vector<int64_t> grid(4, 1);
    for (const Division &division : history)
      grid[division.dimension()] *= 2;
    grids.insert(grid);
  }
  CHECK(grids.size() == 20);
  CHECK(!choices.tensorHistories(0, factorize(8), 63));

  // A convolution with its two gradients: six tensors, 4^6 a step.
  Model convolution;
  for (int i = 0; i < 6; ++i)
    convolution.tensor({8, 8, 8, 8});
  const Choices group(convolution, {});
  size_t configurations = 1;
  for (int i = 0; i < 6; ++i)
    configurations *= group.ofTensor(i, {}, {2}).size();
  CHECK(configurations == 4096);
}

TEST_CASE("contiguous reads are told from scattered ones") {
  const Box box{{0, 4}, {0, 3}, {2, 3}};
  CHECK(isContiguous(index(0), box));
  CHECK(isContiguous(constant(3), box));
  CHECK(isContiguous(whole(), box));
  CHECK(!isContiguous(index(0, 2), box));
  CHECK(isContiguous(index(0, 2) + index(1), box));
  CHECK(isContiguous(index(0, 3) + index(1), box));
  CHECK(!isContiguous(index(0, 4) + index(1), box));
  CHECK(isContiguous(index(2, 7), box)); // one point
  CHECK(!isContiguous(index(0) + index(0), box));
}

TEST_CASE(
    "an interval called contiguous holds no element that no point reads") {
  int contiguous = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Box box;
    for (int i = 0; i < 3; ++i) {
      const int64_t low = random.below(4);
      box.push_back({low, low + random.between(1, 4)});
    }
    IntervalProgram program = randomProgram(random, 3);
    if (random.chance(30))
      program = program + randomProgram(random, 3);
    const int64_t extent = random.between(1, 20);
    if (!isContiguous(program, box))
      continue;
    ++contiguous;
    std::set<int64_t> read;
    for (int64_t x = box[0].lo; x < box[0].hi; ++x)
      for (int64_t y = box[1].lo; y < box[1].hi; ++y)
        for (int64_t z = box[2].lo; z < box[2].hi; ++z) {
          const Interval one =
              program.evaluate({{x, x + 1}, {y, y + 1}, {z, z + 1}}, extent);
          for (int64_t i = one.lo; i < one.hi; ++i)
            read.insert(i);
        }
    REQUIRE(int64_t(read.size()) == program.evaluate(box, extent).size());
  }
  CHECK(contiguous > 1000);
}

TEST_CASE("sides of a length are cut where it is said, and so in each group") {
  const Model model = single({8, 6});
  Params params;
  params.sides = {{8, [](const std::vector<int64_t> &ways) {
                     return ways.size() < 2
                                ? std::vector<int64_t>{0, 2, 8}
                                : std::vector<int64_t>{0, 1, 2, 5, 8};
                   }}};
  const Choices choices(model, params);
  const Division first = Division::bounded(0, {{2}});
  CHECK(choices.ofTensor(0, {}, {2}) ==
        std::vector<Division>{first, Division::part(1)});
  CHECK(choices.ofOperator(0, {first}, {2, 2}).front() ==
        Division::bounded(0, {{1}, {5}}));
  // Another step in between: groups that it makes have the same bounds.
  CHECK(choices.ofTensor(0, {first, Division::part(1)}, {2, 2, 2}).front() ==
        Division::bounded(0, {{1}, {1}, {5}, {5}}));
  CHECK(choices.ofTensor(0, {Division::part(1)}, {2, 2}).front() ==
        Division::bounded(0, {{2}, {2}}));
}

TEST_CASE("sides that are cut at bounds: a plan of several steps") {
  const Model model = single({8, 6});
  Params params;
  params.sides = {{8, [](const std::vector<int64_t> &ways) {
                     std::vector<int64_t> bounds = {0};
                     int64_t parts = 1;
                     for (int64_t way : ways)
                       parts *= way;
                     for (int64_t part = 1; part < parts; ++part)
                       bounds.push_back(part * 3 / parts); // the first ones
                     bounds.push_back(8);
                     return bounds;
                   }}};
  for (int64_t workers : {2, 3, 4, 8, 12}) {
    const auto plan = partitionRecursively(model, workers, params);
    REQUIRE(plan);
    CHECK(validate(model, *plan));
  }
}

TEST_CASE("along sides: what has one that can be cut has no other choice") {
  Model model;
  const int vertices = model.tensor({8, 6}), edges = model.tensor({30, 6});
  const int neither = model.tensor({6, 9});
  model.apply({8, 6}, {30}, {}); // a sum over edges, per vertex
  model.apply({6, 5}, {8}, {});  // one over vertices
  const auto halves = [](int64_t extent) {
    return [extent](const std::vector<int64_t> &ways) {
      std::vector<int64_t> bounds;
      for (int64_t part = 0; part <= workersOf(ways); ++part)
        bounds.push_back(part * extent / workersOf(ways));
      return bounds;
    };
  };
  Params params;
  params.sides = {{8, halves(8)}, {30, halves(30)}};
  params.alongSides = true;
  const Choices choices(model, params);
  const auto at = [](int dimension, int64_t bound) {
    return std::vector<Division>{Division::bounded(dimension, {{bound}})};
  };
  CHECK(choices.ofTensor(vertices, {}, {2}) == at(0, 4));
  CHECK(choices.ofTensor(edges, {}, {2}) == at(0, 15));
  CHECK(choices.ofOperator(0, {}, {2}) == at(0, 4));
  CHECK(choices.ofOperator(1, {}, {2}) == at(2, 4));
  CHECK(choices.ofTensor(neither, {}, {2}) == divisions({0, 1}));
  // Vertices are used up: a sum's edges are a side, too.
  const History cut = {Division::bounded(0, {{1, 2, 3, 4, 5, 6, 7}})};
  CHECK(choices.ofTensor(vertices, cut, {8, 2}) == divisions({1}));
  CHECK(choices.ofOperator(0, cut, {8, 2}).size() == 1);
  CHECK(choices.ofOperator(0, cut, {8, 2}).front().cuts(2));
}
