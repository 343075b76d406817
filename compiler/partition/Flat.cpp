// Without recursion: whole histories are the values of one network, so all
// steps are decided together. For 8 workers a 4-D tensor has 64 histories, 20
// tilings (thesis section 3.5.2), a convolution 343; where elimination keeps
// Params::maxFlatTableEntries and maxFlatEntries the search is exact, else it
// is bounded, and PartitionPlan::together says which. Where a tensor or
// operator has too many histories (Params::maxFlatHistories), each tiling
// counts once, or only the first ones.
//
// ICML18 is flat too (thesis section 3.7.3, [24]): no strategy that needs an
// output reduction, and forward and backward share a configuration, which is
// that a tensor and its gradient are cut alike (section 3.5.1). Operators are
// cut as is best for their tensors: the index variables of a product and of its
// data gradient are the same sides of the tensors in another order, and what is
// a sum in one of them is none in the other. With output reduction, the thesis
// has it find Tofu's plan.
#include "compiler/partition/Algorithms.h"
#include "compiler/partition/Coarsen.h"
#include "compiler/partition/Factorize.h"
#include "compiler/partition/PlanBuilder.h"

#include <numeric>

using namespace smex;
using namespace smex::partition;

namespace {

/// Exact where the tables allow, and else in some seconds.
network::Params flatParams(const Params &params) {
  network::Params limits = params.network;
  limits.maxTableEntries = params.maxFlatTableEntries;
  limits.maxTotalEntries = params.maxFlatEntries;
  limits.maxBoundEntries = std::min(limits.maxBoundEntries, int64_t(1) << 12);
  limits.parts = std::min(limits.parts, 12);
  limits.patience = std::min(limits.patience, 3);
  return limits;
}

using Histories = std::vector<std::vector<History>>; // per variable

Histories historiesOf(const PlanBuilder &builder) {
  Histories histories;
  const size_t variables =
      builder.graph.tensors.size() + builder.graph.operators.size();
  for (int v = 0; v < int(variables); ++v)
    histories.push_back(
        builder.allHistories(v, size_t(builder.params.maxFlatHistories)));
  return histories;
}

/// What came of deciding all steps together.
enum class Decided { Nothing, Bounded, Exactly };

/// Decides all steps of the builder together; variables of a class alike.
/// Nothing is decided where the limits do not allow it.
Decided decideFlat(PlanBuilder &builder, const Histories &histories,
                   const std::vector<int> &classes,
                   const network::Params &limits) {
  CandidateLists lists;
  const int tensors = int(builder.graph.tensors.size());
  for (int v = 0; v < int(classes.size()); ++v)
    (v < tensors ? lists.tensors : lists.operators)
        .push_back(builder.pairCosts().add({builder.ways, histories[v]}));
  StepNetworks networks(builder.graph, builder.pairCosts());
  const network::Solution solution = network::solve(
      network::tie(networks.make(lists, nullptr, Sharing::None), classes),
      limits);
  if (solution.values.empty() && !classes.empty())
    return Decided::Nothing;
  std::vector<History> chosen;
  for (int v = 0; v < int(classes.size()); ++v)
    chosen.push_back(histories[v][solution.values[classes[v]]]);
  builder.decideAll(chosen);
  return solution.optimal ? Decided::Exactly : Decided::Bounded;
}

std::vector<int> separate(const OperatorGraph &graph) {
  std::vector<int> classes(graph.tensors.size() + graph.operators.size());
  std::iota(classes.begin(), classes.end(), 0);
  return classes;
}

/// Tofu's coarsening of whole histories.
std::vector<int> coarsenFlat(const PlanBuilder &builder,
                             const Histories &histories,
                             const std::vector<int> &tied = {}) {
  return coarsen(
      builder, [&](int a, int b) { return histories[a] == histories[b]; },
      tied);
}

/// Forward and backward alike: a tensor and its gradient. Operators stay apart.
std::vector<int> tieGradients(const PlanBuilder &builder) {
  const OperatorGraph &graph = builder.graph;
  Patterns<int> classes;
  std::vector<int> result;
  for (int t = 0; t < int(graph.tensors.size()); ++t) {
    const int of = graph.tensors[t].gradientOf;
    const bool alike =
        of >= 0 && graph.tensors[of].shape == graph.tensors[t].shape &&
        builder.choices.isSmallTensor(of) == builder.choices.isSmallTensor(t);
    result.push_back(classes.number(alike ? of : t));
  }
  for (int op = 0; op < int(graph.operators.size()); ++op)
    result.push_back(classes.number(-1 - op));
  return result;
}

} // namespace

