// A sample of each layer's own, as inputs of a plan whose layers have edges of
// their own.
#include "runtime/executor/Samples.h"

#include "dialects/support/Random.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace smex;
using namespace smex::runtime;

namespace {
constexpr int64_t nodes = 40, room = 38, ignored = -7, edges = 150;
constexpr int64_t edgesRoom[] = {90, 30};
constexpr uint64_t graphSeed = 1, seed = 3;

/// Inputs x: f32[room], labels: i64[room]; of layers l = 1 and 2 srcl, dstl:
/// i64[edgesRoom], and with `values` wl: f32[edgesRoom].
plan::Program program(bool values = false) {
  plan::Program program;
  const auto add = [&](const std::string &name, TensorType type) {
    program.tensors.push_back({name, std::move(type)});
    program.buffers.push_back({int(program.tensors.size()) - 1, false});
    program.inputs.push_back(
        {name, int(program.buffers.size()) - 1, {}, {}, {}, {}});
  };
  add("x", {DType::F32, {room}});
  add("labels", {DType::I64, {room}});
  program.inputs.back().ignore = ignored;
  for (int64_t layer : {1, 2}) {
    const std::string number = std::to_string(layer);
    for (const char *end : {"src", "dst"})
      add(end + number, {DType::I64, {edgesRoom[layer - 1]}});
    if (values)
      add("w" + number, {DType::F32, {edgesRoom[layer - 1]}});
    plan::GraphInputs graph;
    graph.layer = layer;
    graph.sources = "src" + number;
    graph.destinations = "dst" + number;
    graph.values = values ? "w" + number : "";
    graph.nodes = room;
    graph.nodeType = "nodes";
    graph.perNode = {"x", "labels"};
    program.graphs.push_back(std::move(graph));
  }
  return program;
}

/// Edge e has the number e + 1.
std::vector<RunGraph> graphs(bool values = false) {
  const Random random(graphSeed, "graph");
  graph::Numbers sources, destinations;
  for (uint64_t e = 0; e < uint64_t(edges); ++e) {
    sources.push_back(random.below(nodes, 2 * e));
    destinations.push_back(random.below(nodes, 2 * e + 1));
  }
  RunGraph first = {
      "graph",
      graph::Relation::of(graph::Graph::sound(nodes, sources, destinations)),
      true};
  for (int64_t e = 0; values && e < edges; ++e)
    first.relation.values.push_back(float(e + 1));
  RunGraph other = first;
  other.relation =
      graph::Relation::of(graph::Graph::sound(nodes, {}, {})); // see RunGraph
  return {first, other};
}

/// Node v has the feature v + 1 and the label v; every third one none.
std::vector<Feed> feeds(const plan::Program &program) {
  std::vector<Feed> feeds(program.inputs.size());
  feeds[0].value = makeTensor({DType::F32, {nodes}});
  feeds[1].value = makeTensor({DType::I64, {nodes}});
  for (int64_t v = 0; v < nodes; ++v) {
    feeds[0].value.data<float>()[v] = float(v + 1);
    feeds[1].value.data<int64_t>()[v] = v % 3 ? v : ignored;
  }
  return feeds;
}

Sampling sampling(graph::Numbers fanouts, int64_t batch) {
  Sampling made = {std::move(fanouts), batch, seed};
  made.perLayer = true;
  return made;
}

template <typename T>
std::vector<T> valuesOf(const plan::Program &program,
                        const std::vector<Feed> &feeds,
                        const std::string &input, int step) {
  size_t i = 0;
  while (program.inputs[i].name != input)
    ++i;
  const TensorType &type =
      program
          .tensors[size_t(
              program.buffers[size_t(program.inputs[i].buffer)].tensor)]
          .type;
  const auto bytes = feeds[i].at(step, byteCount(type).value());
  INFO((bytes ? "" : bytes.error().message));
  REQUIRE(bytes);
  const T *first = reinterpret_cast<const T *>(bytes->get());
  return {first, first + type.shape[0]};
}

/// Of a step: which node each row is, -1: a spare one; and the edges of each
/// layer between nodes.
struct Step {
  std::vector<int64_t> old, labels;
  std::vector<std::multiset<std::pair<int64_t, int64_t>>> layers;
};
Step stepOf(const plan::Program &program, const std::vector<Feed> &feeds,
            int number) {
  Step step;
  for (float x : valuesOf<float>(program, feeds, "x", number))
    step.old.push_back(int64_t(x) - 1);
  step.labels = valuesOf<int64_t>(program, feeds, "labels", number);
  for (const char *layer : {"1", "2"}) {
    const auto from = valuesOf<int64_t>(program, feeds,
                                        std::string("src") + layer, number),
               to = valuesOf<int64_t>(program, feeds,
                                      std::string("dst") + layer, number);
    step.layers.emplace_back();
    for (size_t e = 0; e < from.size(); ++e) {
      if (to[e] < 0)
        continue;
      const int64_t source = step.old[size_t(from[e])],
                    destination = step.old[size_t(to[e])];
      CHECK((source < 0) == (destination < 0)); // spare edges
      if (destination >= 0)
        step.layers.back().emplace(source, destination);
    }
  }
  return step;
}

std::string wrong(const plan::Program &program, const Sampling &sampling,
                  bool values = false) {
  const auto sampled =
      sampleFeeds(program, graphs(values), feeds(program), sampling);
  return sampled ? "no error" : sampled.error().message;
}
} // namespace

