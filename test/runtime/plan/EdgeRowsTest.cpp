// Inputs with a row per edge: of a plan that is given its graph, and of one
// that was compiled with it.
#include "runtime/plan/Format.h"
#include "runtime/plan/Inspect.h"
#include "runtime/plan/Load.h"
#include "test/runtime/plan/ByHand.h"
#include "test/runtime/plan/Examples.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::plan;

namespace {
/// Another input, which nothing reads.
void addInput(Partitioned &part, const std::string &name, TensorType type) {
  Program &program = part.program;
  program.inputs.push_back({name, int(program.buffers.size()), {}, {}, {}, {}});
  addWhole(part, name, std::move(type), 128);
}

/// Four edges of five nodes, with features, values, and which were added.
Plan withGraph() {
  Plan plan = twoWorkers();
  for (Partitioned *part : {&plan.partitioned, &plan.unpartitioned}) {
    addInput(*part, "dst", {DType::I64, {4}});
    addInput(*part, "e", {DType::F32, {4, 2}});
    addInput(*part, "weights", {DType::F32, {4}});
    addInput(*part, "added", {DType::Bool, {4}});
    GraphInputs graph;
    graph.destinations = "dst";
    graph.nodes = 5;
    graph.selfLoops = true;
    graph.perEdge = {"e"};
    graph.values = "weights";
    graph.added = "added";
    part->program.graphs = {graph};
  }
  return plan;
}

/// Three edges of a file, and a self-loop.
Plan withOrder() {
  Plan plan = twoWorkers();
  for (Partitioned *part : {&plan.partitioned, &plan.unpartitioned})
    addInput(*part, "e", {DType::F32, {4, 2}});
  plan.partitioned.program.edgeRows = {{"", 3, 4, {"e"}, {}}};
  plan.edgeOrders = {{2, -1, 0, 1}};
  return plan;
}

template <typename Change> std::string refused(Plan plan, Change change) {
  change(plan);
  const Status status = validate(plan);
  const std::string start = "plan";
  return status ? "" : status.error().message.substr(start.size());
}
} // namespace

TEST_CASE("rows of edges are saved, loaded, and in the schema") {
  const Plan graph = withGraph();
  CHECK(readBack(graph).partitioned.program.graphs ==
        graph.partitioned.program.graphs);
  const Plan order = withOrder();
  const Plan loaded = readBack(order);
  CHECK(loaded.edgeOrders == order.edgeOrders);
  CHECK_THAT(inspect(loaded),
             Catch::Contains("e: 3, in the order of the graph's files\n"));
  CHECK(programToJson(loaded.partitioned.program) ==
        programToJson(order.partitioned.program));
}

TEST_CASE("rows of edges that are none are refused") {
  const auto graph = [](auto change) {
    return refused(withGraph(), [&](Plan &plan) {
      change(plan.partitioned.program.graphs[0]);
    });
  };
  CHECK(graph([](GraphInputs &) {}) == "");
  CHECK(graph([](GraphInputs &g) { g.perEdge = {"w"}; }) ==
        "/program.json: graph.per_edge: \"w\" is none with 4 rows, a row per "
        "edge, or is there twice");
  CHECK(graph([](GraphInputs &g) { g.perEdge = {"e", "e"}; }) != "");
  CHECK(graph([](GraphInputs &g) { g.perEdge = {"none"}; }) != "");
  CHECK(graph([](GraphInputs &g) { g.edgeOutputs = {"e"}; }) ==
        "/program.json: graph.edge_outputs: \"e\" is none with 4 rows, a row "
        "per edge, or is there twice");
  CHECK(graph([](GraphInputs &g) { g.values = "e"; }) ==
        "/program.json: graph.values: \"e\" is no input of type f32[4]");
  CHECK(graph([](GraphInputs &g) { g.added = "weights"; }) != "");
  CHECK(graph([](GraphInputs &g) { g.selfLoops = false; }) ==
        "/program.json: graph.added: without self_loops");

  const auto order = [](auto change) { return refused(withOrder(), change); };
  CHECK(order([](Plan &) {}) == "");
  CHECK(order([](Plan &p) { p.edgeOrders[0][0] = 3; }) ==
        "/edges0.rows: number 0: 3 is no row of 3, or is there twice");
  CHECK(order([](Plan &p) { p.edgeOrders[0][0] = -2; }) != "");
  CHECK(order([](Plan &p) { p.edgeOrders[0][0] = 1; }) ==
        "/edges0.rows: number 3: 1 is no row of 3, or is there twice");
  CHECK(order([](Plan &p) { p.edgeOrders[0].pop_back(); }) ==
        "/edges0.rows: has 3 numbers for 4 edges");
  CHECK(order([](Plan &p) { p.edgeOrders.clear(); }) != "");
  CHECK(order([](Plan &p) { p.partitioned.program.edgeRows[0].edges = 5; }) !=
        "");
  CHECK(order([](Plan &p) {
          p.unpartitioned.program.edgeRows = p.partitioned.program.edgeRows;
        }) != "");
}

TEST_CASE("files of rows of edges that are none are refused") {
  const TemporaryFolder folder;
  const std::string plan = folder / "plan";
  const auto error = [&] {
    const auto loaded = load(plan);
    return loaded ? std::string("loaded") : loaded.error().message;
  };
  const auto saved = [&] {
    const Plan order = withOrder();
    REQUIRE(save(order, plan, countingWeights(order)));
  };
  saved();
  CHECK(error() == "loaded");
  const std::string bytes = slurp(plan + "/edges0.rows");
  CHECK(bytes.size() == 32);
  spit(plan + "/edges0.rows", bytes + "12345678");
  CHECK_THAT(error(), Catch::Contains("edges0.rows: has 40 bytes"));
  spit(plan + "/edges0.rows",
       std::string(1, char(bytes[0] + 1)) + bytes.substr(1));
  CHECK_THAT(error(), Catch::Contains("its hash is not the one in plan.json"));
  rehash(plan);
  CHECK_THAT(error(), Catch::Contains("number 0: 3 is no row of 3"));
  saved();
  edit(plan, "program.json", "/edge_rows/0/file_edges", 5);
  CHECK_THAT(error(), Catch::Contains("edge_rows[0].file_edges: 5 are more"));
  saved();
  edit(plan, "program.json", "/edge_rows/0/edges", int64_t(1) << 48);
  CHECK_THAT(error(), Catch::Contains("is none with 281474976710656 rows"));
  saved();
  edit(plan, "program.json", "/edge_rows", Json::array());
  CHECK_THAT(error(), Catch::Contains("has \"edges0.rows\", and program.json "
                                      "has 0 edge_rows"));
  saved();
  edit(plan, "program.json", "/edge_rows/0/more", 1);
  CHECK_THAT(error(), Catch::Contains("has a key \"more\""));
}
