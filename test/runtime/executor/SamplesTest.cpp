// Samples of a graph, as inputs of a plan that has room for less.
#include "runtime/executor/Samples.h"

#include "dialects/support/Random.h"
#include "runtime/graph/Change.h"
#include "runtime/graph/Walk.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace smex;
using namespace smex::runtime;

namespace {
constexpr int64_t nodes = 40, room = 30, edgesRoom = 64, ignored = -7;

/// Inputs src, dst, x: f32[room, 2], labels: i64[room], other: f32[2].
plan::Program program() {
  plan::Program program;
  const auto add = [&](const char *name, TensorType type) -> plan::Port & {
    program.tensors.push_back({name, std::move(type)});
    program.buffers.push_back({int(program.tensors.size()) - 1, false});
    program.inputs.push_back(
        {name, int(program.buffers.size()) - 1, {}, {}, {}});
    return program.inputs.back();
  };
  add("other", {DType::F32, {2}});
  add("x", {DType::F32, {room, 2}});
  for (const char *end : {"src", "dst"}) {
    plan::Port &port = add(end, {DType::I64, {edgesRoom}});
    port.low = 0;
    port.high = room - 1;
  }
  plan::Port &labels = add("labels", {DType::I64, {room}});
  labels.low = 0;
  labels.high = 3;
  labels.ignore = ignored;
  program.graphs.emplace_back();
  plan::GraphInputs &graph = program.graphs.back();
  graph.sources = "src";
  graph.destinations = "dst";
  graph.nodes = room;
  graph.perNode = {"x", "labels"};
  return program;
}

/// Node v has the features v + 1 and -v, and the label v % 4; of every third,
/// it does not count.
std::vector<Feed> feeds() {
  std::vector<Feed> feeds(5);
  feeds[0].value = makeTensor({DType::F32, {2}});
  feeds[1].value = makeTensor({DType::F32, {nodes, 2}});
  feeds[4].value = makeTensor({DType::I64, {nodes}});
  for (int64_t v = 0; v < nodes; ++v) {
    feeds[1].value.data<float>()[2 * v] = float(v + 1);
    feeds[1].value.data<float>()[2 * v + 1] = float(-v);
    feeds[4].value.data<int64_t>()[v] = v % 3 ? v % 4 : ignored;
  }
  return feeds;
}

RunGraph randomGraph() {
  const Random random(1, "graph");
  graph::Numbers sources, destinations;
  for (uint64_t e = 0; e < 150; ++e) {
    sources.push_back(random.below(nodes, 2 * e));
    destinations.push_back(random.below(nodes, 2 * e + 1));
  }
  return {
      "graph",
      graph::Relation::of(graph::Graph::sound(nodes, sources, destinations)),
      true};
}

/// An input of a step.
template <typename T>
std::vector<T> valuesOf(const std::vector<Feed> &feeds, int input, int step) {
  const TensorType type =
      program().tensors[size_t(program().inputs[size_t(input)].buffer)].type;
  const auto bytes = feeds[size_t(input)].at(step, byteCount(type).value());
  REQUIRE(bytes);
  const T *first = reinterpret_cast<const T *>(bytes->get());
  return {first, first + elementCount(type.shape).value()};
}
} // namespace

TEST_CASE("an epoch has each node whose label counts once") {
  const plan::Program p = program();
  const auto sampled = sampleFeeds(p, {randomGraph()}, feeds(), {{2, 2}, 4, 3});
  INFO((sampled ? "" : sampled.error().message));
  REQUIRE(sampled);
  const int64_t counted = 26, steps = 7; // the last step has two
  std::vector<std::vector<int64_t>> orders;
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::vector<int64_t> order;
    for (int step = int(epoch * steps); step < (epoch + 1) * steps; ++step) {
      const auto x = valuesOf<float>(*sampled, 1, step);
      const auto labels = valuesOf<int64_t>(*sampled, 4, step);
      for (size_t i = 0; i < room; ++i)
        if (labels[i] != ignored) {
          order.push_back(int64_t(x[2 * i]) - 1);
          CHECK(labels[i] == order.back() % 4);
        }
    }
    CHECK(order.size() == counted);
    CHECK(std::set<int64_t>(order.begin(), order.end()).size() == counted);
    orders.push_back(order);
  }
  CHECK(orders[0] != orders[1]);
  CHECK(orders[1] != orders[2]);
}

