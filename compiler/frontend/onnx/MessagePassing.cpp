// Message passing that no lambda describes by itself: reductions of any kind,
// and graphs that are computed in an order. Both are a graph of nodes that is
// instantiated on dense tensors, once per group of the input graph's nodes;
// both need that graph, or a sample of its kind, when the model is compiled
// (thesis sections 4.5.2 and 4.6.1).
#include "compiler/frontend/onnx/Importer.h"

using namespace smex;
using namespace smex::frontend;
using Kind = graph::GraphList::Kind;

/// Whether the first dimension of an operand has this extent.
static void requireRows(Node &node, size_t operand, int64_t rows,
                        const char *what) {
  const auto &shape = node.shape(operand);
  if (shape.empty() || shape[0] != rows)
    node.refuse("operand ", operand, " must have a row per ", what, " of the ",
                "graph, ", rows, " in all, and is ",
                toString(node.inType(operand)));
}

/// reduce_mailboxes(messages, features of nodes..): for each bucket of nodes
/// that receive about as many messages, the body
///     (messages[n, width, ..], how many each node has: i32[n], rows of the
///     features..) -> results[n, ..]..
/// and then the rows of all buckets in the order of nodes.
void Importer::reduceMailboxes(Node &node, Scope &scope,
                               const Surroundings &in) {
  const onnx::GraphProto &body = *node.graph("reduce");
  BoundGraph &graph = graphFor(node);
  requireRows(node, 0, graph.rooms.edges, "edge");
  for (size_t i = 1; i < node.inputs.size(); ++i)
    requireRows(node, i, graph.rooms.nodes, "node");
  addBuckets(node, graph);
  const auto &buckets = graph.rooms.buckets;
  node.require(!buckets.empty(), "the graph has no nodes");
  // Of all buckets at once, which then take their rows.
  const ValueId messages = rowsAt(node, graph, node.in(0), {Kind::BucketEdges});
  std::vector<ValueId> features;
  for (size_t i = 1; i < node.inputs.size(); ++i)
    features.push_back(rowsAt(node, graph, node.in(i), {Kind::BucketNodes}));
  int64_t edge = 0, row = 0;
  std::vector<std::vector<ValueId>> parts; // per result, per bucket
  for (int64_t b = 0; b < int64_t(buckets.size()); ++b) {
    const int64_t width = buckets[size_t(b)].width;
    const int64_t places = buckets[size_t(b)].places();
    const int64_t nodes = buckets[size_t(b)].nodes;
    std::vector<int64_t> shape = node.shape(0);
    shape.insert(shape.begin(), nodes);
    shape[1] = places;
    std::vector<ValueId> inputs = {
        node.reshape(node.slice(messages, 0, edge, nodes * places), shape),
        listOf(node, graph, {Kind::BucketLengths, b})};
    for (ValueId feature : features)
      inputs.push_back(node.slice(feature, 0, row, nodes));
    edge += nodes * places;
    row += nodes;
    const auto results = importBody(
        node, body, inputs, "/" + std::to_string(width) + "/", scope, in);
    parts.resize(results.size());
    for (size_t r = 0; r < results.size(); ++r) {
      node.require(results[r] < firstStored, "its body gives no plain tensor");
      if (node.type(results[r]).shape.empty() ||
          node.type(results[r]).shape[0] != nodes)
        node.refuse("its body must give a row per node, ", nodes,
                    " here, and gives ", toString(node.type(results[r])));
      parts[r].push_back(results[r]);
    }
  }
  for (size_t r = 0; r < parts.size(); ++r)
    node.out(
        r, rowsAt(node, graph, node.concat(parts[r], 0), {Kind::BucketPlaces}));
}

/// propagate(features of nodes..): states of all nodes, each made of those of
/// the nodes that edges come from, which come first. For each level, the body
///     (states at the sources of its edges [e, width].., destinations: i64[e],
///     counted within the level, rows of the features..) -> states [n, width]..
/// `widths` has one number per state.
void Importer::propagate(Node &node, Scope &scope, const Surroundings &in) {
  const onnx::GraphProto &body = *node.graph("update");
  const std::vector<int64_t> widths = node.integers("widths");
  BoundGraph &graph = graphFor(node);
  node.require(graph.sourceNodes == graph.destinationNodes,
               "needs a graph whose nodes are of one type");
  node.require(!widths.empty() && !node.inputs.empty() && graph.nodes > 0,
               "needs \"widths\" of its states, features of nodes, and a graph "
               "that has some");
  for (size_t i = 0; i < node.inputs.size(); ++i)
    requireRows(node, i, graph.rooms.nodes, "node");
  for (int64_t width : widths)
    node.require(width > 0, "\"widths\" must be positive");
  addLevels(node, graph);
  const DType dtype = node.inType(0).dtype;
  std::vector<ValueId> features; // in the order of levels
  for (size_t i = 0; i < node.inputs.size(); ++i)
    features.push_back(rowsAt(node, graph, node.in(i), {Kind::LevelNodes}));
  int64_t row = 0;
  std::vector<std::vector<ValueId>> states(widths.size()); // per level
  for (int64_t level = 0; level < int64_t(graph.rooms.levels.size()); ++level) {
    const int64_t rows = graph.rooms.rows(size_t(level));
    std::vector<ValueId> inputs;
    for (size_t s = 0; s < widths.size(); ++s) {
      std::vector<ValueId> parts; // what reads one level is together
      for (const auto &pair : graph.rooms.levels[size_t(level)].from)
        parts.push_back(rowsAt(node, graph, states[s][size_t(pair.from)],
                               {Kind::LevelSources, level, pair.from}));
      if (parts.empty())
        parts.push_back(node.addReals({}, {0, widths[s]}, dtype));
      inputs.push_back(node.concat(parts, 0));
    }
    inputs.push_back(listOf(node, graph, {Kind::LevelDestinations, level}));
    for (ValueId feature : features)
      inputs.push_back(node.slice(feature, 0, row, rows));
    row += rows;
    const auto results = importBody(
        node, body, inputs, "/" + std::to_string(level) + "/", scope, in);
    if (results.size() != widths.size())
      node.refuse("its body gives ", results.size(),
                  " states, and \"widths\" has ", widths.size());
    for (size_t s = 0; s < widths.size(); ++s) {
      node.require(results[s] < firstStored, "its body gives no plain tensor");
      const TensorType wanted{dtype, {rows, widths[s]}};
      if (node.type(results[s]) != wanted)
        node.refuse("its body gives a state of ",
                    toString(node.type(results[s])), ", not ",
                    toString(wanted));
      states[s].push_back(results[s]);
    }
  }
  for (size_t s = 0; s < widths.size(); ++s)
    node.out(
        s, rowsAt(node, graph, node.concat(states[s], 0), {Kind::LevelPlaces}));
}
