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

std::vector<int> partition::coarsen(const PlanBuilder &builder,
                                    const NextStep &step) {
  const OperatorGraph &graph = builder.graph;
  const int tensors = int(graph.tensors.size());
  Joined groups(step.options.size());
  std::map<int, int> first; // of each class of timesteps
  for (int v = 0; v < int(step.options.size()); ++v)
    groups.join(first.try_emplace(builder.timesteps()[v], v).first->second, v);
  // Values go by their place, so both must have the same ones.
  const auto join = [&](int a, int b) {
    if (step.options[groups.find(a)] == step.options[groups.find(b)])
      groups.join(a, b);
  };
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
  for (int v = 0; v < int(step.options.size()); ++v)
    result.push_back(classes.number(groups.find(v)));
  return result;
}