TEST_CASE("a step's inputs are those of a part of the graph") {
  const plan::Program p = program();
  const RunGraph run = randomGraph();
  std::set<std::pair<int64_t, int64_t>> edges;
  for (int64_t e = 0; e < run.relation.graph.edges(); ++e)
    edges.insert(
        {run.relation.graph.source(e), run.relation.graph.destination(e)});
  const auto sampled = sampleFeeds(p, {run}, feeds(), {{2, 2}, 4, 3});
  REQUIRE(sampled);
  CHECK_FALSE((*sampled)[0].source); // has no row per node
  for (int step = 0; step < 20; ++step) {
    const auto x = valuesOf<float>(*sampled, 1, step);
    const auto src = valuesOf<int64_t>(*sampled, 2, step);
    const auto dst = valuesOf<int64_t>(*sampled, 3, step);
    std::vector<int> received(size_t(room), 0);
    for (size_t e = 0; e < edgesRoom; ++e) {
      const int64_t from = int64_t(x[size_t(2 * src[e])]) - 1,
                    to = int64_t(x[size_t(2 * dst[e])]) - 1;
      if (to < 0) { // spare: between nodes that are none
        CHECK(from < 0);
        continue;
      }
      CHECK(edges.count({from, to}) == 1);
      CHECK(x[size_t(2 * src[e] + 1)] == float(-from));
      ++received[size_t(dst[e])];
    }
    // Two for either layer at most.
    CHECK(*std::max_element(received.begin(), received.end()) <= 4);
  }
}

TEST_CASE("a step works on what walks against the edges have seen") {
  const plan::Program p = program();
  const RunGraph run = randomGraph();
  const graph::Graph back = graph::reversed(run.relation.graph);
  const graph::Rows out = graph::bySource(back);
  using Edges = std::multiset<std::pair<int64_t, int64_t>>;
  const auto sampled = sampleFeeds(p, {run}, feeds(), {{}, 4, 3, 0, 5});
  INFO((sampled ? "" : sampled.error().message));
  REQUIRE(sampled);
  for (int step : {5, 0, 1, 2, 3, 4, 6, 19}) {
    INFO("step " << step);
    const auto x = valuesOf<float>(*sampled, 1, step);
    const auto nodeAt = [&](int64_t row) {
      return int64_t(x[size_t(2 * row)]) - 1; // -1: a spare row
    };
    graph::Numbers starts;
    const auto labels = valuesOf<int64_t>(*sampled, 4, step);
    for (int64_t v = 0; v < room && labels[size_t(v)] != ignored; ++v)
      starts.push_back(nodeAt(v));
    CHECK(starts.size() == (step % 7 == 6 ? 2 : 4));
    CHECK(std::count(labels.begin(), labels.end(), ignored) ==
          room - int64_t(starts.size()));

    // Each step of each walk, edge by edge.
    const uint64_t seed = Random(3, "samples").bits(uint64_t(step));
    const auto walks = graph::randomWalks(back, out, starts, 5, seed);
    REQUIRE(walks);
    std::set<int64_t> nodesSeen, edgesSeen;
    for (size_t i = 0; i < walks->nodes.size(); ++i)
      if (walks->nodes[i] >= 0)
        nodesSeen.insert(walks->nodes[i]);
    Edges expected;
    for (int64_t edge : walks->edges)
      if (edge >= 0 && edgesSeen.insert(edge).second)
        expected.insert({run.relation.graph.source(edge),
                         run.relation.graph.destination(edge)});
    std::set<int64_t> nodesThere;
    for (int64_t v = 0; v < room; ++v)
      if (nodeAt(v) >= 0)
        CHECK(nodesThere.insert(nodeAt(v)).second);
    CHECK(nodesThere == nodesSeen);
    Edges there;
    const auto src = valuesOf<int64_t>(*sampled, 2, step);
    const auto dst = valuesOf<int64_t>(*sampled, 3, step);
    for (size_t e = 0; e < edgesRoom; ++e)
      if (nodeAt(dst[e]) >= 0)
        there.insert({nodeAt(src[e]), nodeAt(dst[e])});
    CHECK(there == expected);
  }
}

