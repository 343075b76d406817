#include "compiler/partition/CommunicationBytes.h"

#include "compiler/partition/Choices.h"
#include "compiler/partition/Fetches.h"
#include "compiler/partition/PairCosts.h"
#include "compiler/partition/Recursive.h"
#include "dialects/tdl/analysis/CountedTerms.h"
#include "test/compiler/partition/RandomGraph.h"

#include <catch2/catch.hpp>

#include <set>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::test;

namespace {

/// y[v] = the sum of x over v's neighbours, and z = the same of y.
struct Layers {
  std::vector<int64_t> offsets = {0}, sources;
  int64_t vertices, width;
  tdl::Lambda lambda;
  OperatorGraph graph;
  std::shared_ptr<const analysis::CountedTerms> terms; // of each sum

  enum Tensors { Offsets, Sources, X, Y, Z };

  /// `reach`: how far from a vertex its neighbours are, at most.
  Layers(int64_t vertices, Random &random, int64_t width = 6,
         int64_t degrees = 5, std::optional<int64_t> reach = {})
      : vertices(vertices), width(width) {
    for (int64_t v = 0; v < vertices; ++v) {
      for (int64_t e = random.below(degrees); e > 0; --e)
        sources.push_back(reach ? (v + random.between(0, *reach)) % vertices
                                : random.below(vertices));
      offsets.push_back(int64_t(sources.size()));
    }
    auto parsed = tdl::parseLambda(
        "(src: i32[1], x: f32[2], offsets: i32[1]) -> f32: lambda v, f: "
        "Sum(lambda k: x[i64(src[k]), f] where i64(offsets[v]) <= k and "
        "k < i64(offsets[v + 1]))");
    REQUIRE(parsed);
    lambda = std::move(*parsed);
    const int64_t edges = int64_t(sources.size());
    const auto list = [](const std::vector<int64_t> &values) {
      return std::make_shared<const analysis::KnownList>(
          analysis::KnownList{{int64_t(values.size())}, values});
    };
    const std::vector<std::vector<int64_t>> shapes = {
        {edges}, {vertices, width}, {vertices + 1}};
    const auto accesses = analysis::accesses(lambda, shapes);
    const auto rows = analysis::rowReads(
        lambda, shapes, {list(sources), nullptr, list(offsets)});
    terms = analysis::CountedTerms::of(lambda, shapes,
                                       {list(sources), nullptr, list(offsets)});
    graph.tensors = {{"offsets", shapes[2]},
                     {"sources", shapes[0]},
                     {"x", shapes[1]},
                     {"y", shapes[1]},
                     {"z", shapes[1]}};
    for (int from : {X, Y}) {
      Operator op;
      op.name = graph.tensors[size_t(from) + 1].name;
      op.extents = {vertices, width, edges};
      op.result = from + 1;
      op.splits = {0, 1, 2};
      op.operands = {{Sources, accesses[0], rows[0]},
                     {from, accesses[1], rows[1]},
                     {Offsets, accesses[2], rows[2]}};
      graph.operators.push_back(std::move(op));
    }
  }

  /// Numbers that a share of a sum adds up.
  double added(const Box &share) const {
    const auto counted = terms->share(share);
    return counted ? counted->ofPoints * double(volume(share)) : 0;
  }

  /// Both layers cut in two, along their vertices at `bound`, or along their
  /// features. Lists of vertices and edges are cut alike.
  PartitionPlan inHalves(bool features, int64_t bound) const {
    Step step;
    step.ways = 2;
    const Division part =
        features ? Division::part(1) : Division::bounded(0, {{bound}});
    step.tensors = {Division::bounded(0, {{bound}}),
                    Division::bounded(0, {{offsets[size_t(bound)]}}), part,
                    part, part};
    step.operators = {part, part};
    PartitionPlan plan;
    plan.steps = {step};
    return plan;
  }

  /// Distinct neighbours of [first, last) that are not among these.
  int64_t remote(int64_t first, int64_t last) const {
    std::set<int64_t> seen;
    for (int64_t e = offsets[size_t(first)]; e < offsets[size_t(last)]; ++e)
      if (sources[size_t(e)] < first || sources[size_t(e)] >= last)
        seen.insert(sources[size_t(e)]);
    return int64_t(seen.size());
  }
};

} // namespace