std::optional<PartitionPlan>
partition::partitionFlatExactly(const OperatorGraph &graph, int64_t workers,
                                const Params &params) {
  network::Params limits = params.network;
  limits.maxTableEntries = params.maxFlatTableEntries;
  limits.maxTotalEntries = params.maxFlatEntries;
  limits.bounded = false;
  PairCosts costs(graph);
  PlanBuilder builder(graph, factorize(workers), params, costs);
  Together of = Together::Graph;
  if (!builder.done()) {
    const Histories histories = historiesOf(builder);
    if (decideFlat(builder, histories, separate(graph), limits) ==
        Decided::Nothing) {
      of = Together::Coarsened;
      if (decideFlat(builder, histories, coarsenFlat(builder, histories),
                     limits) == Decided::Nothing)
        return std::nullopt;
    }
  }
  PartitionPlan plan = builder.finish();
  plan.together = of;
  return plan;
}

Result<PartitionPlan> partition::partitionFlat(const OperatorGraph &graph,
                                               int64_t workers,
                                               const Params &params) {
  if (Status status = validate(graph, workers); !status)
    return status.takeError();
  PairCosts costs(graph);
  PlanBuilder builder(graph, factorize(workers), params, costs);
  Together of = Together::Graph;
  if (!builder.done() &&
      decideFlat(builder, historiesOf(builder), separate(graph),
                 flatParams(params)) != Decided::Exactly)
    of = Together::No;
  PartitionPlan plan = builder.finish();
  plan.together = of;
  return plan;
}

namespace {

/// What restricts a search besides Tofu's coarsening.
struct Restrictions {
  bool gradientsAlike = false, noReduction = false;
};

/// All steps together on Tofu's coarsening, where all that can be cut is cut.
Result<PartitionPlan> partitionCoarsenedFlat(const OperatorGraph &graph,
                                             int64_t workers,
                                             const Params &given,
                                             Restrictions restrictions) {
  if (Status status = validate(graph, workers); !status)
    return status.takeError();
  Params params = given;
  params.alwaysCut = true;
  PairCosts costs(graph);
  PlanBuilder builder(graph, factorize(workers), params, costs);
  if (restrictions.noReduction)
    builder.allows = [&](const Operator &op, int index) {
      return index < int(graph.tensors[op.result].shape.size());
    };
  Together of = Together::Coarsened;
  if (!builder.done()) {
    const Histories histories = historiesOf(builder);
    const std::vector<int> classes =
        coarsenFlat(builder, histories,
                    restrictions.gradientsAlike ? tieGradients(builder)
                                                : std::vector<int>());
    if (decideFlat(builder, histories, classes, flatParams(params)) !=
        Decided::Exactly)
      of = Together::No;
  }
  PartitionPlan plan = builder.finish();
  plan.together = of;
  return plan;
}

} // namespace

// The thesis' Table 3.1 ran both on Tofu's coarsening.
Result<PartitionPlan>
partition::partitionFlatCoarsened(const OperatorGraph &graph, int64_t workers,
                                  const Params &params) {
  return partitionCoarsenedFlat(graph, workers, params, {});
}

Result<PartitionPlan> partition::partitionLikeIcml18(const OperatorGraph &graph,
                                                     int64_t workers,
                                                     const Params &params) {
  return partitionCoarsenedFlat(
      graph, workers, params, {/*gradientsAlike=*/true, /*noReduction=*/true});
}

Result<PartitionPlan> partition::partitionLikeIcml18WithReduction(
    const OperatorGraph &graph, int64_t workers, const Params &params) {
  return partitionCoarsenedFlat(
      graph, workers, params, {/*gradientsAlike=*/true, /*noReduction=*/false});
}
