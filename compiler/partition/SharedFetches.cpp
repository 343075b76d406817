#include "compiler/partition/SharedFetches.h"

#include "compiler/partition/Needed.h"
#include "compiler/partition/Numbering.h"

#include <algorithm>

using namespace smex;
using namespace smex::partition;

namespace {

/// A number for what an operator's class and cuts are.
std::vector<int> numberCuts(const OperatorGraph &graph,
                            const PartitionPlan &plan, const PairCosts &costs) {
  Numbering numbers;
  Numbering::Key key;
  std::vector<int> result;
  for (int op = 0; op < int(graph.operators.size()); ++op) {
    key = {costs.operatorClass(op)};
    for (const Step &step : plan.steps)
      step.operators[op].appendTo(key);
    result.push_back(numbers.number(key));
  }
  return result;
}

struct Reader {
  int cuts, operand, op;
  int64_t count; // of those like it
};

/// Those alike once, with their count.
std::vector<Reader> distinct(std::vector<Reader> readers) {
  std::sort(readers.begin(), readers.end(), [](const auto &a, const auto &b) {
    return std::tie(a.cuts, a.operand, a.op) <
           std::tie(b.cuts, b.operand, b.op);
  });
  std::vector<Reader> result;
  for (const Reader &reader : readers)
    if (!result.empty() && result.back().cuts == reader.cuts &&
        result.back().operand == reader.operand)
      ++result.back().count;
    else
      result.push_back(reader);
  return result;
}

int64_t savedBytes(const OperatorGraph &graph, const PartitionPlan &plan,
                   int tensor, const std::vector<Reader> &readers) {
  const auto &shape = graph.tensors[tensor].shape;
  std::vector<Region> needed(readers.size());
  std::vector<Box> owned;
  int64_t saved = 0;
  for (int64_t g = 0; g < plan.workers(); ++g) {
    owned.push_back(ownedBox(graph, plan, tensor, g));
    for (size_t i = 0; i < readers.size(); ++i) {
      const Reader &reader = readers[i];
      needed[i].push_back(
          neededOf(graph.operators[reader.op].operands[reader.operand],
                   indexBox(graph, plan, reader.op, g), shape));
      saved += missing(needed[i].back(), owned.back()) * reader.count;
    }
  }
  for (const JoinedFetch &fetch : fetchesOf(needed, owned))
    saved -= missing(fetch.region, owned);
  return saved * graph.tensors[tensor].elementBytes;
}

} // namespace

int64_t partition::bytesSavedByFetchingOnce(const OperatorGraph &graph,
                                            const PartitionPlan &plan,
                                            const PairCosts &costs) {
  const std::vector<int> cuts = numberCuts(graph, plan, costs);
  std::vector<std::vector<Reader>> readers(graph.tensors.size());
  for (int op = 0; op < int(graph.operators.size()); ++op) {
    const auto &operands = graph.operators[op].operands;
    for (size_t i = 0; i < operands.size(); ++i)
      readers[operands[i].tensor].push_back({cuts[op], int(i), op, 1});
  }
  Numbering known;
  Numbering::Key key;
  std::vector<int64_t> saved; // per key
  int64_t bytes = 0;
  for (int t = 0; t < int(readers.size()); ++t) {
    if (readers[t].size() < 2)
      continue;
    const std::vector<Reader> unique = distinct(std::move(readers[t]));
    key = {costs.tensorClass(t)};
    for (const Step &step : plan.steps)
      step.tensors[t].appendTo(key);
    for (const Reader &reader : unique)
      key.insert(key.end(), {reader.cuts, reader.operand, reader.count});
    const int number = known.number(key);
    if (number == int(saved.size()))
      saved.push_back(savedBytes(graph, plan, t, unique));
    bytes += saved[number];
  }
  return bytes;
}
