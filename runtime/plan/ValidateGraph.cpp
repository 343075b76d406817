#include "dialects/support/Text.h"
#include "runtime/plan/Validate.h"

#include <algorithm>
#include <map>
#include <set>

using namespace smex;
using namespace smex::plan;

namespace {

class GraphValidator {
public:
  /// `place`: where the graph is in the program.
  GraphValidator(const Program &program, const GraphInputs &graph,
                 std::string place, Complaint &complaint)
      : program(program), graph(graph), place(std::move(place)),
        complaint(complaint) {}

  void run() {
    ends();
    types();
    rows("per_node", graph.perNode, graph.nodes, "node");
    rows("per_source_node", graph.perSourceNode, graph.sourceNodes.value_or(-1),
         "node");
    members();
    typeNames();
    if (graph.sourceNodes && graph.selfLoops && !complaint)
      complaint.add(place, ".self_loops: an edge from a node to itself is "
                           "between nodes of one type");
    if (graph.layout && !complaint)
      layout(*graph.layout);
  }

private:
  const Port *inputOf(const std::string &name) const {
    const auto found =
        std::find_if(program.inputs.begin(), program.inputs.end(),
                     [&](const Port &input) { return input.name == name; });
    return found == program.inputs.end() ? nullptr : &*found;
  }

  const TensorType &typeOf(const Port &input) const {
    return program.tensors[size_t(program.buffers[size_t(input.buffer)].tensor)]
        .type;
  }

  /// i64[edges]; nothing where nothing reads the end.
  std::optional<TensorType> typeOfEnds(const char *key,
                                       const std::string &name) {
    if (name.empty())
      return std::nullopt;
    const Port *input = inputOf(name);
    if (input && typeOf(*input).dtype == DType::I64 &&
        typeOf(*input).rank() == 1)
      return typeOf(*input);
    complaint.add(place, ".", key, ": \"", printable(name),
                  "\" is no input of type i64[edges]");
    return std::nullopt;
  }

  void ends() {
    const auto from = typeOfEnds("sources", graph.sources);
    const auto to = typeOfEnds("destinations", graph.destinations);
    if (!complaint && from && to &&
        (*from != *to || graph.sources == graph.destinations))
      complaint.add(place, ".destinations: must be another input than the "
                           "sources, of the same type");
    for (const auto &[key, type] :
         {std::pair("sources", from), std::pair("destinations", to)})
      if (!complaint && graph.layout && type &&
          type->shape[0] != graph.layout->rooms.edges)
        complaint.add(place, ".", key, ": has ", type->shape[0],
                      " edges, and the layout ", graph.layout->rooms.edges);
  }

  /// As many as there are edges, with numbers that a file can be held against.
  void types() {
    if (complaint || (graph.types.empty() && graph.edgeTypes == 0))
      return;
    const Port *input = inputOf(graph.types);
    const Port *end =
        inputOf(graph.sources.empty() ? graph.destinations : graph.sources);
    if (!input || (end && typeOf(*input) != typeOf(*end)) ||
        typeOf(*input).dtype != DType::I64 || typeOf(*input).rank() != 1 ||
        graph.types == graph.sources || graph.types == graph.destinations ||
        graph.edgeTypes == 0 || graph.selfLoops || graph.layout)
      complaint.add(place, ".types: \"", printable(graph.types),
                    "\" is no third input of the ends' type, or there are no "
                    "edge_types, or self-loops, or a layout");
  }

  void rows(const char *key, const std::vector<std::string> &names,
            int64_t count, const char *each) {
    for (const std::string &name : names) {
      const Port *input = inputOf(name);
      if (!complaint &&
          (std::count(names.begin(), names.end(), name) != 1 || !input ||
           typeOf(*input).rank() == 0 || typeOf(*input).shape[0] != count))
        complaint.add(place, ".", key, ": \"", printable(name),
                      "\" is no input with ", count, " rows, a row per ", each,
                      ", or is there twice");
    }
  }

  /// The graph of each node, and what has a row per graph.
  void members() {
    if (complaint ||
        (!graph.graphs && graph.graphOf.empty() && graph.perGraph.empty()))
      return;
    const Port *input = inputOf(graph.graphOf);
    if (!graph.graphs || graph.sourceNodes || !input ||
        typeOf(*input) != TensorType{DType::I64, {graph.nodes}})
      return complaint.add(place, ".graph_of: \"", printable(graph.graphOf),
                           "\" is no input of type i64[", graph.nodes,
                           "], or there are no graphs, or nodes of two types");
    rows("per_graph", graph.perGraph, *graph.graphs, "graph");
    for (const std::string &name : graph.perGraph)
      if (!complaint &&
          std::count(graph.perNode.begin(), graph.perNode.end(), name) > 0)
        complaint.add(place, ".per_graph: \"", printable(name),
                      "\" has a row per node, too");
  }

  /// A name for each type, where there are two.
  void typeNames() {
    if (complaint ||
        (graph.sourceNodes && !graph.nodeType.empty() &&
         !graph.sourceType.empty() && graph.nodeType != graph.sourceType))
      return;
    if (graph.sourceNodes || !graph.sourceType.empty())
      complaint.add(place, ".source_type: edges between nodes of two types "
                           "have a node_type and another source_type, others "
                           "have no source_type");
  }

