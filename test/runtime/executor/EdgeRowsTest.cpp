// Inputs with a row per edge: of whole graphs, and of what each step takes of
// one. An edge's row says between which nodes it is, nodes' rows who they are:
// in every step the two must agree.
#include "runtime/executor/Inputs.h"
#include "runtime/executor/Samples.h"

#include "dialects/support/Random.h"
#include "runtime/io/Npy.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace smex;
using namespace smex::runtime;

namespace {
constexpr int64_t nodes = 40, edges = 150, room = 60, edgesRoom = 330;
constexpr int64_t ignored = -7;

enum Input { X, Attr, Src, Dst, Values, Added, Labels };

/// Inputs x: f32[room], attr: f32[edgesRoom, 2], src, dst, values, added and
/// labels of nodes.
plan::Program program(bool selfLoops) {
  plan::Program program;
  const auto add = [&](const char *name, TensorType type) -> plan::Port & {
    program.tensors.push_back({name, std::move(type)});
    program.buffers.push_back({int(program.tensors.size()) - 1, false});
    program.inputs.push_back(
        {name, int(program.buffers.size()) - 1, {}, {}, {}});
    return program.inputs.back();
  };
  add("x", {DType::F32, {room}});
  add("attr", {DType::F32, {edgesRoom, 2}});
  for (const char *end : {"src", "dst"}) {
    plan::Port &port = add(end, {DType::I64, {edgesRoom}});
    port.low = 0;
    port.high = room - 1;
  }
  add("values", {DType::F32, {edgesRoom}});
  add("added", {DType::Bool, {edgesRoom}});
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
  graph.perEdge = {"attr"};
  graph.values = "values";
  graph.selfLoops = selfLoops;
  graph.added = selfLoops ? "added" : "";
  return program;
}

/// In connected parts of ten nodes; edge e has the value e + 1.
RunGraph randomGraph() {
  const Random random(1, "graph");
  graph::Numbers sources, destinations;
  graph::Relation relation;
  for (uint64_t e = 0; e < edges; ++e) {
    const int64_t part = random.below(nodes / 10, 3 * e) * 10;
    sources.push_back(part + random.below(10, 3 * e + 1));
    destinations.push_back(part + random.below(10, 3 * e + 2));
    relation.values.push_back(float(e + 1));
  }
  relation.graph = graph::Graph::sound(nodes, sources, destinations);
  relation.sourceNodes = relation.destinationNodes = nodes;
  relation.sizes = {nodes};
  return {"graph", relation, true};
}

/// Node v has v + 1, each edge its two nodes' numbers.
std::vector<Feed> feeds(const RunGraph &run) {
  std::vector<Feed> feeds(7);
  feeds[X].value = makeTensor({DType::F32, {nodes}});
  feeds[Labels].value = makeTensor({DType::I64, {nodes}});
  for (int64_t v = 0; v < nodes; ++v) {
    feeds[X].value.data<float>()[v] = float(v + 1);
    feeds[Labels].value.data<int64_t>()[v] = v % 4;
  }
  feeds[Attr].value = makeTensor({DType::F32, {edges, 2}});
  const graph::Graph &graph = run.relation.graph;
  for (int64_t e = 0; e < edges; ++e) {
    feeds[Attr].value.data<float>()[2 * e] = float(graph.source(e) + 1);
    feeds[Attr].value.data<float>()[2 * e + 1] =
        float(graph.destination(e) + 1);
  }
  return feeds;
}

template <typename T>
std::vector<T> valuesOf(const plan::Program &program,
                        const std::vector<Feed> &feeds, Input input, int step) {
  const TensorType type =
      program.tensors[size_t(program.inputs[input].buffer)].type;
  const auto bytes = feeds[input].at(step, byteCount(type).value());
  INFO((bytes ? "" : bytes.error().message));
  REQUIRE(bytes);
  const T *first = reinterpret_cast<const T *>(bytes->get());
  return {first, first + elementCount(type.shape).value()};
}

/// The edges of a step, by their numbers in the file.
std::set<int64_t> checkStep(const plan::Program &p,
                            const std::vector<Feed> &feeds, int step) {
  const auto x = valuesOf<float>(p, feeds, X, step);
  const auto attr = valuesOf<float>(p, feeds, Attr, step);
  const auto src = valuesOf<int64_t>(p, feeds, Src, step);
  const auto dst = valuesOf<int64_t>(p, feeds, Dst, step);
  const auto values = valuesOf<float>(p, feeds, Values, step);
  const bool selfLoops = p.graphs[0].selfLoops;
  const auto added = selfLoops ? valuesOf<uint8_t>(p, feeds, Added, step)
                               : std::vector<uint8_t>(edgesRoom);
  std::set<int64_t> seen;
  for (size_t i = 0; i < edgesRoom; ++i) {
    const float from = x[size_t(src[i])], to = x[size_t(dst[i])];
    if (values[i] == 0) { // of no file
      CHECK((attr[2 * i] == 0 && attr[2 * i + 1] == 0));
      CHECK((added[i] ? src[i] == dst[i] && from > 0 : from == 0 && to == 0));
      continue;
    }
    CHECK(!added[i]);
    CHECK(attr[2 * i] == from);
    CHECK(attr[2 * i + 1] == to);
    CHECK(seen.insert(int64_t(values[i]) - 1).second);
  }
  return seen;
}

/// Numbers of edges go with their ends, in `steps` steps of samples.
void checkSamples(const Sampling &sampling, int steps) {
  for (const bool selfLoops : {false, true}) {
    const plan::Program p = program(selfLoops);
    const RunGraph run = randomGraph();
    std::vector<Feed> given = feeds(run);
    if (!selfLoops)
      given[Added].value = makeTensor({DType::Bool, {edgesRoom}});
    const auto sampled = sampleFeeds(p, {run}, std::move(given), sampling);
    INFO((sampled ? "" : sampled.error().message));
    REQUIRE(sampled);
    std::set<int64_t> all;
    for (int step = 0; step < steps; ++step) {
      INFO("step " << step);
      const std::set<int64_t> seen = checkStep(p, *sampled, step);
      CHECK_FALSE(seen.empty());
      for (int64_t edge : seen) { // by number, too
        const auto values = valuesOf<float>(p, *sampled, Values, step);
        const auto attr = valuesOf<float>(p, *sampled, Attr, step);
        const size_t i =
            size_t(std::find(values.begin(), values.end(), float(edge + 1)) -
                   values.begin());
        CHECK(attr[2 * i] == float(run.relation.graph.source(edge) + 1));
      }
      all.insert(seen.begin(), seen.end());
    }
    CHECK(all.size() > 30);
  }
}
} // namespace

