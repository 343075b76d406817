// Message passing that no lambda describes by itself: reductions of any kind,
// and graphs that are computed in an order. Both are a graph of nodes that is
// instantiated on dense tensors, as often as the input graph asks for; both
// need that graph when the model is compiled (thesis sections 4.5.2 and 4.6.1).
#include "compiler/frontend/onnx/Importer.h"
#include "runtime/graph/Buckets.h"
#include "runtime/graph/Levels.h"

#include <map>

using namespace smex;
using namespace smex::frontend;
using graph::Numbers;

/// A small tensor of the plan's own: places of nodes and edges.
static ValueId numbers(Node &node, const Numbers &values,
                       std::vector<int64_t> shape, DType type = DType::I64) {
  Tensor tensor = makeTensor({type, std::move(shape)});
  for (size_t i = 0; i < values.size(); ++i)
    if (type == DType::I32)
      tensor.data<int32_t>()[i] = int32_t(values[i]);
    else
      tensor.data<int64_t>()[i] = values[i];
  return node.addConstant(std::move(tensor));
}

static ValueId numbers(Node &node, const Numbers &values) {
  return numbers(node, values, {int64_t(values.size())});
}

static Numbers rowOf(const graph::Rows &rows, int64_t row) {
  return {rows.begin(row), rows.end(row)};
}

/// Whether the first dimension of an operand has this extent.
static void requireRows(Node &node, size_t operand, int64_t rows,
                        const char *what) {
  const auto &shape = node.shape(operand);
  if (shape.empty() || shape[0] != rows)
    node.refuse("operand ", operand, " must have a row per ", what, " of the ",
                "graph, ", rows, " in all, and is ",
                toString(node.inType(operand)));
}

graph::Graph BoundGraph::edges() const {
  const auto numbers = [](const Tensor &list) {
    const int64_t *from = list.data<int64_t>();
    return Numbers(from, from + list.type.shape[0]);
  };
  return graph::Graph::sound(nodes, numbers(*sources), numbers(*destinations));
}

/// The model's one graph, or that which the attribute "graph" names.
const BoundGraph &Importer::graphFor(Node &node) const {
  const std::string name = node.text("graph", "");
  if (boundGraphs.empty())
    node.refuse("depends on the graph: give one when the model is compiled, "
                "with --graph FILE");
  const auto found = name.empty() && boundGraphs.size() == 1
                         ? boundGraphs.begin()
                         : boundGraphs.find(name);
  if (found != boundGraphs.end())
    return found->second;
  std::string all;
  for (const auto &[each, graph] : boundGraphs)
    all += (all.empty() ? "\"" : ", \"") + each + "\"";
  node.refuse("its attribute \"graph\" must name one of the model's graphs: ",
              all);
}

/// reduce_mailboxes(messages, features of nodes..): for each bucket of nodes
/// that receive about as many messages, the body
///     (messages[n, width, ..], how many each node has: i32[n], rows of the
///     features..) -> results[n, ..]..
/// and then the rows of all buckets in the order of nodes.
void Importer::reduceMailboxes(Node &node, Scope &scope,
                               const Surroundings &in) {
  const onnx::GraphProto &body = *node.graph("reduce");
  const BoundGraph &bound = graphFor(node);
  const graph::Graph g = bound.edges();
  requireRows(node, 0, g.edges(), "edge");
  for (size_t i = 1; i < node.inputs.size(); ++i)
    requireRows(node, i, bound.destinationNodes, "node");
  const auto buckets = graph::bucketsByDegree(
      graph::groupBy(g.destinations(), bound.destinationNodes));
  if (!buckets)
    node.refuse(buckets.error().message);
  std::vector<std::vector<ValueId>> parts; // per result, per bucket
  for (const graph::Bucket &bucket : buckets->buckets) {
    // A mailbox without messages has one place, and nothing in it.
    const int64_t width = std::max<int64_t>(bucket.width, 1);
    const Numbers edges =
        bucket.width ? bucket.edges : Numbers(bucket.nodes.size(), -1);
    std::vector<ValueId> inputs = {
        node.apply("mailbox",
                   {node.in(0), numbers(node, edges, {bucket.size(), width})}),
        numbers(node, bucket.lengths, {bucket.size()}, DType::I32)};
    const ValueId nodes = numbers(node, bucket.nodes);
    for (size_t i = 1; i < node.inputs.size(); ++i)
      inputs.push_back(node.apply("at_ends", {node.in(i), nodes}));
    const auto results =
        importBody(node, body, inputs, "/" + std::to_string(bucket.width) + "/",
                   scope, in);
    parts.resize(results.size());
    for (size_t r = 0; r < results.size(); ++r) {
      node.require(!isSequence(results[r]), "its body gives a sequence");
      if (node.type(results[r]).shape.empty() ||
          node.type(results[r]).shape[0] != bucket.size())
        node.refuse("its body must give a row per node, ", bucket.size(),
                    " here, and gives ", toString(node.type(results[r])));
      parts[r].push_back(results[r]);
    }
  }
  node.require(!parts.empty(), "the graph has no nodes");
  for (size_t r = 0; r < parts.size(); ++r)
    node.out(r, node.apply("at_ends", {node.concat(parts[r], 0),
                                       numbers(node, buckets->place)}));
}

