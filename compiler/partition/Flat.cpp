// Without recursion: whole histories are the values of one network, so all
// steps are decided together. For 8 workers a 4-D tensor has 64 histories, 20
// tilings (thesis section 3.5.2), a convolution 343; elimination rarely fits,
// and where it doesn't the search is bounded, which the plan's gap shows. Where
// a tensor or operator has too many histories (Params::maxFlatHistories), each
// tiling counts once, or only the first ones.
//
// ICML18 is flat too (thesis section 3.7.3, [24]): no strategy that needs an
// output reduction, and forward and backward share a configuration: a tensor
// and its gradient are cut alike, and so are operators of one node that run
// over the same extents. With output reduction, the thesis has it find Tofu's
// plan.
#include "compiler/partition/Algorithms.h"
#include "compiler/partition/Coarsen.h"
#include "compiler/partition/Factorize.h"
#include "compiler/partition/PlanBuilder.h"

#include <numeric>

using namespace smex;
using namespace smex::partition;

namespace {

network::Params boundedParams(const Params &params) {
  network::Params limits = params.network;
  limits.maxTableEntries = std::min(limits.maxTableEntries, int64_t(1) << 20);
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

/// Decides all steps of the builder together; variables of a class alike.
/// Nothing is decided, and the result is false, where the limits do not allow
/// it.
bool decideFlat(PlanBuilder &builder, const Histories &histories,
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
    return false;
  std::vector<History> chosen;
  for (int v = 0; v < int(classes.size()); ++v)
    chosen.push_back(histories[v][solution.values[classes[v]]]);
  builder.decideAll(chosen);
  return true;
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

/// Forward and backward alike.
std::vector<int> tieGradients(const PlanBuilder &builder) {
  const OperatorGraph &graph = builder.graph;
  const int tensors = int(graph.tensors.size());
  Patterns<std::vector<int64_t>> classes;
  std::vector<int> result;
  for (int t = 0; t < tensors; ++t) {
    const int of = graph.tensors[t].gradientOf;
    const bool alike =
        of >= 0 && graph.tensors[of].shape == graph.tensors[t].shape &&
        builder.choices.isSmallTensor(of) == builder.choices.isSmallTensor(t);
    result.push_back(classes.number({0, alike ? of : t}));
  }
  for (int op = 0; op < int(graph.operators.size()); ++op) {
    const Operator &current = graph.operators[op];
    std::vector<int64_t> key{1, current.group < 0 ? -1 - op : current.group,
                             builder.choices.isSmallOperator(op),
                             graph.tensors[current.result].shape.size() <
                                 current.extents.size()};
    key.insert(key.end(), current.extents.begin(), current.extents.end());
    key.push_back(-1);
    key.insert(key.end(), current.splits.begin(), current.splits.end());
    // The rank says which of them are reductions.
    key.push_back(int64_t(graph.tensors[current.result].shape.size()));
    result.push_back(classes.number(key));
  }
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
    if (!decideFlat(builder, histories, separate(graph), limits)) {
      of = Together::Coarsened;
      if (!decideFlat(builder, histories, coarsenFlat(builder, histories),
                      limits))
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
  if (!builder.done())
    decideFlat(builder, historiesOf(builder), separate(graph),
               boundedParams(params));
  return builder.finish();
}

/// ICML18, on Tofu's coarsening: the thesis ran it so (Table 3.1).
static Result<PartitionPlan> likeIcml18(const OperatorGraph &graph,
                                        int64_t workers, const Params &given,
                                        bool reduces) {
  if (Status status = validate(graph, workers); !status)
    return status.takeError();
  Params params = given;
  params.alwaysCut = true;
  PairCosts costs(graph);
  PlanBuilder builder(graph, factorize(workers), params, costs);
  if (!reduces)
    builder.allows = [&](const Operator &op, int index) {
      return index < int(graph.tensors[op.result].shape.size());
    };
  if (!builder.done()) {
    const Histories histories = historiesOf(builder);
    const std::vector<int> classes =
        coarsenFlat(builder, histories, tieGradients(builder));
    decideFlat(builder, histories, classes, boundedParams(params));
  }
  return builder.finish();
}

Result<PartitionPlan> partition::partitionLikeIcml18(const OperatorGraph &graph,
                                                     int64_t workers,
                                                     const Params &params) {
  return likeIcml18(graph, workers, params, /*reduces=*/false);
}

Result<PartitionPlan> partition::partitionLikeIcml18WithReduction(
    const OperatorGraph &graph, int64_t workers, const Params &params) {
  return likeIcml18(graph, workers, params, /*reduces=*/true);
}
