// The terms of a small graph's tensors (TensorTerms.h), added up for any plan.
#ifndef SMEX_TEST_COMPILER_PARTITION_LISTEDTERMS_H
#define SMEX_TEST_COMPILER_PARTITION_LISTEDTERMS_H

#include "compiler/partition/Choices.h"
#include "compiler/partition/Factorize.h"
#include "compiler/partition/TensorTerms.h"

#include <catch2/catch.hpp>

#include <limits>

namespace smex::partition::test {

/// All histories of a small graph, and the terms of its tensors.
struct Listed {
  Listed(const OperatorGraph &graph, int64_t workers, const Params &params,
         int64_t maxFetched = Params().maxFetched)
      : ways(factorize(workers)), costs(graph) {
    const Choices choices(graph, params);
    for (int t = 0; t < int(graph.tensors.size()); ++t)
      lists.tensors.push_back(
          costs.add({ways, *choices.tensorHistories(t, ways, 4096)}));
    for (int op = 0; op < int(graph.operators.size()); ++op)
      lists.operators.push_back(
          costs.add({ways, *choices.operatorHistories(op, ways, 4096)}));
    terms = *makeTensorTerms(graph, costs, lists, Count::Region, maxFetched);
  }
  const History &history(int list, int64_t i) const {
    return costs.candidates(list).histories[size_t(i)];
  }
  int64_t count(int list) const {
    return int64_t(costs.candidates(list).histories.size());
  }

  /// Calls visit(column) for each history of the tensor, with the plan's set to
  /// that.
  template <typename Visit>
  void forEachHistory(int tensor, PartitionPlan &plan, Visit visit) const {
    const int list = lists.tensors[tensor];
    for (int64_t column = 0; column < count(list); ++column) {
      for (size_t s = 0; s < plan.steps.size(); ++s)
        plan.steps[s].tensors[tensor] = history(list, column)[s];
      visit(column);
    }
  }

  Ways ways;
  PairCosts costs;
  CandidateLists lists;
  TensorTerms terms;
};

/// Of a term, where its tensor and the operators have histories of these
/// numbers.
inline double costOf(const TensorTerms &terms, const Term &term, int64_t column,
                     const std::vector<int64_t> &operators) {
  const TermCosts &costs = terms.costs[term.costs];
  double sum = 0;
  for (const Term::Member &member : term.members)
    if (member.reader < 0)
      sum += costs.written[size_t(column * costs.writer.count +
                                  costs.writer.of[operators[member.op]])];
  const auto serves = [&](const Fetched &fetched, const Term::Member &member) {
    if (member.reader < 0)
      return true;
    const TermCosts::Reader &reader = costs.readers[member.reader];
    const int row = reader.rows.of[operators[member.op]];
    if (reader.levels[size_t(column * reader.rows.count + row)] <=
        fetched.level)
      return true;
    if (fetched.region == costs.noRegion())
      return false;
    const auto begin = reader.within.begin();
    const auto end = begin + reader.withinStarts[fetched.region + 1];
    return std::find(begin + reader.withinStarts[fetched.region], end, row) !=
           end;
  };
  double least = std::numeric_limits<double>::infinity();
  for (int i = costs.starts[column]; i < costs.starts[column + 1]; ++i) {
    const Fetched &fetched = costs.fetched[i];
    if (std::all_of(
            term.members.begin(), term.members.end(),
            [&](const auto &member) { return serves(fetched, member); }))
      least = std::min(least, fetched.bytes);
  }
  return sum + least;
}

/// Of histories, given by number, of the tensors and operators.
inline int64_t sumOfTerms(const TensorTerms &terms,
                          const std::vector<int64_t> &tensors,
                          const std::vector<int64_t> &operators,
                          const OperatorGraph &graph) {
  std::vector<bool> used(graph.tensors.size());
  for (const Operator &op : graph.operators) {
    used[op.result] = true;
    for (const Operand &operand : op.operands)
      used[operand.tensor] = true;
  }
  double sum = 0;
  size_t next = 0; // terms are in order of the tensors that something uses
  for (size_t t = 0; t < used.size(); ++t)
    if (used[t])
      sum += costOf(terms, terms.terms[next++], tensors[t], operators);
  CHECK(next == terms.terms.size());
  return int64_t(sum);
}

/// A history of each tensor and each operator, at random.
template <typename Random> struct Drawn {
  Drawn(Random &random, const Listed &listed) {
    for (int64_t ways : listed.ways) {
      plan.steps.emplace_back();
      plan.steps.back().ways = ways;
    }
    for (int list : listed.lists.tensors) {
      tensors.push_back(random.below(listed.count(list)));
      for (size_t s = 0; s < plan.steps.size(); ++s)
        plan.steps[s].tensors.push_back(
            listed.history(list, tensors.back())[s]);
    }
    for (int list : listed.lists.operators) {
      operators.push_back(random.below(listed.count(list)));
      for (size_t s = 0; s < plan.steps.size(); ++s)
        plan.steps[s].operators.push_back(
            listed.history(list, operators.back())[s]);
    }
  }

  PartitionPlan plan;
  std::vector<int64_t> tensors, operators; // numbers of histories
};

} // namespace smex::partition::test

#endif
