#include "examples/bench/GraphLayers.h"

#include <algorithm>
#include <ctime>

using namespace smex;
using namespace smex::bench;

static double processorSeconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

GraphLayers::GraphLayers(std::vector<LayerSize> given, int64_t vertices)
    : sizes(std::move(given)) {
  int64_t in = 0, out = 0;
  for (const LayerSize &size : sizes) {
    in = std::max(in, size.in);
    out = std::max(out, size.out);
  }
  features.assign(size_t(vertices * in), 0.5f);
  weights.assign(size_t(in * out), 0.25f);
  results.assign(size_t(vertices * out), 0);
}

void GraphLayers::run(const graphpartition::InNeighbours &graph, LayerSize size,
                      int64_t first, int64_t last) {
  std::vector<float> sum(static_cast<size_t>(size.in));
  for (int64_t v = first; v < last; ++v) {
    std::fill(sum.begin(), sum.end(), 0);
    for (const int32_t *u = graph.begin(v); u != graph.end(v); ++u) {
      const float *row = features.data() + int64_t(*u) * size.in;
      for (int64_t i = 0; i < size.in; ++i)
        sum[size_t(i)] += row[i];
    }
    float *result = results.data() + v * size.out;
    std::fill(result, result + size.out, 0);
    for (int64_t i = 0; i < size.in; ++i)
      for (int64_t o = 0; o < size.out; ++o)
        result[o] += sum[size_t(i)] * weights[size_t(i * size.out + o)];
  }
}

double GraphLayers::seconds(const graphpartition::InNeighbours &graph,
                            size_t layer, int64_t first, int64_t last) {
  double least = 0;
  for (int run = 0; run < 2; ++run) {
    const double begin = processorSeconds();
    this->run(graph, sizes[layer], first, last);
    const double took = processorSeconds() - begin;
    least = run == 0 ? took : std::min(least, took);
  }
  return std::max(least, 1e-9);
}