TEST_CASE("of readers that need the same, one is kept") {
  const Runs all = {{0, 6}}, more = {{0, 9}}, some = {{0, 2}, {4, 5}};
  const Box box = {{0, 6}, {0, 4}};
  using Region = partition::Region; // not Count::Region
  // All rows of a box, said in three ways.
  CHECK(outermost({Region{{box, nullptr}}, Region{{box, &all}},
                   Region{{box, &more}}}) == std::vector<size_t>{0});
  CHECK(outermost({Region{{box, &some}}, Region{{box, nullptr}}}) ==
        std::vector<size_t>{1});
  const Box part = {{0, 6}, {0, 2}};
  CHECK(outermost({Region{{box, &some}}, Region{{part, nullptr}}}) ==
        std::vector<size_t>{0, 1});
}

TEST_CASE("each row of a remote neighbour moves once, and no other") {
  Random random(3);
  for (int round = 0; round < 20; ++round) {
    const Layers layers(5 + random.below(30), random);
    const int64_t bound = 1 + random.below(layers.vertices - 1);
    Step step;
    step.ways = 2;
    const Division part = Division::bounded(0, {{bound}});
    const int64_t ofEdges = layers.offsets[size_t(bound)];
    step.tensors = {Division::part(0), Division::bounded(0, {{ofEdges}}), part,
                    part, part};
    step.operators = {part, part};
    PartitionPlan plan;
    plan.steps = {step};
    const int64_t rows =
        layers.remote(0, bound) + layers.remote(bound, layers.vertices);
    CHECK(readBytes(layers.graph, plan, 0, 1) == rows * layers.width * 4);
    // A vertex's edges are where it is.
    CHECK(readBytes(layers.graph, plan, 0, 0) == 0);
    CHECK(sharedReadBytes(layers.graph, plan, Layers::X) ==
          rows * layers.width * 4);
    // Both layers read all edges that they need from one place.
    CHECK(sharedReadBytes(layers.graph, plan, Layers::Sources) == 0);
  }
}

TEST_CASE("tables count rows as the definition does") {
  Random random(4);
  for (int round = 0; round < 6; ++round) {
    const Layers layers(8 + random.below(20), random);
    const std::vector<int64_t> ways =
        round % 2 ? std::vector<int64_t>{2, 2} : std::vector<int64_t>{3};
    Params params;
    const Choices choices(layers.graph, params);
    PairCosts costs(layers.graph);
    Candidates operators = {ways, *choices.operatorHistories(0, ways, 1000)};
    for (int operand = 0; operand < 3; ++operand) {
      const int tensor = layers.graph.operators[0].operands[operand].tensor;
      Candidates tensors = {ways, *choices.tensorHistories(tensor, ways, 1000)};
      const int rows = costs.add(operators), columns = costs.add(tensors);
      const auto &table =
          costs.bytes(costs.read(0, operand, rows, columns, Count::Region));
      const auto &guaranteed =
          costs.bytes(costs.read(0, operand, rows, columns, Count::Guaranteed));
      for (size_t r = 0; r < operators.histories.size(); ++r)
        for (size_t c = 0; c < tensors.histories.size(); ++c) {
          PartitionPlan plan;
          for (size_t s = 0; s < ways.size(); ++s) {
            Step step;
            step.ways = ways[s];
            step.tensors.assign(layers.graph.tensors.size(), Division::whole());
            step.operators.assign(2, Division::whole());
            step.tensors[size_t(tensor)] = tensors.histories[c][s];
            step.operators[0] = operators.histories[r][s];
            plan.steps.push_back(std::move(step));
          }
          const size_t at = r * tensors.histories.size() + c;
          REQUIRE(table[at] == readBytes(layers.graph, plan, 0, operand));
          CHECK(guaranteed[at] <= table[at]);
        }
    }
  }
}

TEST_CASE("rows within others are fetched with them") {
  const Runs few = {{1, 2}, {5, 6}}, more = {{0, 3}, {5, 6}}, apart = {{4, 6}};
  const Box box = {{0, 8}, {0, 4}}, half = {{0, 8}, {0, 2}};
  using Places = std::vector<size_t>;
  CHECK(outermost({{{box, &few}}, {{box, &more}}, {{box, &apart}}}) ==
        Places{1, 2});
  CHECK(outermost({{{box, &more}}, {{half, &few}}, {{box, &more}}}) ==
        Places{0});
  CHECK(outermost({{{half, &more}}, {{box, &few}}}) == Places{0, 1});
  CHECK(outermost({{{box}}, {{box, &more}}}) == Places{0});
  const Runs none;
  CHECK(outermost({{{box, &none}}}).empty());
}