/// propagate(features of nodes..): states of all nodes, each made of those of
/// the nodes that edges come from, which come first. For each level, the body
///     (states at the sources of its edges [e, width].., destinations: i64[e],
///     counted within the level, rows of the features..) -> states [n, width]..
/// `widths` has one number per state.
void Importer::propagate(Node &node, Scope &scope, const Surroundings &in) {
  const onnx::GraphProto &body = *node.graph("update");
  const std::vector<int64_t> widths = node.integers("widths");
  const BoundGraph &bound = graphFor(node);
  const graph::Graph g = bound.edges();
  node.require(bound.sourceNodes == bound.destinationNodes,
               "needs a graph whose nodes are of one type");
  node.require(!widths.empty() && !node.inputs.empty() && g.nodes() > 0,
               "needs \"widths\" of its states, features of nodes, and a graph "
               "that has some");
  for (size_t i = 0; i < node.inputs.size(); ++i)
    requireRows(node, i, g.nodes(), "node");
  for (int64_t width : widths)
    node.require(width > 0, "\"widths\" must be positive");
  const auto levels = graph::topologicalLevels(g);
  if (!levels)
    node.refuse(levels.error().message);

  Numbers place(size_t(g.nodes()));                        // within the level
  std::vector<std::vector<ValueId>> states(widths.size()); // per level
  for (int64_t level = 0; level < levels->nodes.rows(); ++level) {
    const Numbers nodes = rowOf(levels->nodes, level);
    for (size_t i = 0; i < nodes.size(); ++i)
      place[size_t(nodes[i])] = int64_t(i);
    // Edges by the level that they come from: what reads one state is together.
    std::map<int64_t, Numbers> sources;
    Numbers destinations;
    for (int64_t edge : rowOf(levels->edges, level))
      sources[levels->level[size_t(g.source(edge))]].push_back(edge);
    for (auto &[from, edges] : sources)
      for (int64_t &edge : edges) {
        destinations.push_back(place[size_t(g.destination(edge))]);
        edge = place[size_t(g.source(edge))];
      }
    std::map<int64_t, ValueId> ends;
    for (const auto &[from, list] : sources)
      ends[from] = numbers(node, list);
    std::vector<ValueId> inputs;
    for (size_t s = 0; s < widths.size(); ++s) {
      std::vector<ValueId> parts;
      for (const auto &[from, list] : ends)
        parts.push_back(node.apply("at_ends", {states[s][size_t(from)], list}));
      if (parts.empty())
        parts.push_back(
            node.addReals({}, {0, widths[s]}, node.inType(0).dtype));
      inputs.push_back(node.concat(parts, 0));
    }
    inputs.push_back(numbers(node, destinations));
    const ValueId rows = numbers(node, nodes);
    for (size_t i = 0; i < node.inputs.size(); ++i)
      inputs.push_back(node.apply("at_ends", {node.in(i), rows}));
    const auto results = importBody(
        node, body, inputs, "/" + std::to_string(level) + "/", scope, in);
    if (results.size() != widths.size())
      node.refuse("its body gives ", results.size(),
                  " states, and \"widths\" "
                  "has ",
                  widths.size());
    for (size_t s = 0; s < widths.size(); ++s) {
      node.require(!isSequence(results[s]), "its body gives a sequence");
      const TensorType wanted{node.inType(0).dtype,
                              {int64_t(nodes.size()), widths[s]}};
      if (node.type(results[s]) != wanted)
        node.refuse("its body gives a state of ",
                    toString(node.type(results[s])), ", not ",
                    toString(wanted));
      states[s].push_back(results[s]);
    }
  }
  Numbers back(size_t(g.nodes()));
  for (size_t i = 0; i < levels->nodes.order.size(); ++i)
    back[size_t(levels->nodes.order[i])] = int64_t(i);
  for (size_t s = 0; s < widths.size(); ++s)
    node.out(s, node.apply("at_ends",
                           {node.concat(states[s], 0), numbers(node, back)}));
}
