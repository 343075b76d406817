#include "compiler/partition/StepNetwork.h"

using namespace smex;
using namespace smex::partition;

namespace {

/// Collects the binary costs; equal tables become one.
class Builder {
public:
  Builder(const Graph &graph, const PairCosts &costs,
          const CandidateLists &lists)
      : graph(graph), costs(costs), lists(lists) {
    for (int list : lists.tensors)
      problem.domains.push_back(int(costs.candidates(list).histories.size()));
    for (int list : lists.operators)
      problem.domains.push_back(int(costs.candidates(list).histories.size()));
  }

  /// `bytes` is the number of a table, and so is `ties` unless it is negative.
  /// Both count with one n-th, n = `readers`.
  void add(int op, int tensor, int bytes, int ties, int64_t readers) {
    const int variable = int(graph.tensors.size()) + op;
    const auto [it, isNew] =
        numbers.try_emplace({bytes, ties, readers}, int(problem.tables.size()));
    if (isNew) {
      const auto &first = costs.bytes(bytes);
      network::Table table{problem.domains[variable], problem.domains[tensor],
                           std::vector<network::Cost>(first.size())};
      for (size_t i = 0; i < first.size(); ++i)
        table.costs[i] = {first[i] / readers,
                          ties < 0 ? 0 : costs.bytes(ties)[i] / readers};
      problem.tables.push_back(std::move(table));
    }
    problem.binaries.push_back({variable, tensor, it->second});
  }

  network::Problem take() { return std::move(problem); }

private:
  const Graph &graph;
  const PairCosts &costs;
  const CandidateLists &lists;
  network::Problem problem;
  std::map<std::tuple<int, int, int64_t>, int> numbers;
};

bool readAlike(const Operand &a, const Operand &b) {
  if (a.tensor != b.tensor)
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

/// A tensor, the class of an operator that reads it, and as which operand.
using Reader = std::tuple<int, int, int>;

std::map<Reader, int64_t> countAlike(const Graph &graph,
                                     const PairCosts &costs) {
  std::map<Reader, int64_t> counts;
  for (int op = 0; op < int(graph.operators.size()); ++op)
    for (int i = 0; i < int(graph.operators[op].operands.size()); ++i)
      ++counts[{graph.operators[op].operands[i].tensor, costs.operatorClass(op),
                i}];
  return counts;
}

} // namespace

bool partition::hasAlikeReaders(const Graph &graph, const PairCosts &costs) {
  for (const auto &[reader, count] : countAlike(graph, costs))
    if (count > 1)
      return true;
  return false;
}

network::Problem partition::makeNetwork(const Graph &graph, PairCosts &costs,
                                        const CandidateLists &lists,
                                        const CandidateLists *tieLists,
                                        Sharing sharing) {
  const std::map<Reader, int64_t> alike = countAlike(graph, costs);
  Builder builder(graph, costs, lists);
  for (int op = 0; op < int(graph.operators.size()); ++op) {
    const Operator &current = graph.operators[op];
    const auto write = [&](const CandidateLists &from) {
      return costs.write(op, from.operators[op], from.tensors[current.result]);
    };
    builder.add(op, current.result, write(lists),
                tieLists ? write(*tieLists) : -1, 1);
    for (int i = 0; i < int(current.operands.size()); ++i) {
      const int tensor = current.operands[i].tensor;
      const auto read = [&](const CandidateLists &from) {
        return costs.read(op, i, from.operators[op], from.tensors[tensor],
                          Count::Region);
      };
      const int64_t readers =
          sharing == Sharing::None
              ? 1
              : alike.at({tensor, costs.operatorClass(op), i});
      builder.add(op, tensor, read(lists), tieLists ? read(*tieLists) : -1,
                  readers);
    }
  }
  return builder.take();
}

network::Problem partition::makeBoundNetwork(const Graph &graph,
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
    builder.add(op, current.result,
                costs.write(op, list, lists.tensors[current.result]), -1, 1);
    for (int i = 0; i < int(current.operands.size()); ++i) {
      const int tensor = current.operands[i].tensor;
      if (!repeatsEarlier(current, i))
        builder.add(op, tensor,
                    costs.read(op, i, list, lists.tensors[tensor], count), -1,
                    readers[tensor]);
    }
  }
  return builder.take();
}
