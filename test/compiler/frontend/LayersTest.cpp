// Networks whose layers have edges of their own, evaluated with the reference
// interpreter: against loops over each layer's edges.
#include "compiler/frontend/Layers.h"

#include "dialects/support/File.h"
#include "dialects/support/Random.h"
#include "test/compiler/frontend/evaluate.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace smex;
using namespace smex::frontend;
using Catch::Matchers::Contains;

namespace {
constexpr int64_t nodes = 7, edges = 20;
constexpr uint64_t seed = 11;

struct Options {
  std::string graph = R"("values": "w")", inputs;
  std::string outputs = R"("y")";
};

/// A model of x: f32[nodes] and what else `options` says.
Result<Model> import(const std::string &nodeList,
                     std::optional<LayerSamples> samples,
                     const Options &options = {}) {
  const char *folder = std::getenv("TEST_TMPDIR");
  const std::string path = std::string(folder ? folder : "/tmp") + "/m.json";
  const std::string text =
      R"({"format": "smex-model", "version": 1, "graph": {"nodes": "n", "edges": "e",
      "sources": "src", "destinations": "dst")" +
      (options.graph.empty() ? "" : ", " + options.graph) +
      R"(}, "inputs": [{"name": "x", "type": "f32", "shape": ["n"]})" +
      options.inputs + R"(], "nodes": [)" + nodeList + R"(], "outputs": [)" +
      options.outputs + "]}";
  REQUIRE(writeFile(path, text));
  ImportOptions import;
  import.dims = {{"n", nodes}, {"e", edges}};
  import.sampleLayers = std::move(samples);
  return importModel(path, import);
}

/// Of -1 everywhere: layers have as many edges as the model.
LayerSamples all(size_t layers) {
  return {{std::vector<int64_t>(layers, -1), {}}, 2};
}

std::string node(const std::string &op, const std::string &inputs,
                 const std::string &output) {
  std::string list;
  for (size_t at = 0; at < inputs.size();) {
    const size_t end = std::min(inputs.find(' ', at), inputs.size());
    list += (list.empty() ? "\"" : ", \"") + inputs.substr(at, end - at) + "\"";
    at = end + 1;
  }
  return R"({"op": ")" + op + R"(", "name": ")" + output + R"(", "inputs": [)" +
         list + R"(], "outputs": [")" + output + R"("]})";
}

std::string nodesOf(const std::vector<std::string> &all) {
  std::string text;
  for (const std::string &each : all)
    text += (text.empty() ? "" : ", ") + each;
  return text;
}

using Vector = std::vector<float>;

/// A layer's edges, and what they have.
struct Layer {
  std::vector<int64_t> src, dst;
  Vector w;

  explicit Layer(uint64_t number, int64_t count = edges) {
    const Random random(seed, "layer");
    for (uint64_t e = 0; e < uint64_t(count); ++e) {
      src.push_back(random.of(number).below(nodes, 3 * e));
      dst.push_back(random.of(number).below(nodes, 3 * e + 1));
      w.push_back(float(random.of(number).below(9, 3 * e + 2) - 4));
    }
  }
  Vector degrees() const {
    Vector n(nodes);
    for (int64_t v : dst)
      ++n[size_t(v)];
    return n;
  }
  /// Sums of what `message` says of an edge.
  template <typename Message> Vector sum(const Message &message) const {
    Vector s(nodes);
    for (size_t e = 0; e < dst.size(); ++e)
      s[size_t(dst[e])] += message(e);
    return s;
  }
};

Vector features() {
  Vector x;
  for (int64_t v = 0; v < nodes; ++v)
    x.push_back(float(v * v % 5) - 1);
  return x;
}

template <typename T>
Tensor tensorOf(DType type, const std::vector<T> &values) {
  Tensor tensor = makeTensor({type, {int64_t(values.size())}});
  std::copy(values.begin(), values.end(), tensor.data<T>());
  return tensor;
}

