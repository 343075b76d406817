// Where the nodes and edges of a graph are in the groups that the model handles
// them in (dialects/smex/lists/Rooms.h): constants for the graph of --graph,
// or, with --graph-room or --sample-layers, inputs for any that fits.
#include "compiler/frontend/onnx/Importer.h"
#include "compiler/frontend/onnx/InputGraph.h"
#include "runtime/graph/Layout.h"

#include <algorithm>

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

/// The graphs that runs sample, layer by layer: there is room for what --dim
/// says, and a node gets no more messages than its layer samples.
void Importer::addSampledGraphs() {
  const auto declared = inputGraphs(*model);
  if (!declared)
    return;
  for (const InputGraph &names : *declared) {
    const auto sources = dims.find(names.sourceNodes),
               destinations = dims.find(names.destinationNodes),
               edges = dims.find(names.edges);
    if (sources == dims.end() || destinations == dims.end() ||
        edges == dims.end())
      continue; // which is told elsewhere
    BoundGraph bound;
    bound.sourceNodes = sources->second;
    bound.destinationNodes = destinations->second;
    bound.nodes = std::max(bound.sourceNodes, bound.destinationNodes);
    bound.isOfOneType = names.isOfOneType();
    bound.share = 0;
    bound.rooms.nodes = bound.destinationNodes;
    bound.rooms.edges = edges->second;
    int64_t most = 0;
    for (int64_t limit : options.sampleLayers->fanouts.of(names.name))
      most = limit < 0 || most < 0 ? -1 : std::max(most, limit);
    bound.mostMessages = most < 0 ? -1 : most + (names.selfLoops ? 1 : 0);
    boundGraphs.emplace(names.name, std::move(bound));
  }
}

/// The model's one graph, or that which the attribute "graph" names.
BoundGraph &Importer::graphFor(Node &node, bool canSample) {
  const std::string name = node.text("graph", "");
  if (boundGraphs.empty() && options.sampleLayers)
    addSampledGraphs();
  if (boundGraphs.empty())
    node.refuse("depends on the graph: give one when the model is compiled, "
                "with --graph FILE, and --graph-room SHARE if it is to stand "
                "for others",
                canSample ? ", or say what layers sample, with --sample-layers"
                          : "");
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

/// One bucket of all nodes, for as many messages as a layer can sample for one.
void Importer::addSampledBuckets(Node &node, BoundGraph &graph) {
  node.require(graph.isOfOneType,
               "needs a graph whose nodes are of one type, where layers have "
               "edges of their own");
  node.require(*graph.mostMessages >= 0,
               "takes all messages of a node at once, and -1 would sample any "
               "number: give --sample-layers numbers from 1 up");
  const int64_t width = std::min(*graph.mostMessages, graph.rooms.edges);
  graph.rooms.buckets = {{width, graph.rooms.nodes}};
  if (Status fits = graph::check(graph.rooms); !fits)
    node.refuse("has no room for ", width, " messages to each of ",
                graph.rooms.nodes, " nodes: take smaller --sample-layers");
}

void Importer::addBuckets(Node &node, BoundGraph &graph) {
  if (!graph.rooms.buckets.empty())
    return;
  if (graph.mostMessages)
    return addSampledBuckets(node, graph);
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
  node.require(!graph.mostMessages,
               "works in topological order, which samples do not keep: compile "
               "the model without --sample-layers, and run it on --parts");
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
