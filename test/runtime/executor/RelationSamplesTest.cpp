// Samples of users that rate items, as inputs of a plan that has room for less.
#include "runtime/executor/Samples.h"

#include "dialects/support/Random.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>

using namespace smex;
using namespace smex::runtime;

namespace {
constexpr int64_t users = 40, items = 25, ignored = -7;
constexpr int64_t usersRoom = 36, itemsRoom = 24, edgesRoom = 60;
using Edges = std::set<std::pair<int64_t, int64_t>>;

/// Inputs to/sources, to/destinations, back/sources, back/destinations: users
/// to items, items to users; x: f32[users], y: f32[items], labels: i64[users].
plan::Program program() {
  plan::Program program;
  const auto add = [&](const std::string &name, TensorType type) {
    program.tensors.push_back({name, std::move(type)});
    program.buffers.push_back({int(program.tensors.size()) - 1, false});
    program.inputs.push_back(
        {name, int(program.buffers.size()) - 1, {}, {}, {}, {}});
  };
  add("labels", {DType::I64, {usersRoom}});
  program.inputs.back().ignore = ignored;
  for (const char *end : {"to/sources", "back/destinations", "to/destinations",
                          "back/sources"}) // in any order
    add(end, {DType::I64, {edgesRoom}});
  add("x", {DType::F32, {usersRoom}});
  add("y", {DType::F32, {itemsRoom}});
  program.graphs.resize(2);
  plan::GraphInputs &to = program.graphs[0], &back = program.graphs[1];
  to.name = "to";
  to.sources = "to/sources";
  to.destinations = "to/destinations";
  to.nodes = itemsRoom;
  to.nodeType = "items";
  to.perNode = {"y"};
  to.sourceNodes = usersRoom;
  to.sourceType = "users";
  to.perSourceNode = {"x", "labels"};
  back.name = "back";
  back.sources = "back/sources";
  back.destinations = "back/destinations";
  back.nodes = usersRoom;
  back.nodeType = "users";
  back.perNode = {"x", "labels"};
  back.sourceNodes = itemsRoom;
  back.sourceType = "items";
  back.perSourceNode = {"y"};
  return program;
}

RunGraph randomRelation(const char *name, int64_t from, int64_t to) {
  const Random random(1, name);
  graph::Numbers sources, destinations;
  for (uint64_t e = 0; e < 100; ++e) {
    sources.push_back(random.below(from, 2 * e));
    destinations.push_back(random.below(to, 2 * e + 1));
  }
  graph::Relation relation;
  relation.graph =
      graph::Graph::sound(std::max(from, to), sources, destinations);
  relation.sourceNodes = from;
  relation.destinationNodes = to;
  return {name, relation, true};
}

std::vector<RunGraph> graphs() {
  return {randomRelation("to", users, items),
          randomRelation("back", items, users)};
}

/// Node v of either type has the feature v + 1; user v the label v % 4, and
/// every third one that does not count.
std::vector<Feed> feeds() {
  std::vector<Feed> feeds(7);
  feeds[0].value = makeTensor({DType::I64, {users}});
  feeds[5].value = makeTensor({DType::F32, {users}});
  feeds[6].value = makeTensor({DType::F32, {items}});
  for (int64_t v = 0; v < users; ++v) {
    feeds[0].value.data<int64_t>()[v] = v % 3 ? v % 4 : ignored;
    feeds[5].value.data<float>()[v] = float(v + 1);
  }
  for (int64_t v = 0; v < items; ++v)
    feeds[6].value.data<float>()[v] = float(v + 1);
  return feeds;
}

template <typename T>
std::vector<T> valuesOf(const std::vector<Feed> &feeds, size_t input,
                        int step) {
  const auto type = program().tensors[input].type;
  const auto bytes = feeds[input].at(step, byteCount(type).value());
  INFO((bytes ? "" : bytes.error().message));
  REQUIRE(bytes);
  const T *first = reinterpret_cast<const T *>(bytes->get());
  return {first, first + type.shape[0]};
}
} // namespace

TEST_CASE("a step works on a part of each relation") {
  const plan::Program p = program();
  const auto sampled = sampleFeeds(p, graphs(), feeds(), {{2, 3}, 4, 3});
  INFO((sampled ? "" : sampled.error().message));
  REQUIRE(sampled);
  std::multiset<int64_t> counted;
  for (int step = 0; step < 7; ++step) {
    INFO("step " << step);
    const auto labels = valuesOf<int64_t>(*sampled, 0, step);
    const std::vector<float> features[] = {valuesOf<float>(*sampled, 5, step),
                                           valuesOf<float>(*sampled, 6, step)};
    const auto nodeAt = [&](size_t type, int64_t row) {
      return int64_t(features[type][size_t(row)]) - 1; // -1: a spare row
    };
    const int64_t batch = step < 6 ? 4 : 2; // of 26
    for (int64_t v = 0; v < usersRoom; ++v) {
      CHECK((labels[size_t(v)] != ignored) == (v < batch));
      if (v < batch) {
        counted.insert(nodeAt(0, v));
        CHECK(labels[size_t(v)] == nodeAt(0, v) % 4);
      }
    }
    for (const auto &type : features) { // each node once, spare ones behind
      const auto spare = std::find(type.begin(), type.end(), 0.0f);
      CHECK(std::count(spare, type.end(), 0.0f) == type.end() - spare);
      CHECK(std::set<float>(type.begin(), spare).size() ==
            size_t(spare - type.begin()));
    }
    const auto given = graphs();
    for (size_t g = 0; g < 2; ++g) {
      const size_t from = g, to = 1 - g; // 0: users
      const auto src = valuesOf<int64_t>(*sampled, g ? 4 : 1, step);
      const auto dst = valuesOf<int64_t>(*sampled, g ? 2 : 3, step);
      Edges whole;
      std::map<int64_t, int64_t> received, all;
      const graph::Graph &graph = given[g].relation.graph;
      for (int64_t e = 0; e < graph.edges(); ++e) {
        whole.insert({graph.source(e), graph.destination(e)});
        ++all[graph.destination(e)];
      }
      for (size_t e = 0; e < edgesRoom; ++e) {
        const int64_t source = nodeAt(from, src[e]), node = nodeAt(to, dst[e]);
        if (node < 0) {
          CHECK(source < 0);
          continue;
        }
        CHECK(whole.count({source, node}) == 1);
        ++received[node];
      }
      for (const auto &[node, edges] : received)
        CHECK(edges <= 5); // of either layer
      for (int64_t v = 0; to == 0 && v < batch; ++v)
        CHECK(received[nodeAt(0, v)] >=
              std::min<int64_t>(3, all[nodeAt(0, v)]));
    }
  }
  CHECK(counted.size() == 26);
  CHECK(std::set<int64_t>(counted.begin(), counted.end()).size() == 26);
}

