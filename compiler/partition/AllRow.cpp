// AllRow-Greedy (thesis section 3.7.3): all tensors are cut along the first
// dimension, and each operator takes its best strategy given that. AllRow-Rand
// (arXiv v1, 6.3): the operator's strategy is drawn.
#include "compiler/partition/Algorithms.h"
#include "compiler/partition/Greedy.h"

#include <random>

using namespace smex;
using namespace smex::partition;

namespace {

/// The first dimension, or the first that can be cut in so many parts.
int rowOf(const std::vector<Division> &options) {
  const auto isBefore = [](const Division &a, const Division &b) {
    return a.isPart() != b.isPart() ? a.isPart() : a < b;
  };
  return int(std::min_element(options.begin(), options.end(), isBefore) -
             options.begin());
}

template <typename Pick>
Result<PartitionPlan> byRows(const OperatorGraph &graph, int64_t workers,
                             const Params &params, Pick pick) {
  Params always = params;
  always.alwaysCut = true;
  return planInOneStep(
      graph, workers, always, /*isCoarsened=*/true,
      [&](const NextStep &step, const std::vector<int> &classes,
          Greedy &greedy) {
        const int tensors = int(graph.tensors.size());
        for (int v = 0; v < int(classes.size()); ++v)
          if (!greedy.isDecided(classes[v]))
            greedy.decide(classes[v], v < tensors ? rowOf(step.options[v])
                                                  : pick(greedy, classes[v]));
      });
}

} // namespace

Result<PartitionPlan>
partition::partitionByRowsGreedy(const OperatorGraph &graph, int64_t workers,
                                 const Params &params) {
  return byRows(graph, workers, params,
                [](const Greedy &greedy, int c) { return greedy.best(c); });
}

Result<PartitionPlan>
partition::partitionByRowsRandom(const OperatorGraph &graph, int64_t workers,
                                 const Params &params) {
  std::mt19937_64 random(params.seed); // the same numbers everywhere
  return byRows(graph, workers, params, [&](const Greedy &greedy, int c) {
    return int(random() % uint64_t(greedy.options(c)));
  });
}