/// What `y` is where layer l has the edges layers[l - 1].
void check(const Result<Model> &model, const std::vector<Layer> &layers,
           const Vector &expected) {
  INFO("seed " << seed << (model ? "" : model.error().message));
  REQUIRE(model);
  std::map<std::string, Tensor> inputs = {
      {"x", tensorOf(DType::F32, features())}};
  inputs["k"] = makeTensor({DType::F32, {}});
  *inputs["k"].data<float>() = 3;
  REQUIRE(model->graphs.size() == layers.size());
  for (size_t l = 0; l < layers.size(); ++l) {
    const GraphInputs &graph = model->graphs[l];
    CHECK(graph.layer == int64_t(l) + 1);
    CHECK(graph.edges.count == int64_t(layers[l].src.size()));
    inputs[graph.sources] = tensorOf(DType::I64, layers[l].src);
    inputs[graph.destinations] = tensorOf(DType::I64, layers[l].dst);
    if (!graph.values.empty())
      inputs[graph.values] = tensorOf(DType::F32, layers[l].w);
  }
  std::map<std::string, Tensor> known; // what nothing reads is no input
  for (int input : model->inputs)
    known[model->values[size_t(input)].name] =
        inputs.at(model->values[size_t(input)].name);
  const auto outputs = test::evaluate(*model, known);
  INFO((outputs ? "" : outputs.error().message));
  REQUIRE(outputs);
  const Tensor &y = outputs->at("y");
  REQUIRE(y.type.shape == std::vector<int64_t>{nodes});
  for (size_t v = 0; v < size_t(nodes); ++v) {
    INFO("node " << v);
    CHECK(y.data<float>()[v] == Approx(expected[v]).margin(1e-4));
  }
}
} // namespace

TEST_CASE("each layer sums over edges of its own") {
  // Two layers, and what the first one gives is in the output, too: it is
  // computed once, of the first layer's edges.
  const std::string list = nodesOf(
      {node("at_ends", "x src", "m1"), node("sum_messages", "m1 dst x", "h1"),
       node("at_ends", "h1 src", "m2"), node("Mul", "m2 w", "p2"),
       node("sum_messages", "p2 dst x", "h2"), node("Add", "h1 h2", "y")});
  const Layer one(1), two(2);
  const Vector x = features(),
               h1 = one.sum([&](size_t e) { return x[size_t(one.src[e])]; });
  Vector y =
      two.sum([&](size_t e) { return two.w[e] * h1[size_t(two.src[e])]; });
  for (size_t v = 0; v < y.size(); ++v)
    y[v] += h1[v];
  check(import(list, all(2)), {one, two}, y);
}

TEST_CASE("what follows from edges alone is there for each layer") {
  // Degrees, computed once by the model: they divide sums, and what edges read
  // of their sources, where they are those of the layer before.
  const std::string list = nodesOf(
      {node("in_degree", "dst x", "n"), node("at_ends", "n src", "s"),
       node("Add", "s w", "c"), node("at_ends", "x src", "m1"),
       node("Mul", "m1 c", "p1"), node("sum_messages", "p1 dst x", "a1"),
       node("Sub", "a1 n", "h1"), node("at_ends", "h1 src", "m2"),
       node("Mul", "m2 c", "p2"), node("sum_messages", "p2 dst x", "a2"),
       node("Sub", "a2 n", "y")});
  const Layer one(3), two(4);
  const Vector x = features(), n1 = one.degrees(), n2 = two.degrees();
  Vector h1 = one.sum([&](size_t e) {
    const size_t u = size_t(one.src[e]);
    return x[u] * (n1[u] + one.w[e]);
  });
  for (size_t v = 0; v < h1.size(); ++v)
    h1[v] -= n1[v];
  Vector y = two.sum([&](size_t e) {
    const size_t u = size_t(two.src[e]);
    return h1[u] * (n1[u] + two.w[e]);
  });
  for (size_t v = 0; v < y.size(); ++v)
    y[v] -= n2[v];
  check(import(list, all(2)), {one, two}, y);
}

