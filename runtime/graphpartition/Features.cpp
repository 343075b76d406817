#include "runtime/graphpartition/Features.h"

#include <algorithm>
#include <thread>

using namespace smex;
using namespace smex::graphpartition;

namespace {

int64_t accessesFor(int64_t numbers) {
  return (numbers + warpSize - 1) / warpSize;
}

/// Where each of so many equal shares of the edges begins.
Numbers sharesOfEdges(const InNeighbours &graph, int64_t shares) {
  Numbers begins = {0};
  for (int64_t s = 1; s < shares; ++s) {
    const auto at = std::lower_bound(graph.offsets.begin(), graph.offsets.end(),
                                     graph.edges() / shares * s) -
                    graph.offsets.begin();
    begins.push_back(std::clamp<int64_t>(at, begins.back(), graph.vertices()));
  }
  begins.push_back(graph.vertices());
  return begins;
}

} // namespace

/// Puts the features of each vertex v at v + 1, to be added up.
void FeatureSums::sumUp(int64_t first, int64_t last) {
  // Most runs of most graphs are of one vertex, and need no division.
  Numbers ofOne;
  for (int64_t width : widths)
    ofOne.push_back(accessesFor(width));
  for (int64_t v = first; v < last; ++v) {
    int64_t runsHere = 0, accessesHere = 0, longer = 0;
    for (const int32_t *u = graph->begin(v), *end = graph->end(v); u != end;) {
      const int32_t *next = u + 1;
      while (next != end && *next == next[-1] + 1)
        ++next;
      const int64_t length = next - u;
      ++runsHere;
      accessesHere += accessesFor(length);
      if (length > 1) {
        ++longer;
        for (size_t w = 0; w < widths.size(); ++w)
          activations[w][size_t(v) + 1] += accessesFor(length * widths[w]);
      }
      u = next;
    }
    runs[size_t(v) + 1] = runsHere;
    accesses[size_t(v) + 1] = accessesHere;
    for (size_t w = 0; w < widths.size(); ++w)
      activations[w][size_t(v) + 1] += (runsHere - longer) * ofOne[w];
  }
}

FeatureSums::FeatureSums(const InNeighbours &graph,
                         const std::vector<int64_t> &ofLayers, int threads)
    : graph(&graph), widths(ofLayers) {
  std::sort(widths.begin(), widths.end());
  widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
  for (int64_t width : ofLayers)
    layerWidth.push_back(
        size_t(std::lower_bound(widths.begin(), widths.end(), width) -
               widths.begin()));
  const size_t size = size_t(graph.vertices()) + 1;
  runs.assign(size, 0);
  accesses.assign(size, 0);
  activations.assign(widths.size(), Numbers(size, 0));

  const Numbers shares = sharesOfEdges(graph, std::max(threads, 1));
  std::vector<std::thread> others;
  for (size_t s = 1; s + 1 < shares.size(); ++s)
    others.emplace_back(
        [this, &shares, s] { sumUp(shares[s], shares[s + 1]); });
  sumUp(shares[0], shares[1]);
  for (std::thread &other : others)
    other.join();

  for (size_t v = 1; v < size; ++v) {
    runs[v] += runs[v - 1];
    accesses[v] += accesses[v - 1];
  }
  for (Numbers &sums : activations)
    for (size_t v = 1; v < size; ++v)
      sums[v] += sums[v - 1];
}

Features FeatureSums::of(size_t layer, int64_t first, int64_t last) const {
  const auto over = [&](const Numbers &sums) {
    return sums[size_t(last)] - sums[size_t(first)];
  };
  return {last - first, over(graph->offsets), over(runs), over(accesses),
          over(activations[layerWidth[layer]])};
}
