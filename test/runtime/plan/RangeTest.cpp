// What an input's elements may be, and inputs that are a graph.
#include "runtime/plan/Format.h"
#include "runtime/plan/Load.h"
#include "test/runtime/plan/ByHand.h"
#include "test/runtime/plan/Examples.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::plan;

namespace {
/// Another input, which nothing reads: labels[4], each in 0 .. 9 or -100.
void addLabels(Partitioned &part, DType type) {
  Program &program = part.program;
  const int buffer = addWhole(part, "labels", {type, {4}}, 64);
  program.inputs.push_back({"labels", buffer, 0, 9, -100});
}

Plan withLabels(DType type = DType::I64) {
  Plan plan = twoWorkers();
  addLabels(plan.partitioned, type);
  addLabels(plan.unpartitioned, type);
  plan.peakBytes = {640, 640};
  return plan;
}

std::string refused(DType type, Port range) {
  Plan plan = withLabels(type);
  Port &input = plan.partitioned.program.inputs[1];
  input.low = range.low;
  input.high = range.high;
  input.ignore = range.ignore;
  const Status status = validate(plan);
  return status ? "" : status.error().message;
}
} // namespace

TEST_CASE("a range and a constant are saved, loaded, and in the schema") {
  Plan plan = withLabels();
  plan.partitioned.program.parameters[0].constant = true;
  plan.unpartitioned.program.parameters[0].constant = true;
  const Plan loaded = readBack(plan);
  const Port &input = loaded.partitioned.program.inputs[1];
  CHECK(input.low == 0);
  CHECK(input.high == 9);
  CHECK(input.ignore == -100);
  CHECK_FALSE(loaded.partitioned.program.inputs[0].low);
  CHECK(loaded.partitioned.program.parameters[0].constant);
  CHECK_FALSE(loaded.partitioned.program.parameters[1].constant);
  CHECK(programToJson(loaded.partitioned.program) ==
        programToJson(plan.partitioned.program));
  CHECK(listed(check(loaded)) == "");
}

TEST_CASE("a range that is none is refused") {
  const auto at = [](const char *message) {
    return Catch::StartsWith(std::string("plan/program.json: inputs[1].") +
                             message);
  };
  CHECK(refused(DType::I64, {"", 0, 0, 9, {}}) == "");
  CHECK(refused(DType::I64, {"", 0, INT64_MIN, INT64_MAX, 0}) == "");
  CHECK(refused(DType::U64, {"", 0, 0, INT64_MAX, {}}) == "");
  CHECK(refused(DType::I8, {"", 0, -128, 127, {}}) == "");
  CHECK_THAT(refused(DType::I64, {"", 0, 0, {}, {}}), at("high: the other"));
  CHECK_THAT(refused(DType::I64, {"", 0, {}, 9, {}}), at("low: the other"));
  CHECK_THAT(refused(DType::I64, {"", 0, {}, {}, 3}), at("low: the other"));
  CHECK_THAT(refused(DType::I64, {"", 0, 3, 2, {}}),
             at("low: 3 is above high, 2"));
  CHECK_THAT(refused(DType::F32, {"", 0, 0, 9, {}}), at("low: only integers"));
  CHECK_THAT(refused(DType::Bool, {"", 0, 0, 1, {}}), at("low: only integers"));
  CHECK_THAT(refused(DType::I8, {"", 0, 0, 128, {}}),
             at("low: 0 .. 128 is not in i8"));
  CHECK_THAT(refused(DType::U8, {"", 0, -1, 9, {}}),
             at("low: -1 .. 9 is not in u8"));
}

TEST_CASE("ranges of parts are saved, loaded, and in the schema") {
  Plan plan = withLabels();
  for (Program *program :
       {&plan.partitioned.program, &plan.unpartitioned.program})
    program->inputs[1].parts = {{{{1, 2, 2}}, 0, 5}, {{{0, 1, 1}}, -3, 2}};
  const Plan loaded = readBack(plan);
  CHECK(loaded.partitioned.program.inputs[1].parts ==
        plan.partitioned.program.inputs[1].parts);
  CHECK(listed(check(loaded)) == "");
  plan.unpartitioned.program.inputs[1].parts[1].high = 3;
  CHECK_THAT(listed(check(plan)), Catch::Contains("labels"));
}

