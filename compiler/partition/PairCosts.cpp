#include "compiler/partition/PairCosts.h"

#include "compiler/partition/Contiguous.h"

#include <set>

using namespace smex;
using namespace smex::partition;
using analysis::IntervalProgram;

namespace {

/// Two dimensions that depend on one index variable read a diagonal, not all of
/// the product of their intervals.
bool isProduct(const Operand &operand) {
  std::vector<int> seen;
  for (size_t d = 0; d < operand.access.dims.size(); ++d)
    for (int index : d == 0 && operand.rows
                         ? operand.rows->variables()
                         : indicesOf(operand.access.dims[d])) {
      if (std::find(seen.begin(), seen.end(), index) != seen.end())
        return false;
      seen.push_back(index);
    }
  return true;
}

void append(Numbering::Key &key, const History &history) {
  for (const Division &division : history)
    division.appendTo(key);
}

template <typename Value>
void append(Numbering::Key &key, const std::vector<Value> &values) {
  key.push_back(int64_t(values.size()));
  key.insert(key.end(), values.begin(), values.end());
}

void append(Numbering::Key &key, const Operand &operand) {
  key.push_back(int64_t(reinterpret_cast<intptr_t>(operand.rows.get())));
  for (const IntervalProgram &program : operand.access.dims) {
    key.push_back(int64_t(program.code.size()));
    for (const auto &instruction : program.code) {
      key.push_back(instruction.code);
      key.push_back(instruction.value);
    }
  }
}

} // namespace

PairCosts::PairCosts(const OperatorGraph &graph) : graph(graph) {
  int64_t tables = 1;
  for (const Operator &op : graph.operators)
    tables += 1 + int64_t(op.operands.size());
  mostBytes = kMostBytes / tables;
  Numbering tensorKeys, operatorKeys;
  Numbering::Key key;
  for (const Tensor &tensor : graph.tensors) {
    key = {tensor.elementBytes};
    append(key, tensor.shape);
    tensorClasses.push_back(tensorKeys.number(key));
  }
  for (const Operator &op : graph.operators) {
    key = {tensorClasses[op.result]};
    append(key, op.extents);
    append(key, op.splits);
    key.push_back(op.partialBytes);
    for (const Operand &operand : op.operands) {
      key.push_back(tensorClasses[operand.tensor]);
      append(key, operand);
    }
    operatorClasses.push_back(operatorKeys.number(key));
  }
}

int PairCosts::add(const Candidates &candidates) {
  Numbering::Key key = candidates.ways;
  for (const History &history : candidates.histories)
    append(key, history);
  // Tell where the histories begin, how long and how many they are.
  key.push_back(int64_t(candidates.ways.size()));
  key.push_back(int64_t(candidates.histories.size()));
  const int list = listKeys.number(key);
  if (list == int(lists.size()))
    lists.push_back(candidates);
  return list;
}

const Groups &PairCosts::groupsOf(const std::vector<int64_t> &ways) {
  const auto it = groups.find(ways);
  return it != groups.end() ? it->second
                            : groups.emplace(ways, Groups(ways)).first->second;
}

template <typename Make>
void PairCosts::addTable(const Numbering::Key &key, Make make) {
  contentOf.push_back(contentKeys.number(key));
  if (contentOf.back() == int(contents.size()))
    contents.push_back(make());
}

int PairCosts::read(int op, int operand, int operatorList, int tensorList,
                    Count count) {
  const int table = tableKeys.number(
      {operatorClasses[op], operand, operatorList, tensorList, int(count)});
  if (table < int(contentOf.size()))
    return table;
  const Operator &reader = graph.operators[op];
  const Operand &read = reader.operands[operand];
  Numbering::Key key{operatorList, tensorList, int(count),
                     tensorClasses[read.tensor]};
  append(key, reader.extents);
  append(key, read);
  addTable(key, [&] {
    return makeRead(reader, read, lists[operatorList], lists[tensorList],
                    count);
  });
  return table;
}

std::vector<int64_t> PairCosts::makeRead(const Operator &reader,
                                         const Operand &read,
                                         const Candidates &rows,
                                         const Candidates &columns,
                                         Count count) {
  const Tensor &tensor = graph.tensors[read.tensor];
  std::vector<int64_t> table(rows.histories.size() * columns.histories.size());
  if (count == Count::Guaranteed && !isProduct(read))
    return table;
  const Overlaps overlaps =
      findOverlaps(read.access.dims, read.rows.get(), tensor.shape,
                   reader.extents, rows, columns, groupsOf(rows.ways), count);
  for (size_t i = 0; i < table.size(); ++i)
    table[i] =
        std::min(mostBytes, (overlaps.needed[i / columns.histories.size()] -
                             overlaps.both[i]) *
                                tensor.elementBytes);
  return table;
}

int PairCosts::write(int op, int operatorList, int tensorList) {
  return crossingWrite(op, operatorList, tensorList,
                       lists[operatorList].ways.size());
}

