// Ways to divide a graph's vertices among workers, by name: Roc's, and those
// that it is compared with.
#ifndef SMEX_RUNTIME_GRAPHPARTITION_PARTITIONER_H
#define SMEX_RUNTIME_GRAPHPARTITION_PARTITIONER_H

#include "runtime/graphpartition/Ranges.h"

#include <string>
#include <string_view>

namespace smex::graphpartition {

/// Ranges of vertices. Where `order` is not empty, they are ranges of the graph
/// that is `renumbered` by it.
struct Partition {
  Bounds bounds;
  Numbers order;
};

/// What partitioners may go by. What one needs beyond the graph, its
/// description says.
struct Problem {
  const InNeighbours *graph = nullptr;
  int64_t workers = 1;
  const FeatureSums *features = nullptr;
  const CostModel *model = nullptr; // a layer's weights for each of features'
  /// The bounds of the iteration before, and the seconds of each worker there.
  const Bounds *last = nullptr;
  const std::vector<double> *seconds = nullptr;
  uint64_t seed = 0;
};

struct Partitioner {
  const char *name;
  const char *description; // for people
  Result<Partition> (*partition)(const Problem &problem);
};

const std::vector<Partitioner> &partitioners();

/// Errors: no worker; no partitioner of this name (the message lists them);
/// what it needs is missing, or does not fit; METIS is not installed.
Result<Partition> partition(std::string_view name, const Problem &problem);

// Each by itself.

Result<Partition> equalVertices(const Problem &problem); // NeuGraph
Result<Partition> equalEdges(const Problem &problem);    // Gemini
/// Each worker takes vertices until it has a worker's share of the edges; what
/// the last one gets is what is left (Lux, and Roc's public code).
Result<Partition> greedyEdgeCap(const Problem &problem);
/// Bounds by measured times, without a model (Presto, Lux): what a range took,
/// spread evenly over its vertices, says where to cut next. Without times,
/// equal vertices.
Result<Partition> dynamicRanges(const Problem &problem);
/// Roc's: where the model's cost crosses.
Result<Partition> learned(const Problem &problem);
/// The same model, its costliest range as cheap as can be.
Result<Partition> learnedMinMax(const Problem &problem);
/// Vertices in random order, as many each (Plexus).
Result<Partition> randomPermutation(const Problem &problem);
/// METIS' k-way partition of the graph without directions, each vertex counted
/// with its in-edges; vertices of a part keep their order.
Result<Partition> metis(const Problem &problem);

} // namespace smex::graphpartition

#endif
