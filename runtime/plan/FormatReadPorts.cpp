// What crosses the border of a program: inputs and outputs, parameters, and
// what is said of graphs.
#include "runtime/plan/FormatRead.h"
#include "runtime/plan/Load.h"

using namespace smex;
using namespace smex::plan;

namespace {

/// With a range, where it has one.
Port portOf(const Cursor &at) {
  const auto value = [&](const char *key) -> std::optional<int64_t> {
    if (!at.has(key))
      return std::nullopt;
    return at.integer(key, std::numeric_limits<int64_t>::min(), totalLimit);
  };
  return {at.string("name"), number(at, "buffer"), value("low"), value("high"),
          value("ignore")};
}

graph::Recipe recipeOf(const Cursor &at) {
  graph::Recipe recipe;
  at.object({"derivation", "of"}, {"rows", "wraps"});
  const std::string derivation = at.string("derivation");
  if (const auto known = graph::parseDerivation(derivation))
    recipe.derivation = *known;
  else
    at.refuse("\"" + derivation + "\" is no derivation");
  recipe.of = at.list("of", [](const Cursor &name) { return name.string(); });
  if (at.has("wraps"))
    recipe.wraps = at.integers("wraps", 0, totalLimit);
  if (at.has("rows"))
    recipe.rows = at.integers("rows", 0, totalLimit);
  return recipe;
}

PartRange partOf(const Cursor &at) {
  at.object({"high", "low", "part"});
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  PartRange range = {{},
                     at.integer("low", least, totalLimit),
                     at.integer("high", least, totalLimit)};
  range.part = at.list("part", [](const Cursor &dimension) {
    const auto numbers = dimension.list(
        [](const Cursor &number) { return number.integer(0, sizeLimit); });
    if (numbers.size() != 3) {
      dimension.refuse("must be a first coordinate, a count and a step");
      return Progression();
    }
    return Progression{numbers[0], numbers[1], numbers[2]};
  });
  return range;
}

graph::LevelRoom levelOf(const Cursor &at) {
  at.object({"from", "nodes"});
  graph::LevelRoom level;
  level.nodes = at.integer("nodes", 0, sizeLimit);
  level.from = at.list("from", [](const Cursor &pair) {
    const Interval numbers = pairOf(pair, sizeLimit);
    return graph::PairRoom{numbers.lo, numbers.hi};
  });
  return level;
}

ListInput listInputOf(const Cursor &at) {
  at.object({"input", "list"}, {"at", "from"});
  ListInput made;
  made.input = at.string("input");
  const std::string list = at.string("list");
  if (const auto kind = graph::parseListKind(list))
    made.list.kind = *kind;
  else
    at.refuse("\"" + list + "\" is no list");
  made.list.at = at.has("at") ? at.integer("at", 0, countLimit) : 0;
  made.list.from = at.has("from") ? at.integer("from", 0, countLimit) : 0;
  return made;
}

GraphLayout layoutOf(const Cursor &at) {
  at.object({"buckets", "edges", "levels", "lists"});
  GraphLayout layout;
  layout.rooms.edges = at.integer("edges", 0, sizeLimit);
  layout.rooms.buckets = at.list("buckets", [](const Cursor &bucket) {
    const Interval numbers = pairOf(bucket, sizeLimit);
    return graph::BucketRoom{numbers.lo, numbers.hi};
  });
  layout.rooms.levels = at.list("levels", levelOf);
  layout.lists = at.list("lists", listInputOf);
  return layout;
}

} // namespace

Port plan::outputOf(const Cursor &at) {
  at.object({"buffer", "name"}, {"high", "loss", "low"});
  Port port = portOf(at);
  port.loss = at.has("loss") && at.boolean("loss");
  return port;
}

Port plan::inputOf(const Cursor &at) {
  at.object({"buffer", "name"}, {"derived", "high", "ignore", "low", "parts"});
  Port port = portOf(at);
  if (at.has("parts"))
    port.parts = at.list("parts", partOf);
  if (at.has("derived"))
    port.derived = at.with("derived", recipeOf);
  return port;
}

