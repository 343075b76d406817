#include "dialects/support/Text.h"
#include "runtime/plan/Validate.h"

#include <algorithm>
#include <set>

using namespace smex;
using namespace smex::plan;

namespace {

class EdgeRowsValidator {
public:
  EdgeRowsValidator(const Program &program, Complaint &complaint)
      : program(program), complaint(complaint) {}

  void run() {
    const bool several = program.graphs.size() > 1;
    for (size_t g = 0; g < program.graphs.size() && !complaint; ++g)
      graph(program.graphs[g],
            several ? "graph[" + std::to_string(g) + "]" : "graph");
    for (size_t k = 0; k < program.edgeRows.size() && !complaint; ++k) {
      const EdgeRows &rows = program.edgeRows[k];
      const std::string place = "edge_rows[" + std::to_string(k) + "]";
      if (rows.fileEdges > rows.edges)
        complaint.add(place, ".file_edges: ", rows.fileEdges, " are more than ",
                      rows.edges);
      list(place + ".inputs", program.inputs, rows.inputs, rows.edges);
      list(place + ".outputs", program.outputs, rows.outputs, rows.edges);
    }
  }

private:
  const TensorType *typeOf(const std::vector<Port> &ports,
                           const std::string &name) const {
    for (const Port &port : ports)
      if (port.name == name)
        return &program
                    .tensors[size_t(
                        program.buffers[size_t(port.buffer)].tensor)]
                    .type;
    return nullptr;
  }

  /// The edges that a graph has room for, and that it has some at all.
  std::optional<int64_t> edgesOf(const GraphInputs &graph) const {
    if (graph.layout)
      return graph.layout->rooms.edges;
    std::vector<std::string> all = {graph.sources, graph.destinations,
                                    graph.types, graph.values, graph.added};
    all.insert(all.end(), graph.perEdge.begin(), graph.perEdge.end());
    for (const std::string &name : all)
      if (const TensorType *type = typeOf(program.inputs, name);
          !name.empty() && type && type->rank() > 0)
        return type->shape[0];
    return std::nullopt;
  }

  void graph(const GraphInputs &graph, const std::string &place) {
    const auto edges = edgesOf(graph);
    if (!edges)
      return complaint.add(place, ".sources: no input has the graph's edges");
    const auto ofType = [&](const char *key, const std::string &name,
                            DType dtype) {
      const TensorType *type = typeOf(program.inputs, name);
      const TensorType wanted = {dtype, {*edges}};
      if (!complaint && !name.empty() && (!type || *type != wanted))
        complaint.add(place, ".", key, ": \"", printable(name),
                      "\" is no input of type ", toString(wanted));
    };
    ofType("sources", graph.sources, DType::I64);
    ofType("destinations", graph.destinations, DType::I64);
    ofType("values", graph.values, DType::F32);
    ofType("added", graph.added, DType::Bool);
    if (!complaint && !graph.values.empty() && !graph.types.empty())
      complaint.add(place, ".values: are types of edges, too");
    if (!complaint && !graph.added.empty() && !graph.selfLoops)
      complaint.add(place, ".added: without self_loops");
    list(place + ".per_edge", program.inputs, graph.perEdge, *edges);
    list(place + ".edge_outputs", program.outputs, graph.edgeOutputs, *edges);
    for (const auto *others :
         {&graph.perNode, &graph.perSourceNode, &graph.perGraph})
      for (const std::string &name : graph.perEdge)
        if (!complaint &&
            std::find(others->begin(), others->end(), name) != others->end())
          complaint.add(place, ".per_edge: \"", printable(name),
                        "\" has a row per node or graph, too");
  }

  /// Each is there, with so many rows, and of no other graph.
  void list(const std::string &place, const std::vector<Port> &ports,
            const std::vector<std::string> &names, int64_t edges) {
    std::set<std::string> &seen = &ports == &program.inputs ? inputs : outputs;
    for (const std::string &name : names) {
      const TensorType *type = typeOf(ports, name);
      if (!complaint && (!type || type->rank() == 0 ||
                         type->shape[0] != edges || !seen.insert(name).second))
        complaint.add(place, ": \"", printable(name), "\" is none with ", edges,
                      " rows, a row per edge, or is there twice");
    }
  }

  const Program &program;
  Complaint &complaint;
  std::set<std::string> inputs, outputs;
};

} // namespace

void plan::validateEdgeRows(const Program &program, Complaint &complaint) {
  EdgeRowsValidator(program, complaint).run();
}

Status plan::validateEdgeOrder(const EdgeRows &rows,
                               const std::vector<int64_t> &order,
                               const std::string &file) {
  if (int64_t(order.size()) != rows.edges)
    return fail(file, ": has ", order.size(), " numbers for ", rows.edges,
                " edges");
  // Each row of the file is one edge's.
  std::vector<bool> seen(size_t(rows.fileEdges), false);
  for (size_t e = 0; e < order.size(); ++e) {
    if (order[e] < -1 || order[e] >= rows.fileEdges ||
        (order[e] >= 0 && seen[size_t(order[e])]))
      return fail(file, ": number ", e, ": ", order[e], " is no row of ",
                  rows.fileEdges, ", or is there twice");
    if (order[e] >= 0)
      seen[size_t(order[e])] = true;
  }
  return {};
}
