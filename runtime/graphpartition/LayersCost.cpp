#include "runtime/graphpartition/LayersCost.h"

using namespace smex;
using namespace smex::graphpartition;

LayerFeatures::LayerFeatures(const InNeighbours &given,
                             const std::vector<LayerShape> &layers)
    : graph(&given) {
  std::vector<int64_t> widths[2];
  for (const LayerShape &layer : layers) {
    const size_t direction = layer.reversed;
    places.emplace_back(direction, widths[direction].size());
    widths[direction].push_back(layer.width);
  }
  if (!widths[1].empty())
    turned = reversed(given);
  for (const size_t direction : {size_t(0), size_t(1)})
    if (!widths[direction].empty())
      sums[direction].emplace(direction ? turned : given, widths[direction]);
}