TEST_CASE("an input that no node has does not change what edges alone say") {
  const std::string list = nodesOf(
      {node("in_degree", "dst x", "n"), node("Mul", "n k", "nk"),
       node("at_ends", "x src", "m1"), node("sum_messages", "m1 dst x", "a1"),
       node("Sub", "a1 nk", "h1"), node("at_ends", "h1 src", "m2"),
       node("sum_messages", "m2 dst x", "a2"), node("Sub", "a2 nk", "y")});
  const Layer one(7), two(8);
  const Vector x = features(), n1 = one.degrees(), n2 = two.degrees();
  Vector h1 = one.sum([&](size_t e) { return x[size_t(one.src[e])]; });
  for (size_t v = 0; v < h1.size(); ++v)
    h1[v] -= 3 * n1[v];
  Vector y = two.sum([&](size_t e) { return h1[size_t(two.src[e])]; });
  for (size_t v = 0; v < y.size(); ++v)
    y[v] -= 3 * n2[v];
  Options options;
  options.inputs = R"(, {"name": "k", "type": "f32", "shape": []})";
  check(import(list, all(2), options), {one, two}, y);
}

TEST_CASE("several steps along the edges of one layer are one layer") {
  // An attention: scores of edges, a largest one and a sum of each node, and
  // what is read at the destination passes along no edge.
  const std::string list = nodesOf(
      {node("at_ends", "x src", "u"), node("at_ends", "x dst", "v"),
       node("Add", "u v", "s"), node("softmax_of_edges", "s dst x", "p"),
       node("weighted_messages", "p x src dst", "h"),
       node("at_ends", "h src", "u2"), node("at_ends", "h dst", "v2"),
       node("Sub", "u2 v2", "s2"), node("softmax_of_edges", "s2 dst h", "p2"),
       node("weighted_messages", "p2 h src dst", "y")});
  const Layer one(5), two(6);
  const auto attend = [](const Layer &layer, const Vector &x, float sign) {
    Vector p, z(nodes);
    for (size_t e = 0; e < layer.src.size(); ++e) {
      p.push_back(
          std::exp(x[size_t(layer.src[e])] + sign * x[size_t(layer.dst[e])]));
      z[size_t(layer.dst[e])] += p.back();
    }
    return layer.sum([&](size_t e) {
      return p[e] / z[size_t(layer.dst[e])] * x[size_t(layer.src[e])];
    });
  };
  Options plain;
  plain.graph = "";
  check(import(list, all(2), plain), {one, two},
        attend(two, attend(one, features(), 1), -1));
}

TEST_CASE("layers have room for what is sampled") {
  const std::string list = nodesOf(
      {node("graph_convolution", "x2 src dst", "h"),
       node("graph_convolution", "h src dst", "y2"), node("Relu", "y2", "y")});
  Options options;
  options.graph = "";
  options.inputs = R"(, {"name": "x2", "type": "f32", "shape": ["n", 3]})";
  const auto roomsOf = [&](std::vector<int64_t> limits, int64_t batch) {
    const auto model = import(list, LayerSamples{{limits, {}}, batch}, options);
    INFO((model ? "" : model.error().message));
    REQUIRE(model);
    std::vector<int64_t> rooms;
    for (const GraphInputs &graph : model->graphs)
      rooms.push_back(graph.edges.count);
    int lists = 0;
    for (int input : model->inputs) {
      const Value &value = model->values[size_t(input)];
      const size_t dot = value.name.rfind(".layer");
      if (dot == std::string::npos)
        continue;
      const size_t layer = size_t(value.name.back() - '1');
      REQUIRE(layer < rooms.size());
      CHECK(value.type == TensorType{DType::I64, {rooms[layer]}});
      ++lists;
    }
    CHECK(lists == 4); // both ends, of both layers
    return rooms;
  };
  // 1 node reads 2, and 3 nodes 3 each; or all of the plan's 20.
  CHECK(roomsOf({3, 2}, 1) == std::vector<int64_t>{9, 2});
  CHECK(roomsOf({2, 3}, 2) == std::vector<int64_t>{14, 6}); // of 7 nodes
  CHECK(roomsOf({-1, 3}, 2) == std::vector<int64_t>{20, 6});
  CHECK(roomsOf({int64_t(1) << 40, int64_t(1) << 40}, 7) ==
        std::vector<int64_t>{20, 20});
  options.graph = R"("self_loops": true)"; // one at each of 7 nodes
  // Loops bring no nodes: layer 1 has those of 3, and loops.
  CHECK(roomsOf({1, 2}, 1) == std::vector<int64_t>{10, 9});
}

