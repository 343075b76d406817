// Graphs that are computed in an order: a graph of nodes that is instantiated
// on dense tensors, once per level of the input graph, which must be there, or
// a sample of its kind, when the model is compiled (thesis section 4.5.2).
#include "compiler/frontend/onnx/Importer.h"

using namespace smex;
using namespace smex::frontend;
using Kind = graph::GraphList::Kind;

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
    node.requireRows(i, graph.rooms.nodes, "node");
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
