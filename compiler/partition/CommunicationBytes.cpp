#include "compiler/partition/CommunicationBytes.h"

#include "compiler/partition/Needed.h"

#include <set>

using namespace smex;
using namespace smex::partition;

namespace {

Needed neededBy(const OperatorGraph &graph, const PartitionPlan &plan, int op,
                int operand, int64_t worker) {
  const Operand &read = graph.operators[op].operands[operand];
  return neededOf(read, indexBox(graph, plan, op, worker),
                  graph.tensors[read.tensor].shape);
}

/// Whether the two differ by no more than the steps that divide the operator:
/// the groups of a step that leaves it whole each compute all of it, and each
/// serve themselves. So do groups that keep their terms of it.
bool serves(const PartitionPlan &plan, int op, int result, int64_t producer,
            int64_t worker) {
  const Ways ways = plan.ways();
  const std::vector<int64_t> from = digitsOf(ways, producer),
                             to = digitsOf(ways, worker);
  for (size_t s = 0; s < ways.size(); ++s)
    if (from[s] != to[s] && (plan.steps[s].operators[size_t(op)].isWhole() ||
                             plan.steps[s].tensors[size_t(result)].isTerm()))
      return false;
  return true;
}

/// Per tensor, the (operator, operand) pairs that read it.
using Readers = std::vector<std::pair<int, int>>;
std::vector<Readers> readersOf(const OperatorGraph &graph) {
  std::vector<Readers> readers(graph.tensors.size());
  for (size_t op = 0; op < graph.operators.size(); ++op)
    for (size_t i = 0; i < graph.operators[op].operands.size(); ++i)
      readers[graph.operators[op].operands[i].tensor].push_back({op, i});
  return readers;
}

/// What the readers of a tensor fetch each for itself, less what they fetch
/// together.
int64_t savedBytes(const OperatorGraph &graph, const PartitionPlan &plan,
                   int tensor, const Readers &readers) {
  std::vector<Region> needed(readers.size());
  std::vector<Box> owned;
  int64_t saved = 0;
  for (int64_t g = 0; g < plan.workers(); ++g) {
    owned.push_back(ownedBox(graph, plan, tensor, g));
    for (size_t i = 0; i < readers.size(); ++i) {
      const auto &[op, operand] = readers[i];
      needed[i].push_back(neededBy(graph, plan, op, operand, g));
      saved += missing(needed[i].back(), owned.back());
    }
  }
  for (const JoinedFetch &fetch : fetchesOf(needed, owned))
    saved -= missing(fetch.region, owned);
  return saved * graph.tensors[tensor].elementBytes;
}

/// `crossing(s)`: bytes between the groups of the first s steps. Those that no
/// step before the s-th parts are what crosses with it, less without it.
template <typename Crossing>
int64_t costOf(const PartitionPlan &plan, const std::vector<int64_t> &costs,
               Crossing crossing) {
  int64_t sum = 0;
  for (size_t s = 0; s < plan.steps.size(); ++s)
    sum += costs[s] * (crossing(s + 1) - (s > 0 ? crossing(s) : 0));
  return sum;
}

} // namespace

int64_t partition::readBytes(const OperatorGraph &graph,
                             const PartitionPlan &plan, int op, int operand,
                             size_t steps) {
  const int tensor = graph.operators[op].operands[operand].tensor;
  // What the workers of a group own together.
  const Divisions ofGroup =
      firstSteps(divisionsOf(plan, &Step::tensors, size_t(tensor)),
                 std::min(steps, plan.steps.size()));
  int64_t elements = 0;
  for (int64_t g = 0; g < plan.workers(); ++g)
    elements +=
        missing(neededBy(graph, plan, op, operand, g),
                shareOf(graph.tensors[tensor].shape, ofGroup, plan.ways(), g));
  return elements * graph.tensors[tensor].elementBytes;
}

int64_t partition::writeBytes(const OperatorGraph &graph,
                              const PartitionPlan &plan, int op, size_t steps) {
  const Ways ways = plan.ways();
  int64_t size = 1; // of a group
  for (size_t s = std::min(steps, ways.size()); s < ways.size(); ++s)
    size *= ways[s];
  const int tensor = graph.operators[op].result;
  const size_t rank = graph.tensors[tensor].shape.size();
  const bool ofNothing = isReductionOfNothing(graph, graph.operators[op]);
  if (ofNothing &&
      cutsFrom(divisionsOf(plan, &Step::operators, size_t(op)), rank))
    return 0;
  int64_t elements = 0;
  std::set<std::vector<std::pair<int64_t, int64_t>>> parts; // of the reduction
  for (int64_t producer = 0; producer < plan.workers(); ++producer) {
    Box produced = indexBox(graph, plan, op, producer);
    if (ofNothing && !produced.isAbsent())
      produced.resize(rank);
    if (isEmpty(produced))
      continue;
    std::vector<std::pair<int64_t, int64_t>> part;
    for (size_t v = rank; v < produced.size(); ++v)
      part.emplace_back(produced[v].lo, produced[v].hi);
    parts.insert(std::move(part));
    produced.resize(rank);
    for (int64_t g = 0; g < plan.workers(); ++g)
      if (g / size != producer / size && serves(plan, op, tensor, producer, g))
        elements +=
            volume(intersect(ownedBox(graph, plan, tensor, g), produced));
  }
  return elements *
         resultBytes(graph, graph.operators[op], int64_t(parts.size()));
}

int64_t partition::communicationBytes(const OperatorGraph &graph,
                                      const PartitionPlan &plan) {
  int64_t bytes = 0;
  for (size_t op = 0; op < graph.operators.size(); ++op) {
    for (size_t i = 0; i < graph.operators[op].operands.size(); ++i)
      bytes += readBytes(graph, plan, int(op), int(i));
    bytes += writeBytes(graph, plan, int(op));
  }
  return bytes;
}

int64_t partition::readCost(const OperatorGraph &graph,
                            const PartitionPlan &plan, int op, int operand,
                            const std::vector<int64_t> &costs) {
  return costOf(plan, costs, [&](size_t steps) {
    return readBytes(graph, plan, op, operand, steps);
  });
}

int64_t partition::writeCost(const OperatorGraph &graph,
                             const PartitionPlan &plan, int op,
                             const std::vector<int64_t> &costs) {
  return costOf(plan, costs, [&](size_t steps) {
    return writeBytes(graph, plan, op, steps);
  });
}

int64_t partition::sharedReadBytes(const OperatorGraph &graph,
                                   const PartitionPlan &plan, int tensor) {
  const Readers readers = readersOf(graph)[tensor];
  int64_t bytes = -savedBytes(graph, plan, tensor, readers);
  for (const auto &[op, operand] : readers)
    bytes += readBytes(graph, plan, op, operand);
  return bytes;
}

int64_t partition::sharedCommunicationBytes(const OperatorGraph &graph,
                                            const PartitionPlan &plan) {
  return communicationBytes(graph, plan) - bytesSavedBySharing(graph, plan);
}

int64_t partition::bytesSavedBySharing(const OperatorGraph &graph,
                                       const PartitionPlan &plan) {
  const std::vector<Readers> readers = readersOf(graph);
  int64_t bytes = 0;
  for (size_t tensor = 0; tensor < readers.size(); ++tensor)
    if (readers[tensor].size() > 1)
      bytes += savedBytes(graph, plan, int(tensor), readers[tensor]);
  return bytes;
}
