#include "compiler/partition/TensorTerms.h"

#include <algorithm>
#include <limits>

using namespace smex;
using namespace smex::partition;

namespace {

/// The tables of an operator that reads a tensor, perhaps with several
/// operands: it needs the most of them.
struct Reading {
  int op;
  std::vector<int> tables; // ascending, each once
};

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
      readings.back().tables.push_back(
          costs.read(op, i, rows, lists.tensors[tensor], count));
    }
  }
  for (Use &use : uses)
    for (Reading &reading : use.readings) {
      auto &list = reading.tables;
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  return uses;
}

/// Rows of a table that differ, and their entries.
TermCosts::Rows distinct(const std::vector<int64_t> &bytes, size_t width,
                         std::vector<int64_t> &entries) {
  TermCosts::Rows rows;
  Numbering numbers;
  Numbering::Key key;
  for (auto row = bytes.begin(); row != bytes.end(); row += int64_t(width)) {
    key.assign(row, row + int64_t(width));
    rows.of.push_back(numbers.number(key));
    if (rows.of.back() == rows.count) {
      ++rows.count;
      entries.insert(entries.end(), key.begin(), key.end());
    }
  }
  return rows;
}

/// Makes the costs of one term.
class Maker {
public:
  Maker(const PairCosts &costs, int columns) : costs(costs), width(columns) {
    made.columns = columns;
  }

  void write(int table) {
    std::vector<int64_t> entries;
    made.writer = distinct(costs.bytes(table), width, entries);
    for (size_t column = 0; column < width; ++column)
      for (int row = 0; row < made.writer.count; ++row)
        made.written.push_back(double(entries[row * width + column]));
  }

  void read(const std::vector<int> &tables) {
    std::vector<int64_t> most = costs.bytes(tables[0]);
    for (size_t i = 1; i < tables.size(); ++i) {
      const auto &bytes = costs.bytes(tables[i]);
      for (size_t e = 0; e < most.size(); ++e)
        most[e] = std::max(most[e], bytes[e]);
    }
    needed.emplace_back();
    made.readers.push_back({distinct(most, width, needed.back()), {}});
  }

  bool finish() {
    made.starts.push_back(0);
    std::vector<int64_t> levels;
    for (size_t column = 0; column < width; ++column) {
      levels.clear();
      int64_t least = 0; // that some reader needs in any case
      for (const std::vector<int64_t> &entries : needed) {
        int64_t ofReader = std::numeric_limits<int64_t>::max();
        for (size_t e = column; e < entries.size(); e += width) {
          ofReader = std::min(ofReader, entries[e]);
          levels.push_back(entries[e]);
        }
        least = std::max(least, ofReader);
      }
      levels.push_back(least);
      std::sort(levels.begin(), levels.end());
      levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
      levels.erase(levels.begin(),
                   std::lower_bound(levels.begin(), levels.end(), least));
      if (levels.size() > std::numeric_limits<uint16_t>::max())
        return false;
      for (size_t i = 0; i < needed.size(); ++i)
        for (size_t e = column; e < needed[i].size(); e += width)
          made.readers[i].levels.push_back(uint16_t(
              std::lower_bound(levels.begin(), levels.end(), needed[i][e]) -
              levels.begin()));
      made.levels.insert(made.levels.end(), levels.begin(), levels.end());
      made.starts.push_back(int(made.levels.size()));
    }
    return true;
  }

  TermCosts made;

private:
  const PairCosts &costs;
  const size_t width; // of a table: histories of the tensor
  std::vector<std::vector<int64_t>> needed; // per kind of reader
};

} // namespace

std::optional<TensorTerms>
partition::makeTensorTerms(const OperatorGraph &graph, PairCosts &costs,
                           const CandidateLists &lists, Count count) {
  const std::vector<Use> uses = usesOf(graph, costs, lists, count);
  TensorTerms all;
  for (int list : lists.operators)
    all.histories.push_back(int(costs.candidates(list).histories.size()));
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
    for (const Reading &reading : use.readings) {
      ofReader.assign(reading.tables.begin(), reading.tables.end());
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
    key = {lists.tensors[t], use.written};
    for (const Reading *reading : kindsHere) {
      key.push_back(-1);
      key.insert(key.end(), reading->tables.begin(), reading->tables.end());
    }
    term.costs = kinds.number(key);
    if (term.costs == int(all.costs.size())) {
      Maker maker(costs,
                  int(costs.candidates(lists.tensors[t]).histories.size()));
      if (use.writer >= 0)
        maker.write(use.written);
      for (const Reading *reading : kindsHere)
        maker.read(reading->tables);
      if (!maker.finish())
        return std::nullopt;
      for (double bytes : maker.made.levels)
        all.most = std::max(all.most, bytes);
      for (double bytes : maker.made.written)
        all.most = std::max(all.most, bytes);
      all.costs.push_back(std::move(maker.made));
    }
    all.terms.push_back(std::move(term));
  }
  return all;
}