TEST_CASE("walks from nodes that are given begin with these") {
  const plan::Program p = program();
  Sampling sampling = {{}, 0, 3, 0, 2};
  sampling.nodes = graph::Numbers{17, 4, 30};
  const auto sampled = sampleFeeds(p, {randomGraph()}, feeds(), sampling);
  INFO((sampled ? "" : sampled.error().message));
  REQUIRE(sampled);
  for (int step : {0, 1, 5}) {
    const auto x = valuesOf<float>(*sampled, 1, step);
    CHECK((x[0] == 18 && x[2] == 5 && x[4] == 31));
  }
  for (const graph::Numbers &nodes :
       {graph::Numbers{1, 2, 1}, graph::Numbers{1, 40}}) {
    sampling.nodes = nodes;
    const auto wrong = sampleFeeds(p, {randomGraph()}, feeds(), sampling);
    REQUIRE(wrong);
    const auto values = (*wrong)[1].at(0, room * 8);
    REQUIRE_FALSE(values);
    CHECK_THAT(values.error().message,
               Catch::Contains(nodes.size() == 3
                                   ? "--walk: nodes to sample for: node 1 "
                                     "occurs twice; give each once"
                                   : "--walk: nodes to sample for: node 40 is "
                                     "not there: the graph has 40"));
  }
}

TEST_CASE("walks are functions of the seed and the step, or too long") {
  const plan::Program p = program();
  const auto one = sampleFeeds(p, {randomGraph()}, feeds(), {{}, 4, 3, 0, 5});
  const auto same = sampleFeeds(p, {randomGraph()}, feeds(), {{}, 4, 3, 0, 5});
  const auto other = sampleFeeds(p, {randomGraph()}, feeds(), {{}, 4, 4, 0, 5});
  REQUIRE((one && same && other));
  for (int step : {30, 2, 1, 0, 9})
    for (int input : {2, 3, 4})
      CHECK(valuesOf<int64_t>(*one, input, step) ==
            valuesOf<int64_t>(*same, input, step));
  CHECK(valuesOf<int64_t>(*one, 2, 0) != valuesOf<int64_t>(*other, 2, 0));
  const auto longer =
      sampleFeeds(p, {randomGraph()}, feeds(), {{}, 9, 3, 0, 90});
  REQUIRE(longer);
  const auto values = (*longer)[1].at(1, room * 8);
  REQUIRE_FALSE(values);
  CHECK_THAT(values.error().message,
             Catch::Contains("step 2: graph: walks from 9 nodes, ") &&
                 Catch::Contains("--dim "));
}

TEST_CASE("a sample is a function of the seed and the step") {
  const plan::Program p = program();
  const auto one = sampleFeeds(p, {randomGraph()}, feeds(), {{2, 2}, 4, 3});
  const auto same = sampleFeeds(p, {randomGraph()}, feeds(), {{2, 2}, 4, 3});
  const auto other = sampleFeeds(p, {randomGraph()}, feeds(), {{2, 2}, 4, 4});
  REQUIRE((one && same && other));
  bool differs = false;
  for (int step : {0, 1, 2, 9, 30}) // in any order
    valuesOf<float>(*one, 1, step);
  for (int step : {30, 2, 1, 0, 9})
    for (int input : {2, 3, 4}) {
      CHECK(valuesOf<int64_t>(*one, input, step) ==
            valuesOf<int64_t>(*same, input, step));
      differs |= valuesOf<int64_t>(*one, input, step) !=
                 valuesOf<int64_t>(*other, input, step);
    }
  CHECK(differs);
}

