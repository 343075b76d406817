// Where the nodes and edges of a graph are in the groups that the model handles
// them in (dialects/smex/lists/Rooms.h): constants for the graph of --graph,
// or, with
// --graph-room, inputs for any that fits.
#include "compiler/frontend/onnx/Importer.h"
#include "runtime/graph/Layout.h"

using namespace smex;
using namespace smex::frontend;
using graph::GraphList;

graph::Graph BoundGraph::edges() const {
  const auto numbers = [](const Tensor &list) {
    const int64_t *from = list.data<int64_t>();
    return graph::Numbers(from, from + list.type.shape[0]);
  };
  return graph::Graph::sound(nodes, numbers(*sources), numbers(*destinations));
}

/// The model's one graph, or that which the attribute "graph" names.
BoundGraph &Importer::graphFor(Node &node) {
  const std::string name = node.text("graph", "");
  if (boundGraphs.empty())
    node.refuse("depends on the graph: give one when the model is compiled, "
                "with --graph FILE, and --graph-room SHARE if it is to stand "
                "for others");
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

/// Where the graph is the one, the lists of these rooms.
void Importer::addValues(Node &node, BoundGraph &graph,
                         const graph::Rooms &rooms) {
  if (graph.share)
    return;
  const auto lists = graph::listsOf(rooms);
  auto values = graph::layOut(graph.edges(), rooms, lists);
  if (!values)
    node.refuse(values.error().message);
  for (size_t i = 0; i < lists.size(); ++i)
    graph.values[lists[i]] = std::move((*values)[i]);
}

void Importer::addBuckets(Node &node, BoundGraph &graph) {
  if (!graph.rooms.buckets.empty())
    return;
  graph::Rooms rooms = graph.rooms;
  rooms.levels.clear();
  graph::addBuckets(
      graph::groupBy(graph.edges().destinations(), graph.destinationNodes),
      graph.share, rooms);
  addValues(node, graph, rooms);
  graph.rooms.buckets = std::move(rooms.buckets);
}

void Importer::addLevels(Node &node, BoundGraph &graph) {
  if (!graph.rooms.levels.empty())
    return;
  graph::Rooms rooms = graph.rooms;
  rooms.buckets.clear();
  if (Status added = graph::addLevels(graph.edges(), graph.share, rooms);
      !added)
    node.refuse(added.error().message);
  addValues(node, graph, rooms);
  graph.rooms.levels = std::move(rooms.levels);
}

ValueId Importer::listOf(Node &node, BoundGraph &graph, const GraphList &list) {
  if (const auto known = graph.lists.find(list); known != graph.lists.end())
    return known->second;
  ValueId made = noValue;
  if (graph.share) {
    const auto type = graph::typeOf(list, graph.rooms);
    graph.inputs.emplace_back(builder.inputCount(), list);
    made = builder.addInput(graph::nameOf(list), type->type);
  } else {
    made = node.addConstant(std::move(graph.values.at(list)));
  }
  graph.lists.emplace(list, made);
  return made;
}

/// Rows of x; of places that may be spare, zeros.
ValueId Importer::rowsAt(Node &node, BoundGraph &graph, ValueId x,
                         const GraphList &list) {
  const bool mayBeSpare =
      graph.share || list.kind == GraphList::Kind::BucketEdges;
  return node.apply(mayBeSpare ? "rows_at" : "at_ends",
                    {x, listOf(node, graph, list)});
}

/// What a runtime puts in lists is in range.
void Importer::addListRanges(Model &result) const {
  for (const auto &[name, graph] : boundGraphs)
    for (const auto &[number, list] : graph.inputs) {
      const auto type = graph::typeOf(list, graph.rooms);
      result.inputRanges[result.inputs[number]] = {type->low, type->high, {}};
    }
}
