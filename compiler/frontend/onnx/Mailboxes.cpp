// Reductions of messages that no lambda describes by itself: a graph of nodes
// that is instantiated on dense tensors, once per bucket of nodes that receive
// about as many messages (thesis section 4.6.1). Which nodes these are and
// which edges are in their mailboxes follows from the input graph; or is
// computed, where the model itself says where edges lead.
#include "compiler/frontend/onnx/Importer.h"
#include "runtime/graph/Buckets.h"

#include <algorithm>

using namespace smex;
using namespace smex::frontend;
using graph::BucketRoom;
using Kind = graph::GraphList::Kind;

static constexpr const char *noNodes = "the graph has no nodes";

/// Of all buckets, one after the other.
struct Importer::Mailboxes {
  struct Bucket {
    int64_t nodes = 0, places = 0; // places of each node
    std::string label;             // of what is instantiated for it
    ValueId lengths = noValue;     // i32[nodes]
  };
  std::vector<Bucket> buckets;
  ValueId edges = noValue; // of each place, -1 where it holds none
  ValueId nodes = noValue; // of each row
  ValueId rows = noValue;  // of each node
  bool mayBeSpare = false; // rows, and nodes: they say -1 then
};

/// For each bucket the body
///     (messages[n, places, ..], how many each node has: i32[n], rows of the
///     features..) -> results[n, ..]..
/// and then the rows of all buckets in the order of nodes. Operand 0 is the
/// messages, features are those from some operand on.
void Importer::reduceIn(Node &node, const Mailboxes &mailboxes,
                        size_t firstFeature, Scope &scope,
                        const Surroundings &in) {
  const onnx::GraphProto &body = *node.graph("reduce");
  const char *rowsOf = mailboxes.mayBeSpare ? "rows_at" : "at_ends";
  // Of all buckets at once, which then take their rows.
  const ValueId messages = node.apply("rows_at", {node.in(0), mailboxes.edges});
  std::vector<ValueId> features;
  for (size_t i = firstFeature; i < node.inputs.size(); ++i)
    features.push_back(node.apply(rowsOf, {node.in(i), mailboxes.nodes}));
  int64_t edge = 0, row = 0;
  std::vector<std::vector<ValueId>> parts; // per result, per bucket
  for (const Mailboxes::Bucket &bucket : mailboxes.buckets) {
    const int64_t places = bucket.nodes * bucket.places;
    std::vector<int64_t> shape = node.shape(0);
    shape.insert(shape.begin(), bucket.nodes);
    shape[1] = bucket.places;
    std::vector<ValueId> inputs = {
        node.reshape(node.slice(messages, 0, edge, places), shape),
        bucket.lengths};
    for (ValueId feature : features)
      inputs.push_back(node.slice(feature, 0, row, bucket.nodes));
    edge += places;
    row += bucket.nodes;
    const auto results =
        importBody(node, body, inputs, "/" + bucket.label + "/", scope, in);
    parts.resize(results.size());
    for (size_t r = 0; r < results.size(); ++r) {
      node.require(results[r] < firstStored, "its body gives no plain tensor");
      if (node.type(results[r]).shape.empty() ||
          node.type(results[r]).shape[0] != bucket.nodes)
        node.refuse("its body must give a row per node, ", bucket.nodes,
                    " here, and gives ", toString(node.type(results[r])));
      parts[r].push_back(results[r]);
    }
  }
  for (size_t r = 0; r < parts.size(); ++r)
    node.out(r, node.apply(rowsOf, {node.concat(parts[r], 0), mailboxes.rows}));
}

/// Those of all edges of a graph.
Importer::Mailboxes Importer::mailboxesOf(Node &node, BoundGraph &graph) {
  addBuckets(node, graph);
  node.require(!graph.rooms.buckets.empty(), noNodes);
  Mailboxes result;
  for (const BucketRoom &room : graph.rooms.buckets)
    result.buckets.push_back(
        {room.nodes, room.places(), std::to_string(room.width),
         listOf(node, graph,
                {Kind::BucketLengths, int64_t(result.buckets.size())})});
  result.edges = listOf(node, graph, {Kind::BucketEdges});
  result.nodes = listOf(node, graph, {Kind::BucketNodes});
  result.rows = listOf(node, graph, {Kind::BucketPlaces});
  result.mayBeSpare = graph.share.has_value();
  return result;
}

/// reduce_mailboxes(messages, features of nodes..)
void Importer::reduceMailboxes(Node &node, Scope &scope,
                               const Surroundings &in) {
  BoundGraph &graph = graphFor(node, /*canSample=*/true);
  node.requireRows(0, graph.rooms.edges, "edge");
  for (size_t i = 1; i < node.inputs.size(); ++i)
    node.requireRows(i, graph.rooms.nodes, "node");
  reduceIn(node, mailboxesOf(node, graph), 1, scope, in);
}