TEST_CASE("edges that are sampled keep their rows") {
  checkSamples({{2, 2}, 4, 3}, 12);
}

TEST_CASE("edges that are walked keep their rows") {
  checkSamples({{}, 4, 3, 0, 5}, 12);
}

namespace {
/// Of edges, every third of which counts; edge e has e % 4.
void labelEdges(plan::Program &p, std::vector<Feed> &given) {
  p.tensors[Labels].type = {DType::I64, {edgesRoom}};
  p.graphs[0].perNode = {"x"};
  p.graphs[0].perEdge = {"attr", "labels"};
  given[Labels].value = makeTensor({DType::I64, {edges}});
  for (int64_t e = 0; e < edges; ++e)
    given[Labels].value.data<int64_t>()[e] = e % 3 ? ignored : e % 4;
}
} // namespace

TEST_CASE("where edges have labels, edges are drawn") {
  for (const bool selfLoops : {false, true})
    for (const bool walk : {false, true}) {
      plan::Program p = program(selfLoops);
      const RunGraph run = randomGraph();
      std::vector<Feed> given = feeds(run);
      if (!selfLoops)
        given[Added].value = makeTensor({DType::Bool, {edgesRoom}});
      labelEdges(p, given);
      Sampling sampling = {{-1}, 4, 3};
      if (walk)
        sampling = {{}, 4, 3, 0, 5};
      const auto sampled = sampleFeeds(p, {run}, std::move(given), sampling);
      INFO((sampled ? "" : sampled.error().message));
      REQUIRE(sampled);
      const graph::Graph &graph = run.relation.graph;
      std::multiset<int64_t> counted;
      for (int step = 0; step < 13; ++step) { // an epoch of 50
        const std::set<int64_t> seen = checkStep(p, *sampled, step);
        const auto labels = valuesOf<int64_t>(p, *sampled, Labels, step);
        const auto values = valuesOf<float>(p, *sampled, Values, step);
        std::set<int64_t> drawn, ends;
        for (size_t i = 0; i < edgesRoom; ++i) {
          if (labels[i] == ignored)
            continue;
          const int64_t edge = int64_t(values[i]) - 1;
          REQUIRE(edge >= 0);
          CHECK(labels[i] == edge % 4);
          drawn.insert(edge);
          ends.insert({graph.source(edge), graph.destination(edge)});
        }
        CHECK(drawn.size() == (step < 12 ? 4 : 2));
        counted.insert(drawn.begin(), drawn.end());
        if (walk)
          continue;
        // One layer of all neighbours: what leads to the ends, and the edges.
        for (int64_t e = 0; e < edges; ++e)
          CHECK(seen.count(e) ==
                size_t(drawn.count(e) || ends.count(graph.destination(e))));
      }
      CHECK(counted.size() == 50);
      CHECK(std::set<int64_t>(counted.begin(), counted.end()).size() == 50);
    }
}