TEST_CASE("a sum's edges are shared out where computing costs most") {
  Random random(5);
  int halves = 0; // sums that the fewest bytes give to half of the workers
  for (int round = 0; round < 12; ++round) {
    const Layers layers(64 + random.below(64), random, /*width=*/8,
                        /*degrees=*/60);
    const auto cut = [&](const std::vector<int64_t> &ways) {
      std::vector<int64_t> bounds;
      for (int64_t part = 0; part <= workersOf(ways); ++part)
        bounds.push_back(part * layers.vertices / workersOf(ways));
      return bounds;
    };
    Params params;
    params.ways = {2, 2, 2};
    params.lowerBound = false;
    params.sides = {{layers.vertices, cut},
                    {int64_t(layers.sources.size()), [&](const auto &ways) {
                       std::vector<int64_t> bounds = cut(ways);
                       for (int64_t &bound : bounds)
                         bound = layers.offsets[size_t(bound)];
                       return bounds;
                     }}};
    const auto slowest = [&](int op, const std::vector<Box> &shares) {
      REQUIRE(op < 2);
      double most = 0;
      for (const Box &share : shares)
        most = std::max(most, layers.added(share));
      return most * double(shares.size());
    };
    // The slowest worker's over the mean.
    const auto imbalance = [&](const PartitionPlan &plan, int op) {
      std::vector<Box> shares;
      for (int64_t w = 0; w < 8; ++w)
        shares.push_back(indexBox(layers.graph, plan, op, w));
      return slowest(op, shares) /
             double(layers.width * int64_t(layers.sources.size()));
    };
    const auto byBytes = partitionRecursively(layers.graph, 8, params);
    params.work = [&](int op, const std::vector<Box> &shares) {
      return int64_t(1000 * slowest(op, shares));
    };
    const auto balanced = partitionRecursively(layers.graph, 8, params);
    REQUIRE(byBytes);
    REQUIRE(balanced);
    CHECK(validate(layers.graph, *balanced));
    for (const int op : {0, 1}) {
      CHECK(imbalance(*balanced, op) < 1.1);
      halves += imbalance(*byBytes, op) > 1.99;
    }
    // Bytes are counted as ever, and no bound is taken from other costs.
    CHECK(balanced->bytes == communicationBytes(layers.graph, *balanced));
    CHECK(balanced->steps[0].lowerBoundBytes <= byBytes->steps[0].bytes);
    CHECK(byBytes->steps[0].bytes <= balanced->steps[0].bytes);
  }
  CHECK(halves > 0);
}

TEST_CASE("features are cut where that moves less, and vertices elsewhere") {
  Random random(6);
  int ofFeatures = 0, ofVertices = 0;
  const auto look = [&](const Layers &layers) {
    const int64_t bound = layers.vertices / 2;
    Params params;
    params.ways = {2};
    params.sides = {{layers.vertices,
                     [&](const auto &) {
                       return std::vector<int64_t>{0, bound, layers.vertices};
                     }},
                    {int64_t(layers.sources.size()), [&](const auto &) {
                       return std::vector<int64_t>{
                           0, layers.offsets[size_t(bound)],
                           int64_t(layers.sources.size())};
                     }}};
    const auto found = partitionRecursively(layers.graph, 2, params);
    REQUIRE(found);
    const int64_t byFeatures = communicationBytes(layers.graph,
                                                  layers.inHalves(true, bound)),
                  byVertices = communicationBytes(
                      layers.graph, layers.inHalves(false, bound));
    const int64_t edges = int64_t(layers.sources.size());
    // By features no row moves, but the half of the lists that is elsewhere.
    CHECK(byFeatures >= 2 * 4 * edges);
    CHECK(byFeatures <= 2 * 4 * (edges + layers.vertices + 2));
    CHECK(found->bytes <= std::min(byFeatures, byVertices));
    for (const Division &division : found->steps[0].operators) {
      INFO("by features " << byFeatures << ", by vertices " << byVertices);
      CHECK(division.isPart());
      CHECK(division.dimension() == (byFeatures < byVertices ? 1 : 0));
    }
    ++(byFeatures < byVertices ? ofFeatures : ofVertices);
  };
  for (int round = 0; round < 6; ++round) {
    // Dense, any neighbours, wide.
    look({64 + random.below(32), random, /*width=*/64, /*degrees=*/60});
    // The same with few features: lists are the larger part.
    look({64 + random.below(32), random, /*width=*/4, /*degrees=*/60});
    // Few neighbours, all of them near, of whom hardly any is elsewhere.
    look({64 + random.below(32), random, /*width=*/64, /*degrees=*/6,
          /*reach=*/2});
  }
  CHECK(ofFeatures == 6);
  CHECK(ofVertices == 12);
}
