#include "compiler/partition/LowerBound.h"

#include "compiler/partition/DualAscent.h"
#include "compiler/partition/PlanBuilder.h"
#include "compiler/partition/Rounding.h"

#include <algorithm>
#include <set>

using namespace smex;
using namespace smex::partition;

namespace {

/// All distinct tables together may have as many entries as this many of the
/// largest one: keeps time and memory in bounds where nothing repeats.
constexpr size_t kLargestTables = 64;

/// Ascent keeps little beside the tables, so they may be larger by this.
constexpr int64_t kLargerForAscent = 4;

/// Of the ascent's work, this part is spent on regions.
constexpr int64_t kPartForRegions = 4;

/// And so much on each of the plans that are made better.
constexpr int64_t kPartForPlans = 16;

/// The bound of a larger graph is sought once: again would take seconds.
constexpr size_t kFewOperators = 10000;

/// Lists of all histories over `ways`; nothing if some pair of an operator and
/// a tensor would have more than `limit` entries, or all together too many.
/// Those alike are listed once.
std::optional<CandidateLists> listAll(const OperatorGraph &graph,
                                      const std::vector<int64_t> &ways,
                                      const Choices &choices, PairCosts &costs,
                                      size_t limit) {
  CandidateLists lists;
  std::map<std::pair<int, bool>, int> tensorLists, operatorLists;
  const auto list = [&](auto &known, std::pair<int, bool> key, auto find) {
    const auto [it, isNew] = known.try_emplace(key, -1);
    if (isNew)
      if (auto histories = find())
        it->second = costs.add({ways, std::move(*histories)});
    return it->second;
  };
  for (int t = 0; t < int(graph.tensors.size()); ++t)
    lists.tensors.push_back(
        list(tensorLists, {costs.tensorClass(t), choices.isSmallTensor(t)},
             [&] { return choices.tensorHistories(t, ways, limit); }));
  for (int op = 0; op < int(graph.operators.size()); ++op)
    lists.operators.push_back(list(
        operatorLists, {costs.operatorClass(op), choices.isSmallOperator(op)},
        [&] { return choices.operatorHistories(op, ways, limit); }));

  const auto size = [&](int list) {
    return list < 0 ? limit + 1 : costs.candidates(list).histories.size();
  };
  std::set<std::tuple<int, int, int>> counted;
  size_t total = 0;
  for (int op = 0; op < int(graph.operators.size()); ++op) {
    const int rows = lists.operators[op];
    const auto count = [&](int operand, int tensor) {
      const int columns = lists.tensors[tensor];
      const size_t entries = size(rows) * size(columns);
      if (entries > limit)
        return false;
      if (counted.insert({costs.operatorClass(op), operand, columns}).second)
        total += entries;
      return total <= limit * kLargestTables;
    };
    if (!count(-1, graph.operators[op].result))
      return std::nullopt;
    for (int i = 0; i < int(graph.operators[op].operands.size()); ++i)
      if (!count(i, graph.operators[op].operands[i].tensor))
        return std::nullopt;
  }
  for (int list : lists.tensors)
    if (list < 0)
      return std::nullopt;
  return lists;
}

/// The lists of as many steps as have tables that fit: each has more than the
/// one before.
struct Listed {
  std::optional<CandidateLists> lists;
  Count count = Count::Region;
};

Listed listSteps(const OperatorGraph &graph, const std::vector<int64_t> &ways,
                 const Choices &choices, PairCosts &costs, size_t limit) {
  Listed listed;
  size_t steps = 0;
  while (steps < ways.size()) {
    auto more = listAll(graph, {ways.begin(), ways.begin() + steps + 1},
                        choices, costs, limit);
    if (!more)
      break;
    listed.lists = std::move(more);
    ++steps;
  }
  if (steps < ways.size())
    listed.count = Count::Guaranteed;
  return listed;
}

int64_t boundByBuckets(const OperatorGraph &graph, PairCosts &costs,
                       const Listed &listed, const Params &params) {
  if (!listed.lists)
    return 0;
  network::Params limits;
  limits.maxTableEntries = limits.maxBoundEntries = params.maxBoundEntries;
  return network::lowerBound(
             makeBoundNetwork(graph, costs, *listed.lists, listed.count),
             limits)
      .bytes;
}

/// Histories by their numbers in the lists; of a tensor that nothing uses,
/// which has no term, the first one.
std::vector<History> historiesOf(const PairCosts &costs,
                                 const CandidateLists &lists,
                                 const TensorTerms &terms,
                                 const Rounded &rounded) {
  std::vector<int> numbers(lists.tensors.size());
  for (size_t t = 0; t < terms.terms.size(); ++t)
    numbers[terms.terms[t].tensor] = rounded.terms[t];
  std::vector<History> result;
  const auto add = [&](const std::vector<int> &lists,
                       const std::vector<int> &numbers) {
    for (size_t i = 0; i < lists.size(); ++i)
      result.push_back(costs.candidates(lists[i]).histories[numbers[i]]);
  };
  add(lists.tensors, numbers);
  add(lists.operators, rounded.operators);
  return result;
}

/// The numbers of a plan's operators' histories; nothing if some is not listed.
std::optional<std::vector<int>> numbersOf(const PairCosts &costs,
                                          const CandidateLists &lists,
                                          const PartitionPlan &plan) {
  std::vector<int> result;
  for (size_t op = 0; op < lists.operators.size(); ++op) {
    const auto &listed = costs.candidates(lists.operators[op]).histories;
    const auto it = std::find(listed.begin(), listed.end(),
                              divisionsOf(plan, &Step::operators, op));
    if (it == listed.end())
      return std::nullopt;
    result.push_back(int(it - listed.begin()));
  }
  return result;
}

void improve(const PairCosts &costs, const CandidateLists &lists,
             const TensorTerms &terms, const Charges &charges,
             const Improvement &improvement, int64_t maxWork) {
  std::vector<Rounded> all{roundCharges(terms, charges, maxWork)};
  if (const auto known = numbersOf(costs, lists, improvement.known))
    all.push_back(partition::improve(terms, charges, *known, maxWork));
  for (const Rounded &rounded : all)
    if (rounded.operators.size() == lists.operators.size())
      improvement.found(historiesOf(costs, lists, terms, rounded));
}

int64_t boundByAscent(const OperatorGraph &graph, PairCosts &costs,
                      const Listed &listed, const Params &params,
                      int64_t enough, const Improvement *improvement) {
  if (!listed.lists)
    return 0;
  Charges charges;
  Bound bound;
  int64_t most = 0;
  std::optional<TensorTerms> terms;
  // A look at regions takes longer, so they come when the most demanding
  // readers have nothing more to say, or when a plan is sought, too.
  for (const auto &[maxFetched, maxWork] :
       {std::pair(int64_t(0), params.maxBoundWork),
        std::pair(params.maxFetched, params.maxBoundWork / kPartForRegions)}) {
    terms =
        makeTensorTerms(graph, costs, *listed.lists, listed.count, maxFetched);
    if (!terms)
      return most;
    bound = raiseBound(*terms, enough, maxWork, charges);
    most = std::max(most, bound.bytes);
    if (bound.hasFailed || most >= enough || listed.count != Count::Region)
      return most;
    if (bound.isOutOfWork && !improvement)
      return most;
  }
  if (improvement)
    improve(costs, *listed.lists, *terms, charges, *improvement,
            params.maxBoundWork / kPartForPlans);
  return most;
}

} // namespace

