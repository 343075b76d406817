#include "compiler/partition/Coarsen.h"

#include "compiler/partition/ElementWise.h"

#include <numeric>

using namespace smex;
using namespace smex::partition;

namespace {

/// Sets of variables that are decided together.
class Joined {
public:
  explicit Joined(size_t count) : parents(count) {
    std::iota(parents.begin(), parents.end(), 0);
  }
  int find(int v) {
    while (parents[v] != v)
      v = parents[v] = parents[parents[v]];
    return v;
  }
  void join(int a, int b) {
    a = find(a);
    b = find(b);
    parents[std::max(a, b)] = std::min(a, b);
  }

private:
  std::vector<int> parents;
};

} // namespace

std::vector<int>
partition::coarsen(const PlanBuilder &builder,
                   const std::function<bool(int, int)> &areAlike,
                   const std::vector<int> &tied) {
  const OperatorGraph &graph = builder.graph;
  const int tensors = int(graph.tensors.size());
  const int variables = tensors + int(graph.operators.size());
  Joined groups{size_t(variables)};
  // Values go by their place, so both must have the same ones.
  const auto join = [&](int a, int b) {
    if (areAlike(groups.find(a), groups.find(b)))
      groups.join(a, b);
  };
  const auto joinClasses = [&](const std::vector<int> &classes) {
    std::map<int, int> first;
    for (int v = 0; v < int(classes.size()); ++v)
      join(first.try_emplace(classes[v], v).first->second, v);
  };
  joinClasses(builder.timesteps());
  joinClasses(tied);
  for (int op = 0; op < int(graph.operators.size()); ++op) {
    const Operator &current = graph.operators[op];
    if (!isElementWise(graph, current))
      continue;
    join(tensors + op, current.result);
    for (const Operand &operand : current.operands)
      if (isElementWise(graph, current, operand))
        join(tensors + op, operand.tensor);
  }
  Patterns<int> classes;
  std::vector<int> result;
  for (int v = 0; v < variables; ++v)
    result.push_back(classes.number(groups.find(v)));
  return result;
}

std::vector<int> partition::coarsen(const PlanBuilder &builder,
                                    const NextStep &step) {
  return coarsen(builder, [&](int a, int b) {
    return step.options[a] == step.options[b];
  });
}
