// Operator placement by hand, as models too large for one GPU were trained
// before (thesis section 3.7.1): layer i is on GPU i mod k, its weights,
// gradients and optimizer with it, and activations cross between layers.
//
// What a layer is, names say: nodes of the scope that a name begins with, the
// part before the first slash of "layer3/step0/gates", if they have parameters.
// Of one node, the gradients are where it is.
#include "compiler/partition/Algorithms.h"
#include "compiler/partition/CommunicationBytes.h"

#include <algorithm>
#include <unordered_map>

using namespace smex;
using namespace smex::partition;

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

Result<PartitionPlan> partition::placeByLayers(const OperatorGraph &graph,
                                               int64_t workers,
                                               const Params &) {
  if (Status status = validate(graph, workers); !status)
    return status.takeError();
  const Layers layers(graph);
  const auto place = [&](int layer) {
    return Division::placed(layer % workers);
  };
  Step step;
  step.ways = workers;
  for (size_t t = 0; t < graph.tensors.size(); ++t)
    step.tensors.push_back(place(layers.tensor(t)));
  for (size_t o = 0; o < graph.operators.size(); ++o)
    step.operators.push_back(place(layers.op(o)));
  PartitionPlan plan;
  if (workers > 1)
    plan.steps.push_back(std::move(step));
  plan.bytes = communicationBytes(graph, plan);
  plan.sharedBytes = plan.bytes - bytesSavedBySharing(graph, plan);
  // All on one GPU would move nothing: no better bound is of any use.
  plan.optimal = plan.sharedBytes == 0;
  for (Step &only : plan.steps) {
    only.bytes = plan.bytes;
    only.optimal = plan.bytes == 0;
  }
  return plan;
}
