#include "compiler/partition/PairCosts.h"

#include "compiler/partition/Contiguous.h"

using namespace smex;
using namespace smex::partition;
using analysis::IntervalProgram;

namespace {

/// Two dimensions that depend on one index variable read a diagonal, not all of
/// the product of their intervals.
bool isProduct(const analysis::Access &access) {
  std::vector<int> seen;
  for (const IntervalProgram &program : access.dims)
    for (int index : indicesOf(program)) {
      if (std::find(seen.begin(), seen.end(), index) != seen.end())
        return false;
      seen.push_back(index);
    }
  return true;
}

void append(std::vector<int64_t> &key, const std::vector<int64_t> &values) {
  key.push_back(int64_t(values.size()));
  key.insert(key.end(), values.begin(), values.end());
}

} // namespace

PairCosts::PairCosts(const Graph &graph) : graph(graph) {
  Patterns<Key> tensorKeys, operatorKeys;
  for (const Tensor &tensor : graph.tensors) {
    Key key{tensor.elementBytes};
    append(key, tensor.shape);
    tensorClasses.push_back(tensorKeys.number(key));
  }
  for (const Operator &op : graph.operators) {
    Key key{tensorClasses[op.result]};
    append(key, op.extents);
    append(key, {op.splits.begin(), op.splits.end()});
    for (const Operand &operand : op.operands) {
      key.push_back(tensorClasses[operand.tensor]);
      for (const IntervalProgram &program : operand.access.dims) {
        key.push_back(int64_t(program.code.size()));
        for (const auto &instruction : program.code) {
          key.push_back(instruction.code);
          key.push_back(instruction.value);
        }
      }
    }
    operatorClasses.push_back(operatorKeys.number(key));
  }
}

int PairCosts::add(const Candidates &candidates) {
  Key key = candidates.ways;
  for (const History &history : candidates.histories)
    key.insert(key.end(), history.begin(), history.end());
  // Tell where the histories begin, how long and how many they are.
  key.push_back(int64_t(candidates.ways.size()));
  key.push_back(int64_t(candidates.histories.size()));
  const auto [it, isNew] =
      listNumbers.try_emplace(std::move(key), int(lists.size()));
  if (isNew)
    lists.push_back(candidates);
  return it->second;
}

const Groups &PairCosts::groupsOf(const std::vector<int64_t> &ways) {
  const auto it = groups.find(ways);
  return it != groups.end() ? it->second
                            : groups.emplace(ways, Groups(ways)).first->second;
}

int PairCosts::read(int op, int operand, int operatorList, int tensorList,
                    Count count) {
  const auto [it, isNew] = tableNumbers.try_emplace(
      Key{operatorClasses[op], operand, operatorList, tensorList, int(count)},
      int(tables.size()));
  if (!isNew)
    return it->second;
  const Operator &reader = graph.operators[op];
  const Operand &read = reader.operands[operand];
  const Tensor &tensor = graph.tensors[read.tensor];
  const Candidates &rows = lists[operatorList], &columns = lists[tensorList];
  std::vector<int64_t> table(rows.histories.size() * columns.histories.size());
  if (count == Count::Region || isProduct(read.access)) {
    const Overlaps overlaps =
        findOverlaps(read.access.dims, tensor.shape, reader.extents, rows,
                     columns, groupsOf(rows.ways), count);
    for (size_t i = 0; i < table.size(); ++i)
      table[i] =
          (overlaps.needed[i / columns.histories.size()] - overlaps.both[i]) *
          tensor.elementBytes;
  }
  tables.push_back(std::move(table));
  return it->second;
}

int PairCosts::write(int op, int operatorList, int tensorList) {
  const auto [it, isNew] = tableNumbers.try_emplace(
      Key{operatorClasses[op], -1, operatorList, tensorList},
      int(tables.size()));
  if (!isNew)
    return it->second;
  const Operator &writer = graph.operators[op];
  const Tensor &tensor = graph.tensors[writer.result];
  const Candidates &rows = lists[operatorList], &columns = lists[tensorList];
  const Groups &groups = groupsOf(rows.ways);
  // A group computes of the result what its share spans.
  std::vector<IntervalProgram> computed(tensor.shape.size());
  for (size_t d = 0; d < computed.size(); ++d)
    computed[d].code = {{IntervalProgram::Instruction::Index, int64_t(d)}};
  const Overlaps overlaps = findOverlaps(computed, tensor.shape, writer.extents,
                                         rows, columns, groups, Count::Region);
  std::vector<int64_t> table;
  for (size_t row = 0; row < rows.histories.size(); ++row) {
    // Every owner needs every partial result of its part but its own: the
    // shares of the result's indices tile the result.
    const int64_t partials = countPartials(writer.extents, tensor.shape.size(),
                                           rows.histories[row], groups);
    for (size_t column = 0; column < columns.histories.size(); ++column)
      table.push_back(
          (overlaps.owned[column] * partials - overlaps.both[table.size()]) *
          tensor.elementBytes);
  }
  tables.push_back(std::move(table));
  return it->second;
}
