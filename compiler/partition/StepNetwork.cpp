#include "compiler/partition/StepNetwork.h"

#include "compiler/partition/Numbering.h"

using namespace smex;
using namespace smex::partition;

namespace {

/// Collects the binary costs; equal tables become one.
class Builder {
public:
  Builder(const OperatorGraph &graph, const PairCosts &costs,
          const CandidateLists &lists)
      : graph(graph), costs(costs), lists(lists) {
    for (int list : lists.tensors)
      problem.domains.push_back(int(costs.candidates(list).histories.size()));
    for (int list : lists.operators)
      problem.domains.push_back(int(costs.candidates(list).histories.size()));
  }

  /// Of tables of the same size: the bytes of each, times its price, added up.
  /// No ties: an empty list. Both count with one n-th, n = `readers`.
  int table(int op, int tensor, const std::vector<Priced> &bytes,
            const std::vector<Priced> &ties, int64_t readers) {
    const int variable = int(graph.tensors.size()) + op;
    Numbering::Key key{readers, int64_t(bytes.size())};
    for (const auto *list : {&bytes, &ties})
      for (const Priced &each : *list)
        key.insert(key.end(), {each.table, each.price});
    const int number = keys.number(key);
    if (number == int(problem.tables.size())) {
      network::Table table{
          problem.domains[variable], problem.domains[tensor],
          std::vector<network::Cost>(costs.bytes(bytes.front().table).size())};
      for (size_t i = 0; i < table.costs.size(); ++i)
        table.costs[i] = {sum(bytes, i) / readers, sum(ties, i) / readers};
      problem.tables.push_back(std::move(table));
    }
    return number;
  }
  int table(int op, int tensor, int bytes, int64_t readers) {
    return table(op, tensor, {{bytes, 1}}, {}, readers);
  }

  void add(int op, int tensor, int table) {
    problem.binaries.push_back({int(graph.tensors.size()) + op, tensor, table});
  }

  /// Of equals, an operator takes what its list has first: no reduction where
  /// none is needed.
  void preferFirst() {
    for (size_t v = graph.tensors.size(); v < problem.domains.size(); ++v) {
      std::vector<network::Cost> costs(problem.domains[v]);
      for (size_t i = 0; i < costs.size(); ++i)
        costs[i].tie = int64_t(i);
      problem.unaries.push_back({int(v), std::move(costs)});
    }
  }

  network::Problem take() { return std::move(problem); }

private:
  /// At most what PairCosts counts.
  int64_t sum(const std::vector<Priced> &list, size_t i) const {
    __int128 all = 0;
    for (const Priced &each : list)
      all += __int128(costs.bytes(each.table)[i]) * each.price;
    return int64_t(std::min<__int128>(costs.most(), all));
  }

  const OperatorGraph &graph;
  const PairCosts &costs;
  const CandidateLists &lists;
  network::Problem problem;
  Numbering keys; // of tables
};

/// From so many alike readers on, a second search is worth its time.
constexpr int kManyReaders = 3;

bool readAlike(const Operand &a, const Operand &b) {
  if (a.tensor != b.tensor || a.rows != b.rows)
    return false;
  for (size_t d = 0; d < a.access.dims.size(); ++d)
    if (a.access.dims[d].code != b.access.dims[d].code)
      return false;
  return true;
}

bool repeatsEarlier(const Operator &op, size_t operand) {
  for (size_t i = 0; i < operand; ++i)
    if (readAlike(op.operands[i], op.operands[operand]))
      return true;
  return false;
}

/// A byte between two workers costs what the first step says that parts them:
/// all bytes cost the last step's, those that cross between groups of the steps
/// before it as much more as these say. `crossing(s)`: the table of what
/// crosses between the groups of the first s steps.
template <typename Crossing>
std::vector<Priced> priced(const std::vector<int64_t> &linkCosts, size_t steps,
                           int all, Crossing crossing) {
  if (linkCosts.empty() || steps == 0)
    return {{all, 1}};
  std::vector<Priced> list = {{all, linkCosts[steps - 1]}};
  for (size_t s = 1; s < steps; ++s)
    if (const int64_t more = linkCosts[s - 1] - linkCosts[s]; more != 0)
      list.push_back({crossing(s), more});
  return list;
}

} // namespace

StepNetworks::StepNetworks(const OperatorGraph &graph, PairCosts &costs)
    : graph(graph), costs(costs) {
  Numbering keys;
  std::vector<int> counts; // per key
  const auto count = [&](size_t op, size_t i) -> int & {
    const size_t number =
        keys.number({graph.operators[op].operands[i].tensor,
                     costs.operatorClass(int(op)), int64_t(i)});
    counts.resize(std::max(counts.size(), number + 1));
    return counts[number];
  };
  for (size_t op = 0; op < graph.operators.size(); ++op)
    for (size_t i = 0; i < graph.operators[op].operands.size(); ++i)
      ++count(op, i);
  for (size_t op = 0; op < graph.operators.size(); ++op) {
    alike.emplace_back();
    for (size_t i = 0; i < graph.operators[op].operands.size(); ++i) {
      alike.back().push_back(count(op, i));
      someAlike = someAlike || alike.back().back() >= kManyReaders;
    }
  }
}

