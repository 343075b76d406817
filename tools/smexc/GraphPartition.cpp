#include "tools/smexc/GraphPartition.h"

#include <algorithm>
#include <map>

using namespace smex;
using namespace smex::graphpartition;

static Result<InNeighbours> inNeighbours(const frontend::KnownGraph &known) {
  const auto numbers = [](const Tensor &list) {
    const auto *first = list.data<int64_t>();
    return graph::Numbers(first, first + list.type.shape[0]);
  };
  const graph::Numbers sources = numbers(*known.sources);
  const int64_t nodes =
      sources.empty()
          ? known.nodes
          : std::max(known.nodes,
                     *std::max_element(sources.begin(), sources.end()) + 1);
  const auto graph =
      graph::Graph::make(nodes, sources, numbers(*known.destinations));
  if (!graph)
    return graph.error();
  auto rows = inNeighboursOf(*graph);
  // Sources of another type may be more.
  if (rows)
    rows->offsets.resize(size_t(known.nodes) + 1);
  return rows;
}

Status tools::setGraphPartition(const std::string &name,
                                const frontend::Model &model,
                                pipeline::CompileOptions &options) {
  if (name.empty())
    return {};
  if (options.search && options.search->algorithm != "recursive")
    return Error{"--graph-partition " + name +
                     ": is for --algorithm "
                     "recursive, and this is " +
                     options.search->algorithm,
                 Fault::Usage};
  if (model.knownGraphs.empty())
    return fail("--graph-partition ", name, ": ", model.name,
                " has no graph to divide: it is for a model with a graph that "
                "is given with --graph and without --graph-room");
  auto by = parseBalance(name);
  if (!by)
    return by.takeError();
  const auto &graphs = model.knownGraphs;
  if (by->kind == Balance::Kind::Model &&
      (graphs.size() > 1 || !graphs.front().isOfOneType))
    return fail("--graph-partition ", name,
                ": a cost model is for one graph, "
                "with nodes of one type, and ",
                model.name,
                " has several graphs or types of nodes: give equal-vertices, "
                "equal-edges or greedy-edge-cap");
  BalancedGraph balanced;
  std::map<std::string, size_t> places; // of types
  for (const frontend::KnownGraph &known : graphs) {
    auto rows = inNeighbours(known);
    if (!rows)
      return rows.takeError();
    const auto [place, isNew] =
        places.try_emplace(known.type, balanced.types.size());
    if (isNew)
      balanced.types.push_back({std::move(*rows)});
    else
      addEdges(*rows, balanced.types[place->second]);
  }
  balanced.by = std::move(*by);
  options.graph = std::make_shared<const BalancedGraph>(std::move(balanced));
  return {};
}

std::string tools::graphPartitionNote(const frontend::Model &model,
                                      const pipeline::CompileOptions &options) {
  if (!options.graph || options.graph->by.kind != Balance::Kind::Model)
    return "";
  const Balance &by = options.graph->by;
  if (by.model.model == model.name)
    return "";
  return by.file + ": the cost model was fitted to \"" + by.model.model +
         "\", whose layers pass as many numbers, and this is \"" + model.name +
         "\": its ranges are even where both compute alike";
}
