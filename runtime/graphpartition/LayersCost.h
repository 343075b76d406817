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

using LayersCost = CostOfLayers<LayerFeatures>;

} // namespace smex::graphpartition

#endif