TEST_CASE("more edges in a step than the plan has room for") {
  plan::Program p = program(false);
  const RunGraph run = randomGraph();
  std::vector<Feed> given = feeds(run);
  given[Added].value = makeTensor({DType::Bool, {edgesRoom}});
  labelEdges(p, given);
  const auto many = sampleFeeds(p, {run}, given, {{2, 2}, 331, 3});
  REQUIRE_FALSE(many);
  CHECK_THAT(many.error().message,
             Catch::Contains("--batch 331: the plan has room for 330 edges: "));
}

TEST_CASE("edges of parts keep their rows") { checkSamples({{}, 0, 3, 2}, 6); }

TEST_CASE("rows of a whole graph are read in the order of its file") {
  for (const bool selfLoops : {false, true}) {
    plan::Program p = program(selfLoops);
    RunGraph run = randomGraph();
    run.sampled = false;
    run.edgeRows = edgeRowsOf(p, p.graphs[0], run.relation);
    CHECK(run.edgeRows.size() == edgesRoom);
    const std::vector<Feed> given = feeds(run);
    std::vector<std::string> arguments;
    const auto write = [&](const char *name, const Tensor &tensor) {
      const std::string file = std::string(name) + ".npy";
      REQUIRE(io::writeNpy(file, tensor));
      arguments.push_back(std::string(name) + "=" + file);
    };
    write("x", given[X].value);
    write("attr", given[Attr].value);
    write("labels", given[Labels].value);
    if (!selfLoops)
      write("added", makeTensor({DType::Bool, {edgesRoom}}));
    const auto read = readInputs(p, arguments, 1, 0, {run});
    INFO((read ? "" : read.error().message));
    REQUIRE(read);
    CHECK(checkStep(p, *read, 0).size() == edges);
    // As many rows as the plan has are in an order that nobody knows.
    write("attr", makeTensor({DType::F32, {edgesRoom, 2}}));
    arguments.erase(arguments.begin() + 1);
    const auto wrong = readInputs(p, arguments, 1, 0, {run});
    REQUIRE_FALSE(wrong);
    CHECK(
        wrong.error().message ==
        "input \"attr\": attr.npy is f32[330, 2], f32[150, 2] expected, a row "
        "per edge of graph");
  }
}

TEST_CASE("results with a row per edge are in the order of its file") {
  plan::Program p = program(true);
  RunGraph run = randomGraph();
  run.sampled = false;
  run.edgeRows = edgeRowsOf(p, p.graphs[0], run.relation);
  p.graphs[0].edgeOutputs = {"scores"};
  p.outputs.resize(2);
  p.outputs[0].name = "other";
  p.outputs[1].name = "scores";
  std::vector<Tensor> outputs = {makeTensor({DType::F32, {edgesRoom}}),
                                 makeTensor({DType::F32, {edgesRoom}})};
  for (size_t i = 0; i < edgesRoom; ++i)
    outputs[1].data<float>()[i] = float(run.edgeRows[i]);
  REQUIRE(orderOutputs(p, {run}, {}, outputs));
  CHECK(outputs[0].type.shape == std::vector<int64_t>{edgesRoom});
  REQUIRE(outputs[1].type.shape == std::vector<int64_t>{edges});
  for (int64_t e = 0; e < edges; ++e)
    CHECK(outputs[1].data<float>()[e] == float(e));
}