namespace {
/// Stars of 1 to 3 nodes, one after the other, `count` of them.
RunGraph stars(int64_t count) {
  graph::Numbers sources, destinations;
  int64_t next = 0;
  for (int64_t part = 0; part < count; ++part) {
    for (int64_t leaf = 1; leaf <= part % 3; ++leaf) {
      sources.push_back(next + leaf);
      destinations.push_back(next);
    }
    next += part % 3 + 1;
  }
  return {"graph",
          graph::Relation::of(graph::Graph::sound(next, sources, destinations)),
          true, count};
}
} // namespace

TEST_CASE("each part is a graph of a batch") {
  plan::Program p = program();
  for (const auto &[name, rows] :
       {std::pair("of", room), std::pair("classes", int64_t(7))}) {
    p.tensors.push_back({name, {DType::I64, {rows}}});
    p.buffers.push_back({int(p.tensors.size()) - 1, false});
    p.inputs.push_back({name, int(p.buffers.size()) - 1, {}, {}, {}});
  }
  p.inputs.back().ignore = ignored;
  p.graphs[0].graphs = 7;
  p.graphs[0].graphOf = "of";
  p.graphs[0].perGraph = {"classes"};
  const auto valuesOf = [&](const std::vector<Feed> &feeds, int input, int step,
                            int64_t count) {
    const auto bytes = feeds[size_t(input)].at(step, count * 8);
    INFO((bytes ? "" : bytes.error().message));
    REQUIRE(bytes);
    const auto *first = reinterpret_cast<const int64_t *>(bytes->get());
    return std::vector<int64_t>(first, first + count);
  };
  const auto feedsOf = [](int64_t parts) { // part p has the class 100 + p
    std::vector<Feed> all = feeds();
    all.resize(7);
    all[6].value = makeTensor({DType::I64, {parts}});
    for (int64_t part = 0; part < parts; ++part)
      all[6].value.data<int64_t>()[part] = 100 + part;
    return all;
  };
  const auto sampled = sampleFeeds(p, {stars(20)}, feedsOf(20), {{}, 0, 3, 6});
  INFO((sampled ? "" : sampled.error().message));
  REQUIRE(sampled);
  std::multiset<int64_t> seen;
  for (int step = 0; step < 4; ++step) { // the last one has two
    const auto of = valuesOf(*sampled, 5, step, room);
    const auto classes = valuesOf(*sampled, 6, step, 7);
    const int64_t taken = step < 3 ? 6 : 2;
    for (int64_t g = 0; g < 7; ++g) {
      CHECK((classes[size_t(g)] == ignored) == (g >= taken));
      if (g >= taken)
        continue;
      seen.insert(classes[size_t(g)]);
      CHECK(std::count(of.begin(), of.end(), g) ==
            (classes[size_t(g)] - 100) % 3 + 1);
    }
    CHECK(std::count(of.begin(), of.end(), -1) ==
          0); // of graphs that are spare
  }
  CHECK(seen.size() == 20);
  CHECK(std::set<int64_t>(seen.begin(), seen.end()).size() == 20);

  const auto many = sampleFeeds(p, {stars(20)}, feedsOf(20), {{}, 0, 3, 8});
  REQUIRE_FALSE(many);
  CHECK_THAT(many.error().message,
             Catch::Contains("--parts 8: the plan has room for 7 graphs: "
                             "compile it with --dim graphs=8 or more"));
  CHECK(sampleFeeds(p, {stars(5)}, feedsOf(5), {{}, 0, 3, 8}));
}

TEST_CASE("a sample that exceeds the plan is an error of its step") {
  const plan::Program p = program();
  const auto sampled =
      sampleFeeds(p, {randomGraph()}, feeds(), {{-1, -1, -1, -1}, 20, 3});
  REQUIRE(sampled);
  const auto values = (*sampled)[1].at(2, room * 8);
  REQUIRE_FALSE(values);
  CHECK_THAT(values.error().message,
             Catch::Contains("step 3: graph: a sample for ") &&
                 Catch::Contains("--dim "));
}