int PairCosts::crossingRead(int op, int operand, int operatorList,
                            int tensorList, size_t steps) {
  // What a group owns together is what its steps leave it.
  Candidates ofGroups = lists[tensorList];
  for (History &history : ofGroups.histories)
    history = firstSteps(history, steps);
  return read(op, operand, operatorList, add(ofGroups), Count::Region);
}

int PairCosts::crossingWrite(int op, int operatorList, int tensorList,
                             size_t steps) {
  const int table = tableKeys.number(
      {operatorClasses[op], -1, operatorList, tensorList, int64_t(steps)});
  if (table < int(contentOf.size()))
    return table;
  const Operator &writer = graph.operators[op];
  Numbering::Key key{operatorList, tensorList, -1, tensorClasses[writer.result],
                     int64_t(steps)};
  append(key, writer.extents);
  key.push_back(writer.partialBytes);
  addTable(key, [&] {
    return makeWrite(writer, lists[operatorList], lists[tensorList], steps);
  });
  return table;
}

/// What the workers fetch of the result of an operator, counted worker by
/// worker: where groups are not all alike, there is no shorter way.
int64_t PairCosts::countWrite(const Operator &writer, const History &ofOperator,
                              const History &ofTensor, const Ways &ways,
                              size_t steps) {
  const auto &shape = graph.tensors[writer.result].shape;
  // Where no reduction variable is cut.
  const std::vector<int64_t> &extents =
      isReductionOfNothing(graph, writer) ? shape : writer.extents;
  const std::vector<Box> computed = sharesOf(extents, ofOperator, ways);
  const int64_t size = workersOf({ways.begin() + int64_t(steps), ways.end()});
  std::set<std::vector<int64_t>> parts; // of the reduction
  __int128 elements = 0;
  for (int64_t g = 0; g < int64_t(computed.size()); ++g) {
    std::vector<int64_t> part;
    for (size_t v = shape.size(); v < extents.size(); ++v)
      part.insert(part.end(), {computed[g][v].lo, computed[g][v].hi});
    if (!isEmpty(computed[g]))
      parts.insert(std::move(part));
    Box wanted = shareOf(shape, ofTensor, ways, g);
    for (size_t v = shape.size(); v < extents.size(); ++v)
      wanted.push_back({0, extents[v]});
    for (const Piece &piece : piecesOf(wanted, extents, ofOperator, ways, g))
      elements += piece.worker / size == g / size
                      ? 0
                      : volume(front(piece.box, shape.size()));
  }
  return int64_t(std::min<__int128>(
      mostBytes, elements * resultBytes(graph, writer, int64_t(parts.size()))));
}

std::vector<int64_t> PairCosts::makeWrite(const Operator &writer,
                                          const Candidates &rows,
                                          const Candidates &columns,
                                          size_t steps) {
  const Tensor &tensor = graph.tensors[writer.result];
  const size_t rank = tensor.shape.size();
  const Groups &groups = groupsOf(rows.ways);
  const bool ofNothing = isReductionOfNothing(graph, writer);
  const std::vector<int64_t> &extents =
      ofNothing ? tensor.shape : writer.extents;
  // A group computes of the result what its share spans.
  std::vector<IntervalProgram> computed(rank);
  for (size_t d = 0; d < computed.size(); ++d)
    computed[d].code = {{IntervalProgram::Instruction::Index, int64_t(d)}};
  Candidates ofGroups = rows;
  for (History &history : ofGroups.histories)
    history = firstSteps(history, steps);
  const Overlaps overlaps =
      findOverlaps(computed, nullptr, tensor.shape, extents, ofGroups, columns,
                   groups, Count::Region);
  std::vector<int64_t> table;
  for (size_t row = 0; row < rows.histories.size(); ++row) {
    // Every owner needs every partial result of its part but those of its
    // group: the shares of the result's indices tile the result.
    const History &history = rows.histories[row];
    if (ofNothing && cutsFrom(history, rank)) {
      table.insert(table.end(), columns.histories.size(), 0);
      continue;
    }
    History inGroup = history;
    std::fill_n(inGroup.begin(), steps, Division::whole());
    const auto count = [&](const History &divided) {
      return countPartials(extents, rank, divided, groups);
    };
    const int64_t partials = count(history), ofGroup = count(inGroup);
    const int64_t bytes = resultBytes(graph, writer, partials);
    const bool areAlike =
        count(ofGroups.histories[row]) * ofGroup == partials &&
        std::all_of(
            history.begin(), history.end(),
            [](const Division &division) { return division.bounds().empty(); });
    for (size_t column = 0; column < columns.histories.size(); ++column) {
      if (!areAlike) {
        table.push_back(countWrite(writer, history, columns.histories[column],
                                   rows.ways, steps));
        continue;
      }
      // As many owners times as many partial results as there are workers.
      const __int128 elements = __int128(overlaps.owned[column]) * partials -
                                __int128(overlaps.both[table.size()]) * ofGroup;
      table.push_back(int64_t(std::min<__int128>(mostBytes, elements * bytes)));
    }
  }
  return table;
}