namespace {

/// Whether edges lead where `destinations` says, or to no node: whatever active
/// sets say (dialects/tdl/library/active_sets.tdl).
class LeadAsIn {
public:
  LeadAsIn(const Builder &builder, ValueId destinations)
      : builder(builder), destinations(destinations) {}

  bool operator()(ValueId ends) {
    if (ends == destinations)
      return true;
    const Application *computed = builder.applicationOf(ends);
    return computed && computed->lambda.rank() == 1 &&
           computed->lambda.reducer == tdl::Reducer::None &&
           element(*computed, computed->lambda.body);
  }

private:
  /// Element [i] of a list that is computed so.
  bool element(const Application &computed, const tdl::ExprRef &e) {
    if (--left < 0)
      return false;
    switch (e->kind) {
    case tdl::ExprKind::Int:
      return e->integer < 0;
    case tdl::ExprKind::Select:
      return element(computed, e->children[1]) &&
             element(computed, e->children[2]);
    case tdl::ExprKind::Read:
      return e->children.size() == 1 &&
             e->children[0]->kind == tdl::ExprKind::Index &&
             e->children[0]->index == 0 &&
             (!e->otherwise || element(computed, e->otherwise)) &&
             (*this)(computed.operands[size_t(e->operand)]);
    default:
      return false;
    }
  }

  const Builder &builder;
  const ValueId destinations;
  int left = 4096; // what it looks at: a model's lists may be of any depth
};

} // namespace

/// The graph of --graph that has these edges, of which the model's operand 1
/// takes some away at most; or null.
BoundGraph *Importer::graphLedBy(const Node &node) {
  for (auto &[name, graph] : boundGraphs)
    if (graph.destinationsValue >= 0 && graph.rooms.edges == node.shape(1)[0] &&
        graph.rooms.nodes == node.shape(2)[0] &&
        LeadAsIn(builder, graph.destinationsValue)(node.in(1)))
      return &graph;
  return nullptr;
}

/// reduce_mailboxes_at(messages, where edges lead, features of nodes..): of
/// edges that the model has changed. Those of the input graph of which it
/// leaves some out are in that graph's buckets, which were never narrower.
/// Otherwise, nodes are brought into the order of how many messages they
/// receive, and buckets are such as hold any edges (graph::bucketsByRank).
void Importer::reduceMailboxesAt(Node &node, Scope &scope,
                                 const Surroundings &in) {
  if (node.inputs.size() < 3 || node.rank(2) == 0)
    node.refuse("needs messages, where edges lead, and features of the nodes "
                "that they may lead to");
  const TensorType ends = node.inType(1);
  if (ends.dtype != DType::I64 || ends.rank() != 1)
    node.refuse("operand 1 must say where edges lead, i64[edges], and is ",
                toString(ends));
  node.requireRows(0, ends.shape[0], "edge");
  const int64_t nodes = node.shape(2)[0];
  node.require(nodes > 0, noNodes);
  for (size_t i = 3; i < node.inputs.size(); ++i)
    node.requireRows(i, nodes, "node");
  const int64_t most =
      node.integer("width", std::max<int64_t>(1, ends.shape[0]));
  node.require(most > 0, "\"width\" must be positive");

  Mailboxes mailboxes;
  std::vector<ValueId> edges;
  const auto add = [&](Mailboxes::Bucket bucket, const char *lists,
                       std::vector<ValueId> operands) {
    const auto made =
        node.applyAll(lists, operands, {{"width", bucket.places}});
    bucket.lengths = made[1];
    edges.push_back(node.reshape(made[0], {bucket.nodes * bucket.places}));
    mailboxes.buckets.push_back(std::move(bucket));
  };
  if (BoundGraph *graph = graphLedBy(node)) {
    const Mailboxes all = mailboxesOf(node, *graph);
    mailboxes.nodes = all.nodes;
    mailboxes.rows = all.rows;
    mailboxes.mayBeSpare = all.mayBeSpare;
    int64_t first = 0;
    for (Mailboxes::Bucket bucket : all.buckets) {
      const int64_t places = bucket.nodes * bucket.places;
      const ValueId own = node.reshape(node.slice(all.edges, 0, first, places),
                                       {bucket.nodes, bucket.places});
      first += places;
      bucket.places = std::min(bucket.places, most);
      add(bucket, "edges_that_lead", {own, node.in(1)});
    }
  } else {
    const auto lists =
        node.applyAll("rows_by_degree", {node.in(1), node.in(2)});
    mailboxes.nodes = lists[0];
    mailboxes.rows = lists[1];
    int64_t first = 0;
    for (const BucketRoom &room :
         graph::bucketsByRank(nodes, ends.shape[0], most)) {
      add({room.nodes, room.places(), std::to_string(room.width)},
          "edges_of_rows",
          {lists[2], node.slice(lists[3], 0, first, room.nodes),
           node.slice(lists[4], 0, first, room.nodes)});
      first += room.nodes;
    }
  }
  mailboxes.edges = node.concat(edges, 0);
  reduceIn(node, mailboxes, 2, scope, in);
}
