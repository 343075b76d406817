#include "compiler/partition/Sums.h"

#include "dialects/support/Terms.h"

#include <algorithm>
#include <map>

using namespace smex;
using namespace smex::partition;

namespace {

constexpr int kNone = -1;

size_t rankOf(const OperatorGraph &graph, const Operator &op) {
  return graph.tensors[size_t(op.result)].shape.size();
}

/// Finds which operators are inside of a sum of sums.
class Sums {
public:
  explicit Sums(const OperatorGraph &graph)
      : graph(graph), readers(graph.tensors.size(), 0),
        makers(graph.tensors.size(), kNone), leaves(graph.operators.size()),
        inside(graph.operators.size(), kNone) {
    for (size_t o = 0; o < graph.operators.size(); ++o) {
      makers[size_t(graph.operators[o].result)] = int(o);
      for (const Operand &operand : graph.operators[o].operands)
        ++readers[size_t(operand.tensor)];
    }
    for (size_t o = 0; o < graph.operators.size(); ++o)
      if (graph.operators[o].isLinear)
        addUp(int(o));
    // A reader comes after what it reads.
    for (size_t o = graph.operators.size(); o-- > 0;)
      if (inside[o] == kNone && leaves[o].size() > 1)
        keep(int(o), int(o));
      else if (inside[o] == kNone)
        leaves[o].clear();
  }

  /// What an operator adds up in the end, if others are inside of it.
  const std::vector<int> &leavesOf(size_t op) const { return leaves[op]; }
  /// The operator that it is inside of, or -1.
  int outerOf(size_t op) const { return inside[op]; }

private:
  /// An operator may be inside of another one, which alone reads its result.
  bool isHidden(int tensor) const {
    const Tensor &result = graph.tensors[size_t(tensor)];
    return makers[size_t(tensor)] != kNone && readers[size_t(tensor)] == 1 &&
           !result.isOutput && !result.isParameter;
  }

  bool isReduction(const Operator &op) const {
    return op.isSum && op.extents.size() > rankOf(graph, op) &&
           std::any_of(op.splits.begin(), op.splits.end(), [&](int index) {
             return size_t(index) >= rankOf(graph, op);
           });
  }

  void addUp(int op) {
    std::vector<int> all;
    for (const Operand &operand : graph.operators[size_t(op)].operands) {
      if (!isHidden(operand.tensor))
        return;
      const int maker = makers[size_t(operand.tensor)];
      if (isReduction(graph.operators[size_t(maker)]))
        all.push_back(maker);
      else if (leaves[size_t(maker)].empty())
        return;
      const std::vector<int> &more = leaves[size_t(maker)];
      all.insert(all.end(), more.begin(), more.end());
    }
    const std::vector<int64_t> &shape = graph.operators[size_t(op)].extents;
    for (int leaf : all) {
      const auto &extents = graph.operators[size_t(leaf)].extents;
      if (extents != graph.operators[size_t(all.front())].extents ||
          extents.size() < shape.size() ||
          !std::equal(shape.begin(), shape.end(), extents.begin()))
        return;
    }
    leaves[size_t(op)] = std::move(all);
  }

  /// All that the operator reads is inside of `outer`.
  void keep(int op, int outer) {
    for (const Operand &operand : graph.operators[size_t(op)].operands) {
      const int maker = makers[size_t(operand.tensor)];
      inside[size_t(maker)] = outer;
      if (!leaves[size_t(maker)].empty())
        keep(maker, outer);
    }
  }

  const OperatorGraph &graph;
  std::vector<int> readers, makers;     // by tensor
  std::vector<std::vector<int>> leaves; // by operator
  std::vector<int> inside;
};

/// The leaves as one operator that makes what `root` does.
Operator joined(const OperatorGraph &graph, const Operator &root,
                const std::vector<int> &leaves) {
  Operator op = graph.operators[size_t(leaves.front())];
  op.name = root.name;
  op.result = root.result;
  op.group = root.group;
  op.operands.clear();
  for (int number : leaves) {
    const Operator &leaf = graph.operators[size_t(number)];
    op.operands.insert(op.operands.end(), leaf.operands.begin(),
                       leaf.operands.end());
    op.splits.erase(std::remove_if(op.splits.begin(), op.splits.end(),
                                   [&](int index) {
                                     return std::find(leaf.splits.begin(),
                                                      leaf.splits.end(),
                                                      index) ==
                                            leaf.splits.end();
                                   }),
                    op.splits.end());
  }
  return op;
}

/// Whether each worker that has results has terms of them.
bool allHaveTerms(const Operator &op, size_t rank, const Divisions &divisions,
                  const Ways &ways) {
  const std::vector<Box> boxes = sharesOf(op.extents, divisions, ways);
  return std::all_of(boxes.begin(), boxes.end(), [&](const Box &box) {
    return isEmpty(front(box, rank)) || !isEmpty(box);
  });
}

} // namespace

