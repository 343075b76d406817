#include "compiler/placement/ir/Layers.h"

#include <algorithm>
#include <unordered_map>

using namespace smex;
using namespace smex::placement;
using partition::Operand;
using partition::Operator;
using partition::OperatorGraph;

namespace {

constexpr int kNone = -1;

std::string scopeOf(const std::string &name) {
  const size_t first = name.find_first_not_of('/');
  return first == std::string::npos
             ? ""
             : name.substr(first, name.find('/', first) - first);
}

/// How many operators come before the first gradient.
size_t forwardOf(const OperatorGraph &graph) {
  size_t o = 0;
  while (o < graph.operators.size() &&
         graph.tensors[size_t(graph.operators[o].result)].gradientOf < 0)
    ++o;
  return o;
}

class Layers {
public:
  explicit Layers(const OperatorGraph &graph)
      : graph(graph), forward(forwardOf(graph)),
        ofTensor(graph.tensors.size(), kNone),
        ofOperator(graph.operators.size(), kNone) {
    numberScopes();
    byScope();
    // A node without a scope is where the last of what it reads is, or else
    // where it is read: labels and the loss, numbers of the optimizer.
    for (size_t o = 0; o < graph.operators.size(); ++o)
      follow(o);
    for (size_t o = graph.operators.size(); o-- > 0;)
      lead(o);
  }

  int count() const { return int(numbers.size()); }
  int tensor(size_t t) const { return std::max(ofTensor[t], 0); }
  int op(size_t o) const { return ofOperator[o]; }

private:
  /// Scopes that have parameters, in the order of their first nodes.
  void numberScopes() {
    std::unordered_map<std::string, bool> hasParameters;
    for (size_t o = 0; o < forward; ++o)
      for (const Operand &operand : graph.operators[o].operands)
        hasParameters[scopeOf(graph.operators[o].name)] |=
            graph.tensors[size_t(operand.tensor)].isParameter;
    for (size_t o = 0; o < forward; ++o)
      if (const std::string scope = scopeOf(graph.operators[o].name);
          hasParameters[scope])
        numbers.try_emplace(scope, count());
  }

  void byScope() {
    std::unordered_map<int, int> ofGroup; // the model's node comes first
    for (size_t o = 0; o < graph.operators.size(); ++o) {
      const Operator &op = graph.operators[o];
      int &layer = ofOperator[o];
      if (const auto known = ofGroup.find(op.group); known != ofGroup.end())
        layer = known->second;
      else if (const auto scope = numbers.find(scopeOf(op.name));
               o < forward && scope != numbers.end())
        layer = scope->second;
      if (layer == kNone)
        continue;
      if (op.group >= 0)
        ofGroup.try_emplace(op.group, layer);
      settle(op, layer);
    }
  }

  /// What nobody has placed yet is where it is first used.
  void settle(const Operator &op, int layer) {
    for (const Operand &operand : op.operands)
      if (ofTensor[size_t(operand.tensor)] == kNone)
        ofTensor[size_t(operand.tensor)] = layer;
    if (ofTensor[size_t(op.result)] == kNone)
      ofTensor[size_t(op.result)] = layer;
  }

  void follow(size_t o) {
    const Operator &op = graph.operators[o];
    int &layer = ofOperator[o];
    if (layer == kNone) {
      layer = ofTensor[size_t(op.result)]; // a parameter that it updates
      if (layer == kNone)
        for (const Operand &operand : op.operands)
          layer = std::max(layer, ofTensor[size_t(operand.tensor)]);
      if (layer != kNone)
        settle(op, layer);
    }
  }

  void lead(size_t o) {
    const Operator &op = graph.operators[o];
    if (ofOperator[o] == kNone)
      ofOperator[o] = tensor(size_t(op.result));
    settle(op, ofOperator[o]);
  }

  const OperatorGraph &graph;
  const size_t forward;
  std::unordered_map<std::string, int> numbers; // of scopes
  std::vector<int> ofTensor, ofOperator;
};

} // namespace

ModelLayers placement::layersOf(const partition::OperatorGraph &graph) {
  const Layers layers(graph);
  ModelLayers found;
  for (size_t t = 0; t < graph.tensors.size(); ++t)
    found.ofTensor.push_back(layers.tensor(t));
  for (size_t o = 0; o < graph.operators.size(); ++o)
    found.ofOperator.push_back(layers.op(o));
  return found;
}