TEST_CASE("samples of relations are functions of the seed and the step") {
  const plan::Program p = program();
  const auto one = sampleFeeds(p, graphs(), feeds(), {{2, 3}, 4, 3});
  const auto same = sampleFeeds(p, graphs(), feeds(), {{2, 3}, 4, 3});
  const auto other = sampleFeeds(p, graphs(), feeds(), {{2, 3}, 4, 4});
  REQUIRE((one && same && other));
  valuesOf<float>(*one, 5, 9);
  for (int step : {20, 1, 0, 7})
    for (size_t input : {0, 1, 2, 3, 4})
      CHECK(valuesOf<int64_t>(*one, input, step) ==
            valuesOf<int64_t>(*same, input, step));
  CHECK(valuesOf<int64_t>(*one, 0, 0) != valuesOf<int64_t>(*other, 0, 0));
}

TEST_CASE("relations that do not go together, or do not fit") {
  const plan::Program p = program();
  std::vector<RunGraph> differ = graphs();
  differ[1] = randomRelation("back", items + 1, users);
  const auto wrong = sampleFeeds(p, differ, feeds(), {{2, 3}, 4, 3});
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message ==
        "--sample: there are 25 items by to, and 26 by back: give files that "
        "agree, in a format that tells how many there are");
  const auto large = sampleFeeds(p, graphs(), feeds(), {{-1, -1, -1}, 20, 3});
  REQUIRE(large);
  const auto values = (*large)[5].at(0, usersRoom * 4);
  REQUIRE_FALSE(values);
  CHECK_THAT(values.error().message,
             Catch::Contains("step 1: ") &&
                 Catch::Contains(": a sample for 20 nodes, ") &&
                 Catch::Contains(" edges in all: has "));
}

TEST_CASE("edges of a relation are drawn where these have labels") {
  plan::Program p = program();
  p.tensors[0].type = {DType::I64, {edgesRoom}};
  p.graphs[0].perSourceNode = p.graphs[1].perNode = {"x"};
  p.graphs[0].perEdge = {"labels"};
  std::vector<Feed> given = feeds();
  given[0].value = makeTensor({DType::I64, {100}});
  for (int64_t e = 0; e < 100; ++e) // each its own number
    given[0].value.data<int64_t>()[e] = e % 3 ? e : ignored;
  // No edge of `to` is sampled: those that are there are drawn.
  Sampling sampling = {{}, 5, 3};
  sampling.fanoutsOf = {{"to", {0, 0}}, {"back", {2, 2}}};
  const auto sampled = sampleFeeds(p, graphs(), std::move(given), sampling);
  INFO((sampled ? "" : sampled.error().message));
  REQUIRE(sampled);
  const graph::Graph to = graphs()[0].relation.graph;
  std::multiset<int64_t> counted;
  for (int step = 0; step < 14; ++step) { // an epoch of 66
    const auto bytes = (*sampled)[0].at(step, edgesRoom * 8);
    INFO((bytes ? "" : bytes.error().message));
    REQUIRE(bytes);
    const int64_t *labels = reinterpret_cast<const int64_t *>(bytes->get());
    const auto src = valuesOf<int64_t>(*sampled, 1, step),
               dst = valuesOf<int64_t>(*sampled, 3, step);
    const auto x = valuesOf<float>(*sampled, 5, step),
               y = valuesOf<float>(*sampled, 6, step);
    int64_t drawn = 0;
    for (size_t e = 0; e < edgesRoom; ++e) {
      const int64_t from = int64_t(x[size_t(src[e])]) - 1;
      const int64_t into = int64_t(y[size_t(dst[e])]) - 1;
      if (labels[e] == ignored) {
        CHECK(into < 0); // spare
        continue;
      }
      ++drawn;
      counted.insert(labels[e]);
      CHECK(from == to.source(labels[e]));
      CHECK(into == to.destination(labels[e]));
    }
    CHECK(drawn == (step < 13 ? 5 : 1));
  }
  CHECK(counted.size() == 66);
  CHECK(std::set<int64_t>(counted.begin(), counted.end()).size() == 66);
}
