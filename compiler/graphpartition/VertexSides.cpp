#include "compiler/graphpartition/VertexSides.h"

#include "runtime/graphpartition/LayersCost.h"
#include "runtime/graphpartition/Ranges.h"

#include <algorithm>

using namespace smex;
using namespace smex::graphpartition;
using partition::Side;

namespace {

/// A graph's costs, with all that they refer to.
class Costs {
public:
  Costs(std::shared_ptr<const BalancedGraph> given,
        const std::vector<FittedLayer> &layers)
      : graph(std::move(given)) {
    switch (graph->by.kind) {
    case Balance::Kind::Vertices:
      cost = std::make_unique<DegreeCost>(graph->graph, 1, 0);
      break;
    case Balance::Kind::Edges:
    case Balance::Kind::EdgeCap:
      cost = std::make_unique<DegreeCost>(graph->graph, 0, 1);
      break;
    case Balance::Kind::Model: {
      std::vector<LayerShape> shapes;
      for (const FittedLayer &layer : layers) {
        shapes.push_back(layer.shape());
        weights.push_back(layer.weights);
      }
      features.emplace(graph->graph, shapes);
      cost = std::make_unique<LayersCost>(*features, weights);
      break;
    }
    }
  }

  Bounds ofVertices(const std::vector<int64_t> &ways) const {
    return graph->by.kind == Balance::Kind::EdgeCap
               ? capInSteps(graph->graph, ways)
               : cutInSteps(*cost, ways);
  }
  Bounds ofEdges(const std::vector<int64_t> &ways) const {
    Bounds bounds = ofVertices(ways);
    for (int64_t &bound : bounds)
      bound = graph->graph.offsets[size_t(bound)];
    return bounds;
  }

private:
  const std::shared_ptr<const BalancedGraph> graph;
  CostModel weights;
  std::optional<LayerFeatures> features; // a pass over the edges: for a model
  std::unique_ptr<CostBefore> cost;
};

/// Why a partitioner of this name has no bounds for a compiler; null: it has, or
/// there is none.
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

Result<std::vector<Side>>
graphpartition::sidesOf(std::shared_ptr<const BalancedGraph> graph,
                        const partition::OperatorGraph &model) {
  const int64_t vertices = graph->graph.vertices();
  const int64_t edges = graph->graph.edges();
  std::vector<FittedLayer> layers;
  if (graph->by.kind == Balance::Kind::Model) {
    auto fitted = layersFor(
        graph->by.model, messageWidths(model, vertices, edges), graph->by.file);
    if (!fitted)
      return fitted.takeError();
    layers = std::move(*fitted);
  }
  std::vector<Side> sides;
  if (vertices < 2)
    return sides;
  const auto costs = std::make_shared<const Costs>(std::move(graph), layers);
  sides.push_back({vertices, [costs](const std::vector<int64_t> &ways) {
                     return costs->ofVertices(ways);
                   }});
  if (edges != vertices && edges > 1)
    sides.push_back({edges, [costs](const std::vector<int64_t> &ways) {
                       return costs->ofEdges(ways);
                     }});
  return sides;
}