TEST_CASE("each layer has a sample of its own") {
  INFO("graph of seed " << graphSeed << ", samples of seed " << seed);
  const plan::Program p = program();
  const auto all = graphs();
  const graph::Graph &graph = all[0].relation.graph;
  const auto sampled = sampleFeeds(p, graphs(), feeds(p), sampling({2, 3}, 5));
  INFO((sampled ? "" : sampled.error().message));
  REQUIRE(sampled);
  bool differ = false;
  for (int number = 0; number < 6; ++number) {
    INFO("step " << number);
    const Step step = stepOf(p, *sampled, number);
    std::set<int64_t> served;
    for (size_t i = 0; i < step.old.size(); ++i)
      if (step.labels[i] != ignored) {
        CHECK(i < 5); // the batch comes first
        CHECK(step.labels[i] == step.old[i]);
        served.insert(step.old[i]);
      }
    CHECK(served.size() >= 1);
    for (int layer : {1, 0}) { // the last one first
      std::multiset<std::pair<int64_t, int64_t>> whole;
      std::map<int64_t, int64_t> degrees, drawn;
      for (int64_t e = 0; e < graph.edges(); ++e) {
        whole.emplace(graph.source(e), graph.destination(e));
        ++degrees[graph.destination(e)];
      }
      for (const auto &edge : step.layers[size_t(layer)]) {
        CHECK(step.layers[size_t(layer)].count(edge) <= whole.count(edge));
        ++drawn[edge.second];
      }
      for (int64_t v : served)
        CHECK(drawn[v] == std::min<int64_t>(layer ? 3 : 2, degrees[v]));
      for (const auto &[v, count] : drawn)
        CHECK((count == 0 || served.count(v)));
      for (const auto &[source, destination] : step.layers[size_t(layer)])
        served.insert(source);
    }
    // All nodes that are there are read.
    for (int64_t v : step.old)
      CHECK((v < 0 || served.count(v)));
    // The batch draws again in the first layer.
    for (const auto &edge : step.layers[0])
      for (const auto &other : step.layers[1])
        differ |= edge.second == other.second && edge.first != other.first;
  }
  CHECK(differ);
}

