// What a layer takes on a range of vertices, linear in their features (Roc's
// equations 4 to 6): t = sum of w_i * x_i.
#ifndef SMEX_RUNTIME_GRAPHPARTITION_COSTMODEL_H
#define SMEX_RUNTIME_GRAPHPARTITION_COSTMODEL_H

#include "runtime/graphpartition/Features.h"

namespace smex::graphpartition {

/// Seconds per unit of each feature, none negative: then a longer range never
/// costs less, which is what lets ranges be found by binary search.
using Weights = std::array<double, featureCount>;

inline double costOf(const Weights &weights, const Features &features) {
  double cost = 0;
  for (size_t i = 0; i < featureCount; ++i)
    cost += weights[i] * double(features[i]);
  return cost;
}

/// Weights per layer; one range is worth the sum over layers, since all layers
/// have the same ranges.
using CostModel = std::vector<Weights>;

/// What vertices [0, vertex) of a graph cost: not less for a higher vertex. As
/// numbers of a list, or worked out when asked for.
class CostBefore {
public:
  virtual ~CostBefore() = default;
  virtual int64_t vertices() const = 0;
  virtual double before(int64_t vertex) const = 0;
  double of(int64_t first, int64_t last) const {
    return before(last) - before(first);
  }
};

/// By a model, O(layers) each. `Layers` has features of ranges by layer, as
/// FeatureSums; requires weights for each of them.
template <typename Layers> class CostOfLayers : public CostBefore {
public:
  CostOfLayers(const Layers &layers, const CostModel &model)
      : layers(layers), model(model) {}
  int64_t vertices() const override { return layers.vertices(); }
  double before(int64_t vertex) const override {
    double cost = 0;
    for (size_t layer = 0; layer < model.size(); ++layer)
      cost += costOf(model[layer], layers.of(layer, 0, vertex));
    return cost;
  }

private:
  const Layers &layers;
  const CostModel &model;
};
using ModelCost = CostOfLayers<FeatureSums>;

/// Each vertex costs so much for itself, and so much for each in-edge.
class DegreeCost : public CostBefore {
public:
  DegreeCost(const InNeighbours &graph, double vertex, double edge)
      : graph(graph), vertex(vertex), edge(edge) {}
  int64_t vertices() const override { return graph.vertices(); }
  double before(int64_t v) const override {
    return vertex * double(v) + edge * double(graph.offsets[size_t(v)]);
  }

private:
  const InNeighbours &graph;
  double vertex, edge;
};

} // namespace smex::graphpartition

#endif