int64_t partition::lowerBoundBytes(const OperatorGraph &graph,
                                   const std::vector<int64_t> &ways,
                                   const Choices &choices, PairCosts &costs,
                                   const Params &params, int64_t planBytes,
                                   const Improvement *improvement) {
  constexpr int64_t larger = 4; // times as large in each
  const int rounds = graph.operators.size() <= kFewOperators ? 3 : 1;
  Params now = params;
  int64_t bound = 0;
  for (int round = 0;
       round < rounds && bound < (round == 0 ? planBytes : planBytes / 4);
       ++round) {
    const auto list = [&](int64_t limit) {
      return listSteps(graph, ways, choices, costs, size_t(limit));
    };
    bound = std::max(
        bound, boundByAscent(graph, costs,
                             list(now.maxBoundPairEntries * kLargerForAscent),
                             now, planBytes, improvement));
    if (bound < planBytes)
      bound =
          std::max(bound, boundByBuckets(graph, costs,
                                         list(now.maxBoundPairEntries), now));
    now.maxBoundEntries *= larger;
    now.maxBoundPairEntries *= larger;
  }
  return bound;
}

PartitionPlan partition::improvedWithLowerBound(const OperatorGraph &graph,
                                                PartitionPlan plan,
                                                const Params &params) {
  const std::vector<int64_t> ways = plan.ways();
  PairCosts costs(graph);
  if (params.lowerBound) {
    Params unbounded = params;
    unbounded.lowerBound = false;
    std::optional<PartitionPlan> better;
    const Improvement improvement{
        plan, [&](const std::vector<History> &all) {
          PlanBuilder builder(graph, ways, unbounded, costs);
          builder.decideAll(all);
          PartitionPlan found = builder.finish();
          if (found.sharedBytes < (better ? *better : plan).sharedBytes)
            better = std::move(found);
        }};
    const int64_t bound =
        lowerBoundBytes(graph, ways, Choices(graph, params), costs, params,
                        plan.sharedBytes, &improvement);
    if (better)
      plan = std::move(*better);
    plan.lowerBoundBytes = bound;
  }
  plan.optimal = plan.sharedBytes == plan.lowerBoundBytes;
  return plan;
}
