#include "compiler/graphpartition/VertexSides.h"

#include "runtime/graphpartition/LayersCost.h"
#include "runtime/graphpartition/Ranges.h"

#include <algorithm>

using namespace smex;
using namespace smex::graphpartition;
using partition::Side;

namespace {

/// What the nodes of a type cost, with all that it refers to.
class Costs {
public:
  Costs(std::shared_ptr<const BalancedGraph> given, size_t type,
        const std::vector<FittedLayer> &layers)
      : balanced(std::move(given)), nodes(balanced->types[type]) {
    const InNeighbours &graph = nodes.graph;
    switch (balanced->by.kind) {
    case Balance::Kind::Vertices:
      cost = std::make_unique<DegreeCost>(graph, 1, 0);
      break;
    case Balance::Kind::Edges:
    case Balance::Kind::EdgeCap:
      cost = std::make_unique<DegreeCost>(graph, 0, 1);
      break;
    case Balance::Kind::Model: {
      std::vector<LayerShape> shapes;
      for (const FittedLayer &layer : layers) {
        shapes.push_back(layer.shape());
        weights.push_back(layer.weights);
      }
      features.emplace(graph, shapes);
      cost = std::make_unique<LayersCost>(*features, weights);
      break;
    }
    }
  }

  Bounds ofVertices(const std::vector<int64_t> &ways) const {
    return balanced->by.kind == Balance::Kind::EdgeCap
               ? capInSteps(nodes.graph, ways)
               : cutInSteps(*cost, ways);
  }

  size_t graphs() const { return std::max<size_t>(nodes.parts.size(), 1); }
  const Numbers &offsetsOf(size_t graph) const {
    return nodes.parts.empty() ? nodes.graph.offsets : nodes.parts[graph];
  }
  Bounds ofEdges(size_t graph, const std::vector<int64_t> &ways) const {
    Bounds bounds = ofVertices(ways);
    for (int64_t &bound : bounds)
      bound = offsetsOf(graph)[size_t(bound)];
    return bounds;
  }

private:
  const std::shared_ptr<const BalancedGraph> balanced;
  const NodeType &nodes;
  CostModel weights;
  std::optional<LayerFeatures> features; // a pass over the edges: for a model
  std::unique_ptr<CostBefore> cost;
};

/// Why a partitioner of this name has no bounds for a compiler; null: it has,
/// or there is none.
const char *whyNot(const std::string &text) {
  if (text == "metis" || text == "random-permutation")
    return "numbers vertices anew, and a plan keeps their order: renumber the "
           "graph's file and what has a row per vertex, and give "
           "equal-vertices or equal-edges";
  if (text == "dynamic" || text == "roc" || text == "roc-min-max")
    return "goes by times that a run has measured: smex-run --cost-model "
           "FILE.json fits a model to them, which is given here as FILE.json";
  return nullptr;
}

} // namespace

Result<Balance> graphpartition::parseBalance(const std::string &text) {
  Balance by;
  const std::string ending = ".json";
  if (text == "equal-vertices")
    return by;
  if (text == "equal-edges" || text == "greedy-edge-cap") {
    by.kind =
        text == "equal-edges" ? Balance::Kind::Edges : Balance::Kind::EdgeCap;
    return by;
  }
  if (const char *why = whyNot(text))
    return Error{"--graph-partition " + text + ": " + why, Fault::Usage};
  if (text.size() <= ending.size() ||
      text.compare(text.size() - ending.size(), ending.size(), ending) != 0)
    return Error{"--graph-partition " + text +
                     ": give equal-vertices, equal-edges, greedy-edge-cap, or "
                     "a cost model, FILE.json",
                 Fault::Usage};
  auto model = readModelFileAt(text);
  if (!model)
    return model.takeError();
  by.kind = Balance::Kind::Model;
  by.model = std::move(*model);
  by.file = text;
  return by;
}

std::vector<int64_t>
graphpartition::messageWidths(const partition::OperatorGraph &graph,
                              int64_t vertices, int64_t edges) {
  std::vector<int64_t> widths;
  for (const partition::Operator &op : graph.operators) {
    const auto &shape = graph.tensors[size_t(op.result)].shape;
    const auto reductions = op.extents.begin() + int64_t(shape.size());
    if (shape.size() < 2 || shape[0] != vertices ||
        std::find(reductions, op.extents.end(), edges) == op.extents.end())
      continue;
    int64_t width = 1;
    for (size_t d = 1; d < shape.size(); ++d)
      width *= shape[d];
    widths.push_back(width);
  }
  return widths;
}

void graphpartition::addEdges(const InNeighbours &graph, NodeType &nodes) {
  if (nodes.parts.empty())
    nodes.parts.push_back(nodes.graph.offsets);
  nodes.parts.push_back(graph.offsets);
  InNeighbours all;
  all.sources.reserve(nodes.graph.sources.size() + graph.sources.size());
  for (int64_t v = 0; v < graph.vertices(); ++v) {
    for (const InNeighbours *part : {&std::as_const(nodes).graph, &graph})
      all.sources.insert(all.sources.end(), part->begin(v), part->end(v));
    all.offsets.push_back(all.edges());
  }
  nodes.graph = std::move(all);
}

Result<std::vector<Side>>
graphpartition::sidesOf(std::shared_ptr<const BalancedGraph> graph,
                        const partition::OperatorGraph &model) {
  std::vector<Side> sides;
  const auto add = [&](int64_t extent, auto bounds) {
    if (extent > 1 &&
        std::none_of(sides.begin(), sides.end(),
                     [&](const Side &side) { return side.extent == extent; }))
      sides.push_back({extent, std::move(bounds)});
  };
  for (size_t type = 0; type < graph->types.size(); ++type) {
    const InNeighbours &nodes = graph->types[type].graph;
    std::vector<FittedLayer> layers;
    if (graph->by.kind == Balance::Kind::Model) {
      auto fitted =
          layersFor(graph->by.model,
                    messageWidths(model, nodes.vertices(), nodes.edges()),
                    graph->by.file);
      if (!fitted)
        return fitted.takeError();
      layers = std::move(*fitted);
    }
    if (nodes.vertices() < 2)
      continue;
    const auto costs = std::make_shared<const Costs>(graph, type, layers);
    add(nodes.vertices(), [costs](const std::vector<int64_t> &ways) {
      return costs->ofVertices(ways);
    });
    for (size_t part = 0; part < costs->graphs(); ++part)
      add(costs->offsetsOf(part).back(),
          [costs, part](const std::vector<int64_t> &ways) {
            return costs->ofEdges(part, ways);
          });
  }
  return sides;
}
