// What all layers of a network cost on a graph, some of which go against its
// edges, as gradients of messages do.
#ifndef SMEX_RUNTIME_GRAPHPARTITION_LAYERSCOST_H
#define SMEX_RUNTIME_GRAPHPARTITION_LAYERSCOST_H

#include "runtime/graphpartition/CostModel.h"

#include <optional>

namespace smex::graphpartition {

/// What a layer's features depend on besides the graph.
struct LayerShape {
  int64_t width = 0;
  bool reversed = false; // neighbours are those that edges lead to

  bool operator==(const LayerShape &other) const {
    return width == other.width && reversed == other.reversed;
  }
};

/// FeatureSums of layers in both directions. It neither moves nor is copied.
class LayerFeatures {
public:
  /// O(V + E), and for each distinct width V numbers; twice where layers go in
  /// both directions. The graph stays with the caller as long as this is used.
  LayerFeatures(const InNeighbours &graph,
                const std::vector<LayerShape> &layers);
  LayerFeatures(const LayerFeatures &) = delete;

  int64_t vertices() const { return graph->vertices(); }
  /// Of layers in this direction, of which there is one.
  const InNeighbours &neighbours(bool areReversed) const {
    return areReversed ? turned : *graph;
  }
  size_t layers() const { return places.size(); }
  Features of(size_t layer, int64_t first, int64_t last) const {
    const auto &[direction, place] = places[layer];
    return sums[direction]->of(place, first, last);
  }

private:
  const InNeighbours *graph;
  InNeighbours turned;
  std::optional<FeatureSums> sums[2];
  std::vector<std::pair<size_t, size_t>> places; // of layers in sums
};

/// Requires weights for each layer of the features.
class LayersCost : public CostBefore {
public:
  LayersCost(const LayerFeatures &features, const CostModel &model)
      : features(features), model(model) {}
  int64_t vertices() const override { return features.vertices(); }
  double before(int64_t vertex) const override {
    double cost = 0;
    for (size_t layer = 0; layer < model.size(); ++layer)
      cost += costOf(model[layer], features.of(layer, 0, vertex));
    return cost;
  }

private:
  const LayerFeatures &features;
  const CostModel &model;
};

} // namespace smex::graphpartition

#endif