TEST_CASE("a part that is none, or whose range is none, is refused") {
  const auto refusedPart = [](PartRange part, DType type = DType::I64) {
    Plan plan = withLabels(type);
    plan.partitioned.program.inputs[1].parts = {std::move(part)};
    const Status status = validate(plan);
    return status ? "" : status.error().message;
  };
  const auto at = [](const char *message) {
    return Catch::StartsWith(
        std::string("plan/program.json: inputs[1].parts[0].") + message);
  };
  CHECK(refusedPart({{{0, 4, 1}}, 0, 9}) == "");
  CHECK(refusedPart({{{1, 2, 2}}, 0, 9}) == "");
  CHECK_THAT(refusedPart({{{2, 2, 2}}, 0, 9}), at("part: leaves dimension 0"));
  CHECK_THAT(refusedPart({{{0, 0, 1}}, 0, 9}), at("part: leaves dimension 0"));
  CHECK_THAT(refusedPart({{{0, 2, 0}}, 0, 9}), at("part: leaves dimension 0"));
  CHECK_THAT(refusedPart({{{1, int64_t(1) << 61, 8}}, 0, 9}),
             at("part: leaves dimension 0"));
  CHECK_THAT(refusedPart({{}, 0, 9}), at("part: has 0 dimensions"));
  CHECK_THAT(refusedPart({{{0, 4, 1}}, 3, 2}), at("low: 3 is above high, 2"));
  CHECK_THAT(refusedPart({{{0, 4, 1}}, 0, 200}, DType::I8),
             at("low: 0 .. 200 is not in i8"));
}

TEST_CASE("a range of an output is saved, loaded, and checked") {
  Plan plan = withLabels();
  for (Program *program :
       {&plan.partitioned.program, &plan.unpartitioned.program})
    program->outputs.push_back({"chosen", program->inputs[1].buffer, 0, 5});
  const Plan loaded = readBack(plan);
  CHECK(loaded.partitioned.program.outputs.back().low == 0);
  CHECK(loaded.partitioned.program.outputs.back().high == 5);
  CHECK(listed(check(loaded)) == "");
  plan.unpartitioned.program.outputs.back().high = 6;
  CHECK_THAT(listed(check(plan)), Catch::Contains("output \"chosen\""));
  plan.partitioned.program.outputs.back().high.reset();
  CHECK_THAT(validate(plan).error().message,
             Catch::Contains("outputs[1].high: the other end"));
}

TEST_CASE("which output is the loss is saved, loaded, and checked") {
  Plan plan = withLabels();
  Program &program = plan.partitioned.program;
  const int vector = program.outputs[0].buffer;
  const auto refusal = [&] {
    const Status status = validate(plan);
    return status ? "" : status.error().message;
  };
  program.outputs[0].loss = true;
  CHECK_THAT(
      refusal(),
      Catch::EndsWith(
          "outputs[0].loss: one float is needed, "
          "this is " +
          toString(
              program.tensors[size_t(program.buffers[size_t(vector)].tensor)]
                  .type)));
  // As in a training step: a scalar that every worker has.
  plan = withLabels();
  for (Partitioned *part : {&plan.partitioned, &plan.unpartitioned}) {
    const int buffer = addWhole(*part, "cost", {DType::F32, {}}, 64);
    part->program.inputs.push_back({"cost", buffer});
    part->program.outputs.push_back({"cost", buffer});
    part->program.outputs.back().loss = true;
  }
  plan.peakBytes = {704, 704};
  const Plan loaded = readBack(plan);
  CHECK_FALSE(loaded.partitioned.program.outputs[0].loss);
  CHECK(loaded.partitioned.program.outputs[1].loss);
  CHECK(listed(check(loaded)) == "");
  plan.partitioned.program.outputs.push_back(
      plan.partitioned.program.outputs[1]);
  plan.partitioned.program.outputs[2].name = "again";
  CHECK_THAT(refusal(),
             Catch::EndsWith("outputs[2].loss: another output is the loss"));
  plan = loaded;
  plan.unpartitioned.program.outputs[1].loss = false;
  CHECK_THAT(listed(check(plan)), Catch::Contains("output \"cost\""));
}

