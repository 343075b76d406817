#include "runtime/graphpartition/Partitioner.h"

#include "dialects/support/Random.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace smex;
using namespace smex::graphpartition;

Result<Partition> graphpartition::equalVertices(const Problem &problem) {
  return Partition{
      cutAtCrossings(DegreeCost(*problem.graph, 1, 0), problem.workers), {}};
}

Result<Partition> graphpartition::equalEdges(const Problem &problem) {
  return Partition{
      cutAtCrossings(DegreeCost(*problem.graph, 0, 1), problem.workers), {}};
}

Result<Partition> graphpartition::greedyEdgeCap(const Problem &problem) {
  return Partition{capInSteps(*problem.graph, {problem.workers}), {}};
}

namespace {

/// Piecewise linear between bounds, where it is the sum of the seconds before.
class MeasuredCost : public CostBefore {
public:
  MeasuredCost(const Bounds &bounds, const std::vector<double> &seconds)
      : bounds(bounds), sums(1, 0.) {
    for (size_t i = 0; i < seconds.size(); ++i)
      sums.push_back(sums.back() +
                     (bounds[i] < bounds[i + 1] ? seconds[i] : 0));
  }
  int64_t vertices() const override { return bounds.back(); }
  double before(int64_t vertex) const override {
    const size_t i =
        size_t(std::upper_bound(bounds.begin(), bounds.end() - 1, vertex) -
               bounds.begin() - 1);
    const int64_t size = i + 1 < bounds.size() ? bounds[i + 1] - bounds[i] : 0;
    if (size == 0)
      return sums[i];
    return sums[i] +
           (sums[i + 1] - sums[i]) * double(vertex - bounds[i]) / double(size);
  }

private:
  const Bounds &bounds;
  std::vector<double> sums;
};

Status validate(const Bounds &bounds, const Problem &problem) {
  if (int64_t(bounds.size()) != problem.workers + 1 || bounds.front() != 0 ||
      bounds.back() != problem.graph->vertices() ||
      !std::is_sorted(bounds.begin(), bounds.end()))
    return fail("the last bounds are not those of ", problem.workers,
                " ranges of ", problem.graph->vertices(), " vertices");
  return {};
}

Status validateModel(const Problem &problem) {
  if (!problem.features || !problem.model)
    return fail("a fitted cost model is needed");
  if (problem.model->size() != problem.features->layers())
    return fail("the cost model is of ", problem.model->size(),
                " layers, and the network has ", problem.features->layers());
  for (const Weights &weights : *problem.model)
    for (double weight : weights)
      if (!std::isfinite(weight) || weight < 0)
        return fail("the cost model has a weight that is negative or not "
                    "finite");
  return {};
}

} // namespace

Result<Partition> graphpartition::dynamicRanges(const Problem &problem) {
  if (!problem.last || !problem.seconds)
    return equalVertices(problem);
  if (Status ok = validate(*problem.last, problem); !ok)
    return ok.takeError();
  if (int64_t(problem.seconds->size()) != problem.workers)
    return fail("seconds of ", problem.seconds->size(), " workers, ",
                problem.workers, " expected");
  for (size_t i = 0; i < problem.seconds->size(); ++i)
    if (const double s = (*problem.seconds)[i];
        (!std::isfinite(s) || s <= 0) &&
        (*problem.last)[i] < (*problem.last)[i + 1])
      return fail("worker ", i, ": measured ", s,
                  " seconds: a positive number is needed");
  return Partition{cutAtCrossings(MeasuredCost(*problem.last, *problem.seconds),
                                  problem.workers),
                   {}};
}

Result<Partition> graphpartition::learned(const Problem &problem) {
  if (Status ok = validateModel(problem); !ok)
    return ok.takeError();
  return Partition{cutAtCrossings(ModelCost(*problem.features, *problem.model),
                                  problem.workers),
                   {}};
}

Result<Partition> graphpartition::learnedMinMax(const Problem &problem) {
  if (Status ok = validateModel(problem); !ok)
    return ok.takeError();
  return Partition{leastMaximum(ModelCost(*problem.features, *problem.model),
                                problem.workers),
                   {}};
}

Result<Partition> graphpartition::randomPermutation(const Problem &problem) {
  const Random random(problem.seed, "vertices");
  Numbers order(size_t(problem.graph->vertices()));
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = int64_t(order.size()) - 1; i > 0; --i)
    std::swap(order[size_t(i)],
              order[size_t(random.below(i + 1, uint64_t(i)))]);
  auto partition = equalVertices(problem);
  partition->order = std::move(order);
  return partition;
}

const std::vector<Partitioner> &graphpartition::partitioners() {
  static const std::vector<Partitioner> all = {
      {"equal-vertices", "as many vertices each", equalVertices},
      {"equal-edges", "as many in-edges each", equalEdges},
      {"greedy-edge-cap", "vertices up to a share of the edges, then the next",
       greedyEdgeCap},
      {"dynamic", "by the last iteration's times, without a model",
       dynamicRanges},
      {"roc", "where a fitted model's cost crosses", learned},
      {"roc-min-max", "a fitted model's least costliest range", learnedMinMax},
      {"random-permutation", "vertices in random order, as many each",
       randomPermutation},
      {"metis", "METIS' k-way partition, vertices counted with their edges",
       metis},
  };
  return all;
}

Result<Partition> graphpartition::partition(std::string_view name,
                                            const Problem &problem) {
  if (problem.workers < 1)
    return fail("a graph is divided among 1 worker or more");
  std::string names;
  for (const Partitioner &each : partitioners()) {
    if (each.name == name)
      return each.partition(problem);
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  return fail("no graph partitioner \"", name, "\": there are ", names);
}