TEST_CASE("layers have mailboxes for what they sample") {
  // The sum of a mailbox, which is that of messages; with what each node has.
  const std::string body =
      R"({"op": "reduce_mailboxes", "name": "NAME", "inputs": ["IN", "x2"],
    "outputs": ["OUT"], "attributes": {"reduce": {"graph": {
      "inputs": [{"name": "NAME/box"}, {"name": "NAME/len"}, {"name": "NAME/own"}], "outputs": ["NAME/all"],
      "nodes": [{"op": "ReduceSum", "inputs": ["NAME/box", "axis"], "outputs": ["NAME/sum"], "attributes": {"keepdims": 0}},
                {"op": "Add", "inputs": ["NAME/sum", "NAME/own"], "outputs": ["NAME/all"]}]}}}})";
  const auto mailboxes = [&](const std::string &in, const std::string &out) {
    std::string text = body;
    for (const auto &[from, to] :
         {std::pair<std::string, std::string>("NAME", out + "/node"),
          {"\"IN\"", "\"" + in + "\""},
          {"\"OUT\"", "\"" + out + "\""}})
      for (size_t at; (at = text.find(from)) != std::string::npos;)
        text.replace(at, from.size(), to);
    return text;
  };
  const std::string list =
      nodesOf({node("at_ends", "x2 src", "m1"), mailboxes("m1", "h"),
               node("at_ends", "h src", "m2"), mailboxes("m2", "y2")});
  Options options;
  options.graph = "";
  options.outputs = R"("y2")";
  options.inputs =
      R"(, {"name": "x2", "type": "f32", "shape": ["n", 3]}], "parameters": [
    {"name": "axis", "type": "i64", "shape": [1], "values": [1]})";
  const auto model = import(list, LayerSamples{{{3, 2}, {}}, 1}, options);
  INFO((model ? "" : model.error().message));
  REQUIRE(model);
  REQUIRE(model->graphs.size() == 2);
  const int64_t rooms[] = {9, 2};
  for (size_t layer : {0, 1}) {
    const GraphInputs &graph = model->graphs[layer];
    CHECK(graph.edges.count == rooms[layer]);
    CHECK(graph.rooms.edges == rooms[layer]);
    CHECK(graph.rooms.buckets == std::vector<graph::BucketRoom>{{3, nodes}});
    CHECK(graph.lists.size() == 3); // nothing reads how many there are
    for (const auto &[name, what] : graph.lists) {
      const auto type = graph::typeOf(what, graph.rooms);
      REQUIRE(type);
      for (int input : model->inputs)
        if (model->values[size_t(input)].name == name) {
          CHECK(model->values[size_t(input)].type == type->type);
          const InputRange &range = model->inputRanges.at(input);
          CHECK((range.low == type->low && range.high == type->high));
        }
    }
  }
  const auto wrong = [&](const std::string &nodes, LayerSamples samples) {
    const auto model = import(nodes, samples, options);
    return model ? "no error" : model.error().message;
  };
  // One line for each: what comes after is not wrong.
  const std::string any = wrong(list, LayerSamples{{{3, -1}, {}}, 1});
  CHECK_THAT(any, Contains("takes all messages of a node at once, and -1 would "
                           "sample any number"));
  CHECK_THAT(any, !Contains("there is no such operator"));
  std::string chosen = mailboxes("m2", "y2");
  for (const auto &[from, to] : {std::pair<std::string, std::string>(
                                     "reduce_mailboxes", "reduce_mailboxes_at"),
                                 {R"(["m2", "x2"])", R"(["m2", "dst", "x2"])"}})
    chosen.replace(chosen.find(from), from.size(), to);
  const std::string either =
      wrong(nodesOf({node("at_ends", "x2 src", "m1"), mailboxes("m1", "h"),
                     node("at_ends", "h src", "m2"), chosen}),
            LayerSamples{{{3, -1}, {}}, 1});
  CHECK_THAT(either, Contains("takes all messages of a node at once"));
  CHECK_THAT(either, !Contains("there is no such operator"));
  CHECK_THAT(wrong(list, LayerSamples{{{}, {{"", {3, 2}}}}, 1}),
             Contains("no error"));
  CHECK_THAT(wrong(list, LayerSamples{{{3, 2}, {{"other", {3, 2}}}}, 1}),
             Contains("--sample-layers other=..: the model has no graph "
                      "\"other\"; its only one has no name"));
}