  void layout(const GraphLayout &layout) {
    if (Status sound = graph::check(layout.rooms); !sound)
      return complaint.add(place, ".layout.", sound.error().message);
    if (graph.sourceNodes)
      return complaint.add(place, ".layout: is for nodes of one type");
    std::set<std::string> seen = {graph.sources, graph.destinations};
    for (size_t i = 0; i < layout.lists.size() && !complaint; ++i) {
      const auto &[name, list] = layout.lists[i];
      const auto refuse = [&](auto &&...parts) {
        complaint.add(place, ".layout.lists[", i, "]: ", parts...);
      };
      const auto wanted = graph::typeOf(list, layout.rooms);
      const Port *input = inputOf(name);
      if (!wanted)
        refuse("the layout has no ", graph::name(list.kind), " of ", list.at,
               list.from ? " from " + std::to_string(list.from) : "");
      else if (!input || typeOf(*input) != wanted->type)
        refuse("\"", printable(name), "\" is no input of type ",
               toString(wanted->type));
      else if (input->derived || !seen.insert(name).second)
        refuse("\"", printable(name), "\" is another list, too");
    }
  }

  const Program &program;
  const GraphInputs &graph;
  const std::string place;
  Complaint &complaint;
};

} // namespace

/// Where there are several graphs, each type has a name, and one room.
static void validateTypes(const std::vector<GraphInputs> &graphs,
                          Complaint &complaint) {
  std::map<std::string, int64_t> rooms;
  for (size_t i = 0; i < graphs.size() && !complaint; ++i) {
    const GraphInputs &graph = graphs[i];
    const auto add = [&](const char *key, const std::string &name,
                         int64_t nodes) {
      if (!complaint &&
          (name.empty() || rooms.emplace(name, nodes).first->second != nodes))
        complaint.add("graph[", i, "].", key, ": \"", printable(name),
                      "\" is no name, or has another number of nodes "
                      "elsewhere");
    };
    add("node_type", graph.nodeType, graph.nodes);
    if (graph.sourceNodes)
      add("source_type", graph.sourceType, *graph.sourceNodes);
  }
}

/// Where layers have edges of their own, all graphs are of some layer; those of
/// one name are the same graph, for one layer each.
static void validateLayer(const std::vector<GraphInputs> &graphs, size_t i,
                          const std::string &place, Complaint &complaint) {
  const GraphInputs &graph = graphs[i];
  if ((graph.layer != 0) != (graphs[0].layer > 0) ||
      graph.layer > int64_t(graphs.size()))
    return complaint.add(place, ".layer: ", graph.layer,
                         ": all graphs are of layers, from 1 up, or none is; "
                         "the first one is of no batch");
  const bool hasLevels = graph.layout && !graph.layout->rooms.levels.empty();
  if (graph.layer && (hasLevels || graph.graphs))
    return complaint.add(place, ".layer: a layer has no levels, and no graphs "
                                "of a batch");
  for (size_t j = 0; j < i; ++j)
    if (const GraphInputs &other = graphs[j];
        other.name == graph.name && !complaint &&
        (other.layer == graph.layer || other.nodes != graph.nodes ||
         other.sourceNodes != graph.sourceNodes ||
         other.nodeType != graph.nodeType ||
         other.sourceType != graph.sourceType ||
         (other.selfLoops != graph.selfLoops && graph.layer != graph::ofBatch &&
          other.layer != graph::ofBatch) ||
         (graph.edgeTypes && other.edgeTypes &&
          other.edgeTypes != graph.edgeTypes)))
      complaint.add(place, ".name: each of several graphs has one of its own, "
                           "or those of a name are the same graph for "
                           "different layers");
}

void plan::validateGraphs(const Program &program, Complaint &complaint) {
  const auto &graphs = program.graphs;
  std::set<std::string> inputs;
  for (size_t i = 0; i < graphs.size() && !complaint; ++i) {
    const std::string place =
        graphs.size() == 1 ? "graph" : "graph[" + std::to_string(i) + "]";
    GraphValidator(program, graphs[i], place, complaint).run();
    if (!complaint && graphs.size() > 1 && graphs[i].name.empty() &&
        (!graphs[i].layer || !graphs[0].name.empty()))
      complaint.add(place, ".name: each of several graphs has one of its own");
    if (!complaint)
      validateLayer(graphs, i, place, complaint);
    if (!complaint && graphs.size() > 1 && graphs[i].graphs)
      complaint.add(place, ".graphs: batches are of a program's only graph");
    std::vector<std::string> all = {graphs[i].sources, graphs[i].destinations,
                                    graphs[i].types,   graphs[i].graphOf,
                                    graphs[i].values,  graphs[i].added};
    if (graphs[i].layout)
      for (const ListInput &list : graphs[i].layout->lists)
        all.push_back(list.input);
    for (const std::string &input : all)
      if (!complaint && !input.empty() && !inputs.insert(input).second)
        complaint.add(place, ": \"", printable(input),
                      "\" is of another graph, too");
  }
  if (graphs.size() > 1)
    validateTypes(graphs, complaint);
}