TEST_CASE("layers' samples are functions of the seed and the step") {
  const plan::Program p = program();
  const auto one = sampleFeeds(p, graphs(), feeds(p), sampling({2, 3}, 4));
  const auto same = sampleFeeds(p, graphs(), feeds(p), sampling({2, 3}, 4));
  Sampling reseeded = sampling({2, 3}, 4);
  reseeded.seed = seed + 1;
  const auto other = sampleFeeds(p, graphs(), feeds(p), reseeded);
  REQUIRE((one && same && other));
  bool differs = false;
  for (int step : {9, 2, 1, 0})
    for (const char *input : {"src1", "dst1", "src2", "dst2"}) {
      const auto values = valuesOf<int64_t>(p, *one, input, step);
      CHECK(values == valuesOf<int64_t>(p, *same, input, step));
      differs |= values != valuesOf<int64_t>(p, *other, input, step);
    }
  CHECK(differs);
}

TEST_CASE("nodes that are given") {
  const plan::Program p = program();
  Sampling given = sampling({2, 3}, 0);
  given.nodes = graph::Numbers{30, 3, 17}; // 30 and 3 have no label
  given.type = "nodes";
  const auto sampled = sampleFeeds(p, graphs(), feeds(p), given);
  INFO((sampled ? "" : sampled.error().message));
  REQUIRE(sampled);
  for (int number : {0, 1, 5}) {
    const Step step = stepOf(p, *sampled, number);
    CHECK(std::vector<int64_t>(step.old.begin(), step.old.begin() + 3) ==
          *given.nodes);
  }
  // Outputs have their rows, where they have some for each node.
  std::vector<Tensor> outputs = {makeTensor({DType::F32, {room, 2}}),
                                 makeTensor({DType::F32, {}}),
                                 makeTensor({DType::F32, {room + 1}})};
  for (int64_t i = 0; i < room * 2; ++i)
    outputs[0].data<float>()[i] = float(i);
  REQUIRE(keepNodes(p, given, outputs));
  REQUIRE(outputs[0].type == TensorType{DType::F32, {3, 2}});
  CHECK(outputs[0].data<float>()[5] == 5);
  CHECK(outputs[1].type.rank() == 0);
  CHECK(outputs[2].type.shape[0] == room + 1);
  given.nodes = graph::Numbers{2, 2};
  const auto twice = sampleFeeds(p, graphs(), feeds(p), given);
  REQUIRE(twice);
  const auto values = (*twice)[0].at(0, room * 4);
  REQUIRE_FALSE(values);
  CHECK_THAT(values.error().message,
             Catch::Contains("node 2 occurs twice; give each once"));
  given.nodes = graph::Numbers(room + 1);
  CHECK_THAT(wrong(p, given), Catch::Contains("--nodes: 39 nodes, and the plan "
                                              "has room for 38 nodes"));
  given.nodes = graph::Numbers();
  CHECK_THAT(wrong(p, given), Catch::Contains("--nodes: 0 nodes"));
}

TEST_CASE("nodes drawn by importance scale the numbers of edges") {
  const plan::Program p = program(true);
  Sampling drawn = sampling({10, 8}, 6);
  drawn.byImportance = true;
  const auto all = graphs(true);
  const auto sampled = sampleFeeds(p, graphs(true), feeds(p), drawn);
  INFO((sampled ? "" : sampled.error().message));
  REQUIRE(sampled);
  double total = 0;
  std::map<int64_t, double> norms; // of a source
  std::map<std::pair<int64_t, int64_t>, std::vector<double>> values;
  const graph::Graph &graph = all[0].relation.graph;
  for (int64_t e = 0; e < edges; ++e) {
    const double value = double(e + 1);
    total += value * value;
    norms[graph.source(e)] += value * value;
    values[{graph.source(e), graph.destination(e)}].push_back(value);
  }
  int seen = 0;
  for (int number = 0; number < 4; ++number) {
    const Step step = stepOf(p, *sampled, number);
    for (int layer : {1, 2}) {
      const std::string l = std::to_string(layer);
      const auto from = valuesOf<int64_t>(p, *sampled, "src" + l, number),
                 to = valuesOf<int64_t>(p, *sampled, "dst" + l, number);
      const auto w = valuesOf<float>(p, *sampled, "w" + l, number);
      const double t = layer == 1 ? 10 : 8;
      std::set<int64_t> sources;
      for (size_t e = 0; e < w.size(); ++e) {
        if (to[e] < 0 || step.old[size_t(from[e])] < 0) {
          CHECK(w[e] == 0); // a spare edge
          continue;
        }
        const int64_t u = step.old[size_t(from[e])];
        sources.insert(u);
        // times / (t q): how often it was drawn is a whole number.
        const auto &own = values.at({u, step.old[size_t(to[e])]});
        const bool isWhole =
            std::any_of(own.begin(), own.end(), [&](double value) {
              const double times =
                  double(w[e]) / value * t * norms.at(u) / total;
              return times > 0.99 && times < t + 0.01 &&
                     std::fabs(times - std::round(times)) < 1e-3;
            });
        CHECK(isWhole);
        ++seen;
      }
      CHECK(double(sources.size()) <= t);
    }
  }
  CHECK(seen > 10);
}