TEST_CASE("a range of an output's part, and ranges that differ, are found") {
  Plan plan = withLabels();
  plan.partitioned.program.outputs[0].parts = {{{{0, 1, 1}}, 0, 1}};
  const Status status = validate(plan);
  REQUIRE_FALSE(status);
  CHECK(status.error().message ==
        "plan/program.json: outputs[0].parts: only an input has it");

  plan = withLabels();
  plan.unpartitioned.program.inputs[1].high = 8;
  CHECK_THAT(listed(check(plan)), Catch::Contains("input \"labels\""));
}

namespace {
/// Edges of a graph of 5 nodes: src[4] and dst[4].
Plan withGraph() {
  Plan plan = twoWorkers();
  for (Partitioned *part : {&plan.partitioned, &plan.unpartitioned}) {
    for (const char *name : {"src", "dst"}) {
      addLabels(*part, DType::I64);
      part->program.tensors.back().name = part->program.inputs.back().name =
          name;
    }
    GraphInputs graph;
    graph.sources = "src";
    graph.destinations = "dst";
    graph.nodes = 5;
    graph.selfLoops = true;
    part->program.graphs = {graph};
  }
  plan.peakBytes = {704, 704};
  return plan;
}

/// What is said of a plan that was changed.
template <typename Change> std::string refusedOf(Plan plan, Change change) {
  change(plan.partitioned.program);
  const Status status = validate(plan);
  return status ? "" : status.error().message;
}

template <typename Change> std::string refusedGraph(Change change) {
  return refusedOf(withGraph(), change);
}
} // namespace

TEST_CASE("a graph is saved, loaded, and in the schema") {
  const Plan plan = withGraph();
  const Plan loaded = readBack(plan);
  CHECK(loaded.partitioned.program.graphs == plan.partitioned.program.graphs);
  CHECK(listed(check(loaded)) == "");
}

TEST_CASE("a graph that is none is refused") {
  CHECK(refusedGraph([](Program &) {}) == "");
  CHECK(refusedGraph([](Program &p) { p.graphs[0].sources = "edges"; }) ==
        "plan/program.json: graph.sources: \"edges\" is no input of type "
        "i64[edges]");
  CHECK(refusedGraph([](Program &p) {
          p.tensors.back().type.dtype = DType::I32;
        }).find("graph.destinations: \"dst\" is no input") !=
        std::string::npos);
  CHECK(refusedGraph([](Program &p) { p.graphs[0].destinations = "src"; }) ==
        "plan/program.json: graph.destinations: must be another input than the "
        "sources, of the same type");
  for (const char *name : {"none", "src"}) // src has 4 rows, not 5
    CHECK_THAT(refusedGraph([&](Program &p) { p.graphs[0].perNode = {name}; }),
               Catch::Contains("graph.per_node: \"" + std::string(name) +
                               "\" is no input with 5 rows"));
  Plan plan = withGraph();
  plan.unpartitioned.program.graphs[0].perNode = {"labels"};
  CHECK_THAT(listed(check(plan)), Catch::Contains("graph: is another one"));
  plan.unpartitioned.program.graphs[0].nodes = 6;
  CHECK_THAT(listed(check(plan)), Catch::Contains("graph: is another one"));
  plan.unpartitioned.program.graphs.clear();
  CHECK_THAT(listed(check(plan)), Catch::Contains("graph: is another one"));
}

namespace {
/// Of 4 nodes, each of one of 3 graphs.
Plan withBatch() {
  Plan plan = withGraph();
  for (Partitioned *part : {&plan.partitioned, &plan.unpartitioned}) {
    addLabels(*part, DType::I64);
    part->program.tensors.back().name = part->program.inputs.back().name = "of";
    GraphInputs &graph = part->program.graphs[0];
    graph.nodes = 4;
    graph.graphs = 3;
    graph.graphOf = "of";
  }
  plan.peakBytes = {768, 768};
  return plan;
}
} // namespace