std::vector<Priced> StepNetworks::write(const CandidateLists &lists, int op,
                                        const std::vector<int64_t> &linkCosts) {
  const int rows = lists.operators[op];
  const int columns = lists.tensors[graph.operators[op].result];
  return priced(linkCosts, costs.candidates(rows).ways.size(),
                costs.write(op, rows, columns), [&](size_t steps) {
                  return costs.crossingWrite(op, rows, columns, steps);
                });
}

std::vector<Priced> StepNetworks::read(const CandidateLists &lists, int op,
                                       int operand,
                                       const std::vector<int64_t> &linkCosts) {
  const int rows = lists.operators[op];
  const int columns =
      lists.tensors[graph.operators[op].operands[operand].tensor];
  return priced(linkCosts, costs.candidates(rows).ways.size(),
                costs.read(op, operand, rows, columns, Count::Region),
                [&](size_t steps) {
                  return costs.crossingRead(op, operand, rows, columns, steps);
                });
}

network::Problem StepNetworks::make(const CandidateLists &lists,
                                    const CandidateLists *tieLists,
                                    Sharing sharing,
                                    const std::vector<int64_t> &linkCosts) {
  Builder builder(graph, costs, lists);
  // Operators that are alike, and have alike neighbours, have the same tables.
  Numbering keys;
  Numbering::Key key;
  std::vector<std::vector<int>> known; // per key
  for (int op = 0; op < int(graph.operators.size()); ++op) {
    const Operator &current = graph.operators[op];
    const auto readers = [&](size_t i) {
      return sharing == Sharing::None ? 1 : alike[op][i];
    };
    key = {costs.operatorClass(op), lists.operators[op],
           lists.tensors[current.result]};
    for (size_t i = 0; i < current.operands.size(); ++i) {
      key.push_back(lists.tensors[current.operands[i].tensor]);
      key.push_back(readers(i));
    }
    const int number = keys.number(key);
    const bool isNew = number == int(known.size());
    if (isNew)
      known.emplace_back();
    std::vector<int> &tables = known[number];
    if (isNew) {
      const std::vector<Priced> none;
      tables.push_back(
          builder.table(op, current.result, write(lists, op, linkCosts),
                        tieLists ? write(*tieLists, op, linkCosts) : none, 1));
      for (size_t i = 0; i < current.operands.size(); ++i)
        tables.push_back(builder.table(
            op, current.operands[i].tensor, read(lists, op, int(i), linkCosts),
            tieLists ? read(*tieLists, op, int(i), linkCosts) : none,
            readers(i)));
    }
    builder.add(op, current.result, tables[0]);
    for (size_t i = 0; i < current.operands.size(); ++i)
      builder.add(op, current.operands[i].tensor, tables[i + 1]);
  }
  builder.preferFirst();
  return builder.take();
}

int64_t StepNetworks::bytes(const CandidateLists &lists,
                            const std::vector<int> &values) {
  const size_t tensors = graph.tensors.size();
  int64_t sum = 0;
  bool counted = true;
  for (int op = 0; op < int(graph.operators.size()); ++op) {
    const Operator &current = graph.operators[op];
    const int list = lists.operators[op];
    const auto at = [&](int table, int tensor) {
      const auto &columns = costs.candidates(lists.tensors[tensor]).histories;
      const int64_t bytes = costs.bytes(
          table)[values[tensors + op] * columns.size() + values[tensor]];
      counted &= bytes < costs.most();
      return bytes;
    };
    sum += at(costs.write(op, list, lists.tensors[current.result]),
              current.result);
    for (int i = 0; i < int(current.operands.size()); ++i) {
      const int tensor = current.operands[i].tensor;
      sum += at(costs.read(op, i, list, lists.tensors[tensor], Count::Region),
                tensor);
    }
  }
  return counted ? sum : kMostBytes;
}

network::Problem partition::makeBoundNetwork(const OperatorGraph &graph,
                                             PairCosts &costs,
                                             const CandidateLists &lists,
                                             Count count) {
  std::vector<int64_t> readers(graph.tensors.size());
  for (const Operator &op : graph.operators)
    for (size_t i = 0; i < op.operands.size(); ++i)
      readers[op.operands[i].tensor] += !repeatsEarlier(op, i);

  Builder builder(graph, costs, lists);
  for (int op = 0; op < int(graph.operators.size()); ++op) {
    const Operator &current = graph.operators[op];
    const int list = lists.operators[op];
    builder.add(
        op, current.result,
        builder.table(op, current.result,
                      costs.write(op, list, lists.tensors[current.result]), 1));
    for (int i = 0; i < int(current.operands.size()); ++i) {
      const int tensor = current.operands[i].tensor;
      if (!repeatsEarlier(current, i))
        builder.add(
            op, tensor,
            builder.table(op, tensor,
                          costs.read(op, i, list, lists.tensors[tensor], count),
                          readers[tensor]));
    }
  }
  return builder.take();
}