JoinedSums partition::joinSums(const OperatorGraph &graph) {
  const Sums sums(graph);
  JoinedSums result;
  std::vector<bool> isInside(graph.tensors.size(), false);
  for (size_t o = 0; o < graph.operators.size(); ++o)
    if (sums.outerOf(o) != kNone)
      isInside[size_t(graph.operators[o].result)] = true;
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    result.tensors.push_back(isInside[t] ? kNone
                                         : int(result.graph.tensors.size()));
    if (!isInside[t])
      result.graph.tensors.push_back(graph.tensors[t]);
  }
  for (partition::Tensor &tensor : result.graph.tensors)
    if (tensor.gradientOf >= 0)
      tensor.gradientOf = result.tensors[size_t(tensor.gradientOf)];
  result.operators.assign(graph.operators.size(), kNone);
  for (size_t o = 0; o < graph.operators.size(); ++o) {
    if (sums.outerOf(o) != kNone)
      continue;
    result.operators[o] = int(result.graph.operators.size());
    const Operator &op = graph.operators[o];
    const std::vector<int> &leaves = sums.leavesOf(o);
    Operator made = leaves.empty() ? op : joined(graph, op, leaves);
    made.result = result.tensors[size_t(made.result)];
    for (Operand &operand : made.operands)
      operand.tensor = result.tensors[size_t(operand.tensor)];
    result.graph.operators.push_back(std::move(made));
  }
  for (size_t o = 0; o < graph.operators.size(); ++o)
    if (const int outer = sums.outerOf(o); outer != kNone)
      result.operators[o] = result.operators[size_t(outer)];
  return result;
}

PartitionPlan partition::inTerms(const OperatorGraph &graph,
                                 const JoinedSums &joined, PartitionPlan plan) {
  const Ways ways = plan.ways();
  const PartitionPlan decided = plan;
  for (Step &step : plan.steps) {
    step.tensors.assign(graph.tensors.size(), Division());
    step.operators.assign(graph.operators.size(), Division());
  }
  const auto decide = [&](std::vector<Division> Step::*what, size_t id,
                          const Divisions &divisions) {
    for (size_t s = 0; s < plan.steps.size(); ++s)
      (plan.steps[s].*what)[id] = divisions[s];
  };
  // Found once for all that is inside of a sum.
  std::map<int, Divisions> terms;
  const auto termsOf = [&](int number) -> const Divisions & {
    const auto [entry, isNew] = terms.try_emplace(number);
    if (!isNew)
      return entry->second;
    const Operator &sum = joined.graph.operators[size_t(number)];
    const size_t rank = rankOf(joined.graph, sum);
    const Divisions of = divisionsOf(decided, &Step::operators, size_t(number));
    // Else each sum is made whole where the last one is.
    return entry->second =
               allHaveTerms(sum, rank, of, ways)
                   ? leftInTerms(of, rank)
                   : divisionsOf(decided, &Step::tensors, size_t(sum.result));
  };
  for (size_t t = 0; t < graph.tensors.size(); ++t)
    if (joined.tensors[t] != kNone)
      decide(&Step::tensors, t,
             divisionsOf(decided, &Step::tensors, size_t(joined.tensors[t])));
  for (size_t o = 0; o < graph.operators.size(); ++o) {
    const Operator &op = graph.operators[o];
    const int number = joined.operators[o];
    const Operator &outer = joined.graph.operators[size_t(number)];
    const Divisions of = divisionsOf(decided, &Step::operators, size_t(number));
    const bool isInside = joined.tensors[size_t(op.result)] == kNone;
    // An operator that is joined to no other, or what such a sum is made of.
    const bool adds = op.isLinear && op.extents != outer.extents;
    if (!adds)
      decide(&Step::operators, o, of);
    if (!isInside && !adds)
      continue;
    if (adds)
      decide(&Step::operators, o, termsOf(number));
    if (isInside)
      decide(&Step::tensors, size_t(op.result), termsOf(number));
  }
  return plan;
}