TEST_CASE("a batch of graphs is saved, loaded, and in the schema") {
  const Plan plan = withBatch();
  const Plan loaded = readBack(plan);
  CHECK(loaded.partitioned.program.graphs == plan.partitioned.program.graphs);
  CHECK(listed(check(loaded)) == "");
}

TEST_CASE("a batch of graphs that is none is refused") {
  const auto refused = [](auto change) {
    return refusedOf(withBatch(), [&](Program &p) { change(p.graphs[0]); });
  };
  using Catch::Contains;
  const std::string none = "is no input of type i64[4], or there are no graphs";
  CHECK(refused([](GraphInputs &) {}) == "");
  CHECK_THAT(refused([](GraphInputs &g) { g.graphOf = "none"; }),
             Contains("graph.graph_of: \"none\" " + none));
  CHECK_THAT(refused([](GraphInputs &g) { g.graphOf = ""; }), Contains(none));
  CHECK_THAT(refused([](GraphInputs &g) { g.graphs.reset(); }), Contains(none));
  CHECK_THAT(refused([](GraphInputs &g) { g.nodes = 5; }),
             Contains("is no input of type i64[5]"));
  CHECK_THAT(refused([](GraphInputs &g) {
               g.selfLoops = false;
               g.sourceNodes = 4;
             }),
             Contains(none));
  CHECK_THAT(refused([](GraphInputs &g) { g.graphOf = "src"; }),
             Contains("\"src\" is of another graph, too"));
  CHECK_THAT(refused([](GraphInputs &g) { g.perGraph = {"of"}; }),
             Contains("graph.per_graph: \"of\" is no input with 3 rows, a row "
                      "per graph"));
  CHECK_THAT(refused([](GraphInputs &g) {
               g.graphs = 4;
               g.perNode = g.perGraph = {"of"};
             }),
             Contains("graph.per_graph: \"of\" has a row per node, too"));
}

namespace {
/// Edges from 4 users to 5 items, of two types, and between users.
Plan withRelations() {
  Plan plan = withGraph();
  for (Partitioned *part : {&plan.partitioned, &plan.unpartitioned}) {
    for (const char *name : {"kind", "from", "to"}) {
      addLabels(*part, DType::I64);
      part->program.tensors.back().name = part->program.inputs.back().name =
          name;
    }
    GraphInputs &rates = part->program.graphs[0];
    rates.name = "rates";
    rates.selfLoops = false;
    rates.sourceNodes = 4;
    rates.sourceType = "users";
    rates.nodeType = "items";
    rates.types = "kind";
    rates.edgeTypes = 2;
    GraphInputs follows;
    follows.name = "follows";
    follows.sources = "from";
    follows.destinations = "to";
    follows.nodes = 4;
    follows.nodeType = "users";
    part->program.graphs.push_back(follows);
  }
  plan.peakBytes = {896, 896};
  return plan;
}

template <typename Change> std::string refusedRelations(Change change) {
  return refusedOf(withRelations(), [&](Program &p) { change(p.graphs); });
}
} // namespace

TEST_CASE("several graphs are saved, loaded, and in the schema") {
  const Plan plan = withRelations();
  const Plan loaded = readBack(plan);
  CHECK(loaded.partitioned.program.graphs == plan.partitioned.program.graphs);
}

namespace {
/// One graph, for two layers.
Plan withLayers() {
  Plan plan = withRelations();
  for (Partitioned *part : {&plan.partitioned, &plan.unpartitioned}) {
    GraphInputs &one = part->program.graphs[0], &two = part->program.graphs[1];
    one.name = "";
    one.sourceNodes.reset();
    one.sourceType = "";
    one.types = "";
    one.edgeTypes = 0;
    one.layer = 1;
    two = one;
    two.layer = 2;
    two.sources = "from";
    two.destinations = "to";
    two.perNode.clear();
  }
  return plan;
}

template <typename Change> std::string refusedLayers(Change change) {
  return refusedOf(withLayers(), [&](Program &p) { change(p.graphs); });
}
} // namespace