TEST_CASE("results of edges are of edges that no layer passes messages along") {
  Options rows;
  rows.graph = "";
  rows.inputs = R"(, {"name": "f", "type": "f32", "shape": ["e"]})";
  rows.outputs = R"({"name": "y", "type": "f32", "shape": ["e"]})";
  const auto model = import(
      nodesOf({node("at_ends", "x src", "m"), node("Mul", "m f", "p"),
               node("sum_messages", "p dst x", "h"),
               node("at_ends", "h src", "from"), node("at_ends", "h dst", "to"),
               node("Sub", "from to", "d"), node("Mul", "d f", "y")}),
      LayerSamples{{{3}, {}}, 4}, rows);
  INFO("seed " << seed << (model ? "" : model.error().message));
  REQUIRE(model);
  REQUIRE(model->graphs.size() == 2);
  const GraphInputs &first = model->graphs[0], &batch = model->graphs[1];
  CHECK(first.layer == 1);
  CHECK(first.edges.inputs == std::vector<std::string>{"f.layer1"});
  CHECK(first.edges.outputs.empty());
  CHECK(first.edges.count == edges); // both ends of 4: 7 nodes, 3 of each
  CHECK(batch.layer == graph::ofBatch);
  CHECK(batch.edges.inputs == std::vector<std::string>{"f.batch"});
  CHECK(batch.edges.outputs == std::vector<std::string>{"y"});
  REQUIRE(batch.edges.count == 4);
  const Layer layer(1), drawn(2, 4);
  const auto outputs = test::evaluate(
      *model, {{"x", tensorOf(DType::F32, features())},
               {first.sources, tensorOf(DType::I64, layer.src)},
               {first.destinations, tensorOf(DType::I64, layer.dst)},
               {"f.layer1", tensorOf(DType::F32, layer.w)},
               {batch.sources, tensorOf(DType::I64, drawn.src)},
               {batch.destinations, tensorOf(DType::I64, drawn.dst)},
               {"f.batch", tensorOf(DType::F32, drawn.w)}});
  INFO((outputs ? "" : outputs.error().message));
  REQUIRE(outputs);
  const Vector h = layer.sum(
      [&](size_t e) { return features()[size_t(layer.src[e])] * layer.w[e]; });
  for (size_t e = 0; e < 4; ++e)
    CHECK(
        outputs->at("y").data<float>()[e] ==
        Approx((h[size_t(drawn.src[e])] - h[size_t(drawn.dst[e])]) * drawn.w[e])
            .margin(1e-4));
}

TEST_CASE("layers that cannot have edges of their own") {
  const auto wrong = [](const std::string &list, size_t layers,
                        const Options &options = {}) {
    const auto model = import(list, all(layers), options);
    return model ? "no error" : model.error().message;
  };
  const std::string layer = nodesOf(
      {node("at_ends", "x src", "m"), node("sum_messages", "m dst x", "y")});
  CHECK(wrong(layer, 1) == "no error");
  CHECK_THAT(wrong(layer, 2),
             Contains("m.json: --sample-layers: 2 numbers, and the network "
                      "passes messages in 1 layer: give a number for each"));
  CHECK_THAT(wrong(node("Relu", "x", "y"), 1),
             Contains("1 number, and the network passes messages in 0 layers"));
  CHECK_THAT(wrong(nodesOf({node("at_ends", "x src", "m"),
                            node("sum_messages", "m src x", "y")}),
                   1),
             Contains("node \"y\" brings messages to where edges come from"));
  // Running sums over edges, in their order.
  Options sums;
  sums.inputs =
      R"(], "parameters": [{"name": "axis", "type": "i64", "shape": [],
      "values": 0})";
  CHECK_THAT(wrong(nodesOf({node("at_ends", "x src", "m"),
                            node("CumSum", "m axis", "c"),
                            node("sum_messages", "c dst x", "y")}),
                   1, sums),
             Contains("node \"c\" compares numbers of edges"));
}
