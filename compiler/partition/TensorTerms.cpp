#include "compiler/partition/TensorTerms.h"

#include "compiler/partition/TermMaker.h"

#include <algorithm>

using namespace smex;
using namespace smex::partition;

namespace {

struct Use {
  int writer = -1, written = -1; // operator and table
  std::vector<Reading> readings; // ascending by operator
};

std::vector<Use> usesOf(const OperatorGraph &graph, PairCosts &costs,
                        const CandidateLists &lists, Count count) {
  std::vector<Use> uses(graph.tensors.size());
  for (int op = 0; op < int(graph.operators.size()); ++op) {
    const Operator &current = graph.operators[op];
    const int rows = lists.operators[op];
    uses[current.result].writer = op;
    uses[current.result].written =
        costs.write(op, rows, lists.tensors[current.result]);
    for (int i = 0; i < int(current.operands.size()); ++i) {
      const int tensor = current.operands[i].tensor;
      auto &readings = uses[tensor].readings;
      if (readings.empty() || readings.back().op != op)
        readings.push_back({op, {}});
      readings.back().uses.push_back(
          {costs.read(op, i, rows, lists.tensors[tensor], count), i});
    }
  }
  for (Use &use : uses)
    for (Reading &reading : use.readings)
      std::sort(reading.uses.begin(), reading.uses.end(),
                [](const Reading::Use &a, const Reading::Use &b) {
                  return a.table < b.table;
                });
  return uses;
}

} // namespace

std::optional<TensorTerms>
partition::makeTensorTerms(const OperatorGraph &graph, PairCosts &costs,
                           const CandidateLists &lists, Count count,
                           int64_t maxFetched) {
  const std::vector<Use> uses = usesOf(graph, costs, lists, count);
  TensorTerms all;
  for (int list : lists.operators)
    all.histories.push_back(int(costs.candidates(list).histories.size()));
  RegionFinder finder(graph, costs);
  Numbering kinds;
  Numbering::Key key, ofReader;
  for (size_t t = 0; t < uses.size(); ++t) {
    const Use &use = uses[t];
    if (use.writer < 0 && use.readings.empty())
      continue;
    // Kinds of readers, by their tables.
    Numbering readers;
    std::vector<const Reading *> kindsHere;
    Term term;
    term.tensor = int(t);
    for (const Reading &reading : use.readings) {
      ofReader.clear();
      for (const Reading::Use &use : reading.uses)
        ofReader.push_back(use.table);
      const int kind = readers.number(ofReader);
      if (kind == int(kindsHere.size()))
        kindsHere.push_back(&reading);
      term.members.push_back({reading.op, kind});
    }
    if (use.writer >= 0)
      term.members.insert(
          std::lower_bound(term.members.begin(), term.members.end(), use.writer,
                           [](const Term::Member &member, int op) {
                             return member.op < op;
                           }),
          {use.writer, -1});
    // One reader's fetch is a number of bytes.
    const bool several = use.readings.size() > 1 && count == Count::Region;
    key = {lists.tensors[t], use.written, several};
    for (const Reading *reading : kindsHere) {
      key.push_back(-1);
      for (const Reading::Use &use : reading->uses)
        key.push_back(use.table);
    }
    term.costs = kinds.number(key);
    if (term.costs == int(all.costs.size())) {
      const auto make = [&](bool byRegions) {
        TermMaker maker(costs, graph.tensors[t], lists.tensors[t]);
        if (use.writer >= 0)
          maker.addWriter(use.written);
        for (const Reading *reading : kindsHere)
          if (byRegions)
            maker.addReader(*reading, lists.operators[reading->op], finder);
          else
            maker.addReader(*reading);
        return maker.finish(maxFetched);
      };
      std::optional<TermCosts> made;
      if (several && maxFetched > 0)
        made = make(true);
      if (!made)
        made = make(false);
      if (!made)
        return std::nullopt;
      for (const Fetched &fetched : made->fetched)
        all.most = std::max(all.most, fetched.bytes);
      for (double bytes : made->written)
        all.most = std::max(all.most, bytes);
      all.costs.push_back(std::move(*made));
    }
    all.terms.push_back(std::move(term));
  }
  return all;
}