TEST_CASE("layers' samples that cannot be") {
  const plan::Program p = program();
  CHECK(wrong(p, sampling({2}, 4)) ==
        "--sample-layers: 1 number, and the plan has 2 layers: give a number "
        "for each");
  CHECK(wrong(p, sampling({2, 2, 2}, 4)) ==
        "--sample-layers: 3 numbers, and the plan has 2 layers: give a number "
        "for each");
  Sampling named = sampling({2, 2}, 4);
  named.fanoutsOf["other"] = {1, 1};
  CHECK(wrong(p, named) == "--sample-layers other=..: the plan has no graph "
                           "\"other\"; its only one has no name");
  Sampling drawn = sampling({2, 2}, 4);
  drawn.byImportance = true;
  CHECK_THAT(wrong(p, drawn),
             Catch::Contains("--importance: layer 1 of the plan's model does "
                             "not read the numbers of edges"));
  plan::Program loops = program(true);
  loops.graphs[0].selfLoops = loops.graphs[1].selfLoops = true;
  CHECK_THAT(wrong(loops, drawn, true),
             Catch::Contains("--importance: the plan's model has self-loops "
                             "added"));
  drawn.fanouts = {-1, 2};
  CHECK_THAT(wrong(program(true), drawn, true),
             Catch::Contains("--importance: -1 is no number of nodes"));
  const auto large = sampleFeeds(p, graphs(), feeds(p), sampling({-1, -1}, 20));
  REQUIRE(large);
  const auto values = (*large)[0].at(0, room * 4);
  REQUIRE_FALSE(values);
  CHECK_THAT(values.error().message,
             Catch::Contains("step 1: graph: a sample for 20 nodes, "));
}

TEST_CASE("numbers of neighbours on the command line") {
  const auto parse = [](const std::vector<std::string> &arguments) {
    return parseFanouts("--sample", arguments, 0);
  };
  const auto one = parse({"10,-1"});
  REQUIRE(one);
  CHECK(one->all == graph::Numbers{10, -1});
  CHECK(one->named.empty());
  const auto several = parse({"a=b=1,2", "3,0"}); // a name may hold '='
  REQUIRE(several);
  CHECK(several->all == graph::Numbers{3, 0});
  CHECK(several->named.at("a=b") == graph::Numbers{1, 2});
  for (const char *text : {"", ",", "2,", "2,x", "2.5", "-2", "a=", "2 ,3"}) {
    INFO(text);
    const auto wrong = parse({text});
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().fault == Fault::Usage);
    CHECK_THAT(wrong.error().message,
               Catch::Contains("is no number of neighbours"));
  }
  CHECK_FALSE(parseFanouts("--sample-layers", {"3,0"}, 1));
  CHECK(parse({"1", "2"}).error().message == "--sample 2: is given twice");
  CHECK(parse({"a=1", "a=2"}).error().message ==
        "--sample a=2: is given twice");
  CHECK(parse({"a=1", "b=2,3"}).error().message ==
        "--sample b=2,3: has 2 layers, and what is before it 1");
}
