// A plan that says where nodes and edges of its graph go.
#include "runtime/plan/Format.h"
#include "runtime/plan/Inspect.h"
#include "runtime/plan/Load.h"
#include "test/runtime/plan/ByHand.h"
#include "test/runtime/plan/Examples.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::plan;
using Kind = graph::GraphList::Kind;

namespace {
/// Another input, which nothing reads.
void addInput(Partitioned &part, const std::string &name, TensorType type) {
  Program &program = part.program;
  program.inputs.push_back({name, int(program.buffers.size()), {}, {}, {}, {}});
  addWhole(part, name, std::move(type), 128);
}

/// Of a graph of 5 nodes and 4 edges; nothing reads the edges' sources.
Plan withLayout() {
  Plan plan = twoWorkers();
  for (Partitioned *part : {&plan.partitioned, &plan.unpartitioned}) {
    addInput(*part, "dst", {DType::I64, {4}});
    addInput(*part, "lengths", {DType::I32, {2}});
    addInput(*part, "sources", {DType::I64, {3}});
    GraphInputs graph{"", "dst", 5, false, {}, GraphLayout()};
    graph.layout->rooms = {5, 4, {{1, 3}, {2, 2}}, {{3, {}}, {2, {{0, 3}}}}};
    graph.layout->lists = {{"lengths", {Kind::BucketLengths, 1}},
                           {"sources", {Kind::LevelSources, 1, 0}}};
    part->program.graphs = {graph};
  }
  plan.peakBytes = {960, 960};
  return plan;
}

/// What is said of a plan whose graph was changed.
template <typename Change> std::string refused(Change change) {
  Plan plan = withLayout();
  change(plan.partitioned.program.graphs[0]);
  const Status status = validate(plan);
  const std::string start = "plan/program.json: graph.";
  return status ? "" : status.error().message.substr(start.size());
}
} // namespace

TEST_CASE("a layout is saved, loaded, and in the schema") {
  const Plan plan = withLayout();
  const Plan loaded = readBack(plan);
  CHECK(loaded.partitioned.program.graphs == plan.partitioned.program.graphs);
  CHECK_THAT(inspect(loaded), Catch::Contains("room for 5 nodes, 4 edges, 2 "
                                              "levels, up to 2 messages to a "
                                              "node\n"));
}

TEST_CASE("a layout that is none is refused") {
  CHECK(refused([](GraphInputs &) {}) == "");
  // Without a layout, an end that nothing reads may be left out, but not all.
  CHECK(refused([](GraphInputs &g) { g.layout.reset(); }) == "");
  CHECK(refused([](GraphInputs &g) {
          g.layout.reset();
          g.destinations = "";
        }) == "sources: no input has the graph's edges");
  CHECK(refused([](GraphInputs &g) { g.layout->rooms.edges = 6; }) ==
        "destinations: has 4 edges, and the layout 6");
  CHECK(refused([](GraphInputs &g) { g.layout->rooms.buckets[1].width = 1; }) ==
        "layout.buckets[1]: is not wider than the one before");
  CHECK(refused([](GraphInputs &g) { g.layout->lists[0].list.at = 2; }) ==
        "layout.lists[0]: the layout has no bucket_lengths of 2");
  CHECK(refused([](GraphInputs &g) { g.layout->lists[1].list.from = 1; }) ==
        "layout.lists[1]: the layout has no level_sources of 1 from 1");
  CHECK(refused([](GraphInputs &g) { g.layout->lists[0].list.at = 0; }) ==
        "layout.lists[0]: \"lengths\" is no input of type i32[3]");
  CHECK(refused([](GraphInputs &g) { g.layout->lists[1].input = "none"; }) ==
        "layout.lists[1]: \"none\" is no input of type i64[3]");
  CHECK(refused([](GraphInputs &g) {
          g.layout->lists.push_back(g.layout->lists[1]);
        }) == "layout.lists[2]: \"sources\" is another list, too");
}

TEST_CASE("files with a layout that is none are refused") {
  const TemporaryFolder folder;
  const Plan plan = withLayout();
  const auto broken = [&](const std::string &key, const Json &value) {
    REQUIRE(save(plan, folder / "plan", countingWeights(plan)));
    edit(folder / "plan", "program.json", "/graph/layout" + key, value);
    const auto loaded = load(folder / "plan");
    return loaded ? std::string() : loaded.error().message;
  };
  CHECK_THAT(broken("", 1), Catch::EndsWith("graph.layout: must be an object"));
  CHECK_THAT(broken("/buckets/0", Json::array({1})),
             Catch::EndsWith("graph.layout.buckets[0]: must be an array of two "
                             "integers"));
  CHECK_THAT(broken("/levels/1/nodes", -1),
             Catch::Contains("graph.layout.levels[1].nodes: "));
  CHECK_THAT(broken("/levels/1/from", 3),
             Catch::EndsWith("graph.layout.levels[1].from: must be an array"));
  CHECK_THAT(broken("/lists/0/list", "rows"),
             Catch::EndsWith("graph.layout.lists[0]: \"rows\" is no list"));
  CHECK_THAT(broken("/lists/0/at", -1),
             Catch::Contains("graph.layout.lists[0].at: "));
  CHECK_THAT(broken("/more", 1),
             Catch::Contains("graph.layout: has a key \"more\""));
}

TEST_CASE("layouts that differ between the programs are found") {
  Plan plan = withLayout();
  plan.unpartitioned.program.graphs[0].layout->rooms.levels[0].nodes = 4;
  CHECK_THAT(listed(check(plan)), Catch::Contains("graph: is another one"));
}
