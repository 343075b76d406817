// Layers of a graph network on ranges of vertices, as plain loops, to be timed:
// the sum of what neighbours have, then a product with the layer's weights.
#ifndef SMEX_EXAMPLES_BENCH_GRAPHLAYERS_H
#define SMEX_EXAMPLES_BENCH_GRAPHLAYERS_H

#include "runtime/graphpartition/InNeighbours.h"

namespace smex::bench {

struct LayerSize {
  int64_t in, out; // numbers per vertex
};

class GraphLayers {
public:
  GraphLayers(std::vector<LayerSize> sizes, int64_t vertices);

  /// Processor seconds of a layer on vertices [first, last), the less of two
  /// runs.
  double seconds(const graphpartition::InNeighbours &graph, size_t layer,
                 int64_t first, int64_t last);

private:
  void run(const graphpartition::InNeighbours &graph, LayerSize size,
           int64_t first, int64_t last);

  std::vector<LayerSize> sizes;
  std::vector<float> features, weights, results;
};

} // namespace smex::bench

#endif
