#include "compiler/partition/LowerBound.h"

#include "compiler/partition/DualAscent.h"

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

int64_t boundByAscent(const OperatorGraph &graph, PairCosts &costs,
                      const Listed &listed, const Params &params,
                      int64_t enough) {
  if (!listed.lists)
    return 0;
  Charges charges;
  Bound bound;
  // A look at regions takes longer, so they come when the most demanding
  // readers have nothing more to say.
  for (const auto &[maxFetched, maxWork] :
       {std::pair(int64_t(0), params.maxBoundWork),
        std::pair(params.maxFetched, params.maxBoundWork / kPartForRegions)}) {
    const auto terms =
        makeTensorTerms(graph, costs, *listed.lists, listed.count, maxFetched);
    if (!terms)
      break;
    const int64_t before = bound.bytes;
    bound = raiseBound(*terms, enough, maxWork, charges);
    bound.bytes = std::max(bound.bytes, before);
    if (bound.bytes >= enough || bound.more || listed.count != Count::Region)
      break;
  }
  return bound.bytes;
}

} // namespace

int64_t partition::lowerBoundBytes(const OperatorGraph &graph,
                                   const std::vector<int64_t> &ways,
                                   const Choices &choices, PairCosts &costs,
                                   const Params &params, int64_t planBytes) {
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
                             now, planBytes));
    if (bound < planBytes)
      bound =
          std::max(bound, boundByBuckets(graph, costs,
                                         list(now.maxBoundPairEntries), now));
    now.maxBoundEntries *= larger;
    now.maxBoundPairEntries *= larger;
  }
  return bound;
}

PartitionPlan partition::withLowerBound(const OperatorGraph &graph,
                                        PartitionPlan plan,
                                        const Params &params) {
  std::vector<int64_t> ways;
  for (const Step &step : plan.steps)
    ways.push_back(step.ways);
  PairCosts costs(graph);
  plan.lowerBoundBytes =
      params.lowerBound ? lowerBoundBytes(graph, ways, Choices(graph, params),
                                          costs, params, plan.sharedBytes)
                        : 0;
  plan.optimal = plan.sharedBytes == plan.lowerBoundBytes;
  return plan;
}
