#include "tools/smexc/GraphPartition.h"

using namespace smex;

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
                " has no graph to divide: it is for a model of one graph, with "
                "nodes of one type, that is given with --graph and without "
                "--graph-room");
  auto by = graphpartition::parseBalance(name);
  if (!by)
    return by.takeError();
  const frontend::KnownGraph &known = model.knownGraphs.front();
  const auto numbers = [](const Tensor &list) {
    const auto *first = list.data<int64_t>();
    return graph::Numbers(first, first + list.type.shape[0]);
  };
  const auto graph = graph::Graph::make(known.nodes, numbers(*known.sources),
                                        numbers(*known.destinations));
  if (!graph)
    return graph.error();
  auto rows = graphpartition::inNeighboursOf(*graph);
  if (!rows)
    return rows.takeError();
  options.graph = std::make_shared<const graphpartition::BalancedGraph>(
      graphpartition::BalancedGraph{std::move(*rows), std::move(*by)});
  return {};
}
