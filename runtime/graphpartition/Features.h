// What a vertex costs depends on: the features of Roc's Table 2, and their sums
// over all vertices before each, so that those of a range of vertices take O(1)
// (section 4.2).
//
//     x1   1                        the vertex itself
//     x2   |N(v)|                   neighbours
//     x3   |C(v)|                   runs of consecutively numbered neighbours
//     x4   sum ceil(|c| / 32)       memory accesses that load the neighbours
//     x5   sum ceil(|c| * d / 32)   the same of their activations, d numbers
//                                   each
//
// where c are the runs. Neighbours 3, 4, 6 and 8 are three runs: x2 = 4,
// x3 = 3. A neighbour that an edge repeats is read again: it begins a run.
#ifndef SMEX_RUNTIME_GRAPHPARTITION_FEATURES_H
#define SMEX_RUNTIME_GRAPHPARTITION_FEATURES_H

#include "runtime/graphpartition/InNeighbours.h"

#include <array>

namespace smex::graphpartition {

constexpr size_t featureCount = 5;
constexpr int64_t warpSize = 32; // threads that load together

/// x1 to x5 of a vertex, or of a range of them.
using Features = std::array<int64_t, featureCount>;

/// A graph's features, summed. Which d layers have is given by `widths`; the
/// layer's number is its place there.
class FeatureSums {
public:
  /// One pass over the edges, on up to `threads` threads: O(V + E) and for each
  /// distinct width V numbers. Whatever the threads, the sums are the same. The
  /// graph stays with the caller as long as this is used. Requires positive
  /// widths below 2^24.
  FeatureSums(const InNeighbours &graph, const std::vector<int64_t> &widths,
              int threads = 1);

  int64_t vertices() const { return graph->vertices(); }
  size_t layers() const { return layerWidth.size(); }

  /// Of layer `layer`, over vertices [first, last). O(1).
  Features of(size_t layer, int64_t first, int64_t last) const;

private:
  void sumUp(int64_t first, int64_t last);

  const InNeighbours *graph;
  std::vector<int64_t> widths;    // distinct
  std::vector<size_t> layerWidth; // of each layer, which of them
  /// Over the vertices before each: x3, x4, and x5 of each width. x1 and x2 are
  /// the vertex's number and its offset.
  Numbers runs, accesses;
  std::vector<Numbers> activations;
};

} // namespace smex::graphpartition

#endif