TEST_CASE("layers with edges of their own are saved, loaded, and in the "
          "schema") {
  const Plan plan = withLayers();
  const Plan loaded = readBack(plan);
  CHECK(loaded.partitioned.program.graphs == plan.partitioned.program.graphs);
  CHECK(loaded.partitioned.program.graphs[1].layer == 2);
}

TEST_CASE("layers that do not go together are refused") {
  using Graphs = std::vector<GraphInputs>;
  const auto same = "graph[1].name: each of several graphs has one of its own, "
                    "or those of a name are the same graph for different "
                    "layers";
  CHECK(refusedLayers([](Graphs &) {}) == "");
  CHECK_THAT(refusedLayers([](Graphs &g) { g[1].layer = 1; }),
             Catch::Contains(same));
  CHECK_THAT(refusedLayers([](Graphs &g) { g[1].selfLoops = true; }),
             Catch::Contains(same));
  CHECK_THAT(refusedLayers([](Graphs &g) { g[1].nodeType = "other"; }),
             Catch::Contains(same));
  CHECK_THAT(
      refusedLayers([](Graphs &g) {
        g[1].layer = 0;
        g[1].name = "other";
      }),
      Catch::Contains("graph[1].layer: 0: all graphs are of layers, from 1 up, "
                      "or none is"));
  CHECK_THAT(refusedLayers([](Graphs &g) { g[1].layer = 3; }),
             Catch::Contains("graph[1].layer: 3: all graphs are of layers"));
  CHECK_THAT(refusedLayers([](Graphs &g) { g[0].name = "one"; }),
             Catch::Contains("graph[1].name: each of several graphs has one"));
}

TEST_CASE("graphs that do not go together are refused") {
  using Graphs = std::vector<GraphInputs>;
  const auto contains = [](const std::string &text) {
    return Catch::Contains(text);
  };
  CHECK(refusedRelations([](Graphs &) {}) == "");
  CHECK_THAT(refusedRelations([](Graphs &g) { g[1].name = "rates"; }),
             contains("graph[1].name: each of several graphs has one"));
  CHECK_THAT(refusedRelations([](Graphs &g) { g[0].name = ""; }),
             contains("graph[0].name: each of several graphs has one"));
  CHECK_THAT(refusedRelations([](Graphs &g) { g[1].sources = "dst"; }),
             contains("graph[1]: \"dst\" is of another graph, too"));
  CHECK_THAT(refusedRelations([](Graphs &g) { g[0].types = "src"; }),
             contains("graph[0].types: \"src\" is no third input"));
  CHECK_THAT(refusedRelations([](Graphs &g) { g[0].edgeTypes = 0; }),
             contains("graph[0].types: \"kind\" is no third input of the ends' "
                      "type, or there are no edge_types"));
  CHECK_THAT(refusedRelations([](Graphs &g) { g[0].perSourceNode = {"none"}; }),
             contains("graph[0].per_source_node: \"none\" is no input with 4 "
                      "rows"));
  CHECK_THAT(refusedRelations([](Graphs &g) {
               g[0].types = "";
               g[0].edgeTypes = 0;
               g[0].selfLoops = true;
             }),
             contains("graph[0].self_loops: an edge from a node to itself"));
  CHECK_THAT(refusedRelations([](Graphs &g) { g[0].sourceType = ""; }),
             contains("graph[0].source_type: edges between nodes of two types "
                      "have a node_type and another source_type"));
  CHECK_THAT(refusedRelations([](Graphs &g) { g[1].sourceType = "items"; }),
             contains("graph[1].source_type: "));
  CHECK_THAT(refusedRelations([](Graphs &g) { g[1].nodeType = ""; }),
             contains("graph[1].node_type: \"\" is no name, or has another"));
  CHECK_THAT(
      refusedRelations([](Graphs &g) { g[1].nodeType = "items"; }),
      contains("graph[1].node_type: \"items\" is no name, or has another "
               "number of nodes elsewhere"));
}