Parameter plan::parameterOf(const Cursor &at) {
  Parameter parameter;
  at.object({"buffer", "name"},
            {"constant", "drawn", "next", "scale", "state"});
  parameter.name = at.string("name");
  parameter.buffer = number(at, "buffer");
  if (at.has("drawn") || at.has("scale")) {
    parameter.drawn = at.boolean("drawn");
    parameter.scale = at.real("scale");
    if (!parameter.drawn)
      at.refuse("\"drawn\" is true or absent");
  }
  if (at.has("next"))
    parameter.next = number(at, "next");
  if (at.has("state") && !(parameter.state = at.boolean("state")))
    at.refuse("\"state\" is true or absent");
  if (at.has("constant") && !(parameter.constant = at.boolean("constant")))
    at.refuse("\"constant\" is true or absent");
  return parameter;
}

GraphInputs plan::graphOf(const Cursor &at) {
  const bool hasLayout = at.has("layout");
  if (hasLayout)
    at.object({"layout", "nodes", "self_loops"},
              {"added", "destinations", "edge_outputs", "edge_types",
               "graph_of", "graphs", "layer", "name", "node_type", "per_edge",
               "per_graph", "per_node", "sources", "types", "values"});
  else
    at.object({"nodes", "self_loops"},
              {"added", "destinations", "edge_outputs", "edge_types",
               "graph_of", "graphs", "layer", "name", "node_type", "per_edge",
               "per_graph", "per_node", "per_source_node", "source_nodes",
               "source_type", "sources", "types", "values"});
  GraphInputs graph;
  for (const auto &[key, name] :
       {std::pair("sources", &graph.sources),
        std::pair("destinations", &graph.destinations),
        std::pair("types", &graph.types), std::pair("name", &graph.name),
        std::pair("graph_of", &graph.graphOf),
        std::pair("node_type", &graph.nodeType),
        std::pair("values", &graph.values), std::pair("added", &graph.added),
        std::pair("source_type", &graph.sourceType)})
    if (at.has(key))
      *name = at.string(key);
  graph.nodes = at.integer("nodes", 0, sizeLimit);
  graph.selfLoops = at.boolean("self_loops");
  if (at.has("layer")) {
    graph.layer = at.integer("layer", graph::ofBatch, sizeLimit);
    if (graph.layer == 0)
      at.refuse("\"layer\" is a number from 1 up, -1, or absent");
  }
  if (at.has("source_nodes"))
    graph.sourceNodes = at.integer("source_nodes", 0, sizeLimit);
  if (at.has("edge_types"))
    graph.edgeTypes = at.integer("edge_types", 1, sizeLimit);
  const auto text = [](const Cursor &name) { return name.string(); };
  if (at.has("per_node"))
    graph.perNode = at.list("per_node", text);
  if (at.has("per_source_node"))
    graph.perSourceNode = at.list("per_source_node", text);
  if (at.has("per_edge"))
    graph.perEdge = at.list("per_edge", text);
  if (at.has("edge_outputs"))
    graph.edgeOutputs = at.list("edge_outputs", text);
  if (at.has("graphs"))
    graph.graphs = at.integer("graphs", 0, sizeLimit);
  if (at.has("per_graph"))
    graph.perGraph = at.list("per_graph", text);
  if (hasLayout) {
    graph.layout = at.with("layout", layoutOf);
    graph.layout->rooms.nodes = graph.nodes;
  }
  return graph;
}

EdgeRows plan::edgeRowsOf(const Cursor &at) {
  at.object({"edges", "file_edges", "inputs", "outputs"}, {"graph"});
  EdgeRows rows;
  if (at.has("graph"))
    rows.graph = at.string("graph");
  rows.fileEdges = at.integer("file_edges", 0, sizeLimit);
  rows.edges = at.integer("edges", 0, sizeLimit);
  const auto text = [](const Cursor &name) { return name.string(); };
  rows.inputs = at.list("inputs", text);
  rows.outputs = at.list("outputs", text);
  return rows;
}
