// Data parallelism: every worker has all parameters and its part of the batch;
// what is summed over the batch is reduced and handed to everybody.
//
// One weird trick (Krizhevsky 2014, thesis section 3.7.3): the same, but fully
// connected layers are cut along their outputs. A layer is one if it uses each
// weight once per sample, where a convolution uses it at every place.
//
// Both hold tensors whole that the choices of other algorithms would not, so
// their lower bound is of plans that may replicate anything.
#include "compiler/partition/Algorithms.h"
#include "compiler/partition/Contiguous.h"
#include "compiler/partition/ElementWise.h"
#include "compiler/partition/Greedy.h"

#include "dialects/support/Tensor.h"

using namespace smex;
using namespace smex::partition;

namespace {

constexpr int kNone = -1;

/// Which dimension of each tensor, and which index variable of each operator,
/// runs over the samples; kNone where none does.
struct Batch {
  int64_t size = 0;
  std::vector<int> tensors, operators;
};

/// Inputs tell: the one of least rank (labels) has the batch first, and in the
/// others it is the first dimension of that size.
Batch findBatch(const OperatorGraph &graph) {
  Batch batch;
  batch.tensors.assign(graph.tensors.size(), kNone);
  std::vector<bool> isInput(graph.tensors.size(), true);
  for (const Operator &op : graph.operators)
    isInput[op.result] = false;
  size_t rank = 0;
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const partition::Tensor &tensor = graph.tensors[t];
    isInput[t] = isInput[t] && !tensor.isParameter && !tensor.shape.empty();
    if (isInput[t] && (rank == 0 || tensor.shape.size() < rank)) {
      rank = tensor.shape.size();
      batch.size = tensor.shape[0];
    }
  }
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const auto &shape = graph.tensors[t].shape;
    const auto it = std::find(shape.begin(), shape.end(), batch.size);
    if (isInput[t] && it != shape.end())
      batch.tensors[t] = int(it - shape.begin());
  }
  for (const Operator &op : graph.operators) {
    int along = kNone;
    for (const Operand &operand : op.operands) {
      const int dimension = batch.tensors[operand.tensor];
      if (dimension == kNone || along != kNone)
        continue;
      for (int index : indicesOf(operand.access.dims[dimension]))
        if (along == kNone && std::find(op.splits.begin(), op.splits.end(),
                                        index) != op.splits.end())
          along = index;
    }
    batch.operators.push_back(along);
    if (along < int(graph.tensors[op.result].shape.size()))
      batch.tensors[op.result] = along;
  }
  for (size_t t = 0; t < graph.tensors.size(); ++t)
    if (graph.tensors[t].isParameter)
      batch.tensors[t] = kNone;
  return batch;
}

/// The place of a cut along a dimension, or else of no cut.
int optionOr(int dimension, const std::vector<Division> &options) {
  for (size_t i = 0; i < options.size(); ++i)
    if (options[i].cuts(dimension))
      return int(i);
  return placeOf(Division::whole(), options);
}

/// The dimension of a fully connected layer's weights that numbers its outputs,
/// per tensor; kNone for all others.
std::vector<int> findOutputs(const OperatorGraph &graph, const Batch &batch) {
  std::vector<int> outputs(graph.tensors.size(), kNone);
  for (size_t o = 0; o < graph.operators.size(); ++o) {
    const Operator &op = graph.operators[o];
    const int rank = int(graph.tensors[op.result].shape.size());
    const auto uses = elementCount(op.extents);
    for (const Operand &operand : op.operands) {
      const partition::Tensor &tensor = graph.tensors[operand.tensor];
      if (!tensor.isParameter || tensor.shape.size() < 2 || !uses ||
          *uses > *elementCount(tensor.shape) * batch.size)
        continue;
      for (size_t d = 0; d < tensor.shape.size(); ++d)
        for (int index : indicesOf(operand.access.dims[d]))
          if (index < rank && index != batch.operators[o] &&
              outputs[operand.tensor] == kNone)
            outputs[operand.tensor] = int(d);
    }
  }
  // Gradients, history and what comes between go with the weights: what
  // follows them, then what they are made from.
  const auto follow = [&](const Operator &op) {
    if (!isElementWise(graph, op) || batch.tensors[op.result] != kNone)
      return;
    int along = outputs[op.result];
    for (const Operand &operand : op.operands)
      if (isElementWise(graph, op, operand))
        along = std::max(along, outputs[operand.tensor]);
    outputs[op.result] = along;
    for (const Operand &operand : op.operands)
      if (isElementWise(graph, op, operand))
        outputs[operand.tensor] = along;
  };
  std::for_each(graph.operators.begin(), graph.operators.end(), follow);
  std::for_each(graph.operators.rbegin(), graph.operators.rend(), follow);
  return outputs;
}

Result<PartitionPlan> byBatch(const OperatorGraph &graph, int64_t workers,
                              const Params &given, bool trick) {
  Params params = given;
  params.alwaysCut = false;
  params.wholeTensorShare = params.wholeOperatorShare = 1; // all may be whole
  return planInOneStep(
      graph, workers, params, /*isCoarsened=*/false,
      [&](const NextStep &step, const std::vector<int> &, Greedy &greedy) {
        const int tensors = int(graph.tensors.size());
        const Batch batch = findBatch(graph);
        std::vector<int> outputs(tensors, kNone);
        if (trick)
          outputs = findOutputs(graph, batch);
        for (int t = 0; t < tensors; ++t)
          greedy.decide(
              t, optionOr(outputs[t] != kNone ? outputs[t] : batch.tensors[t],
                          step.options[t]));
        for (int op = 0; op < int(graph.operators.size()); ++op) {
          const int v = tensors + op;
          bool ofCutLayer = outputs[graph.operators[op].result] != kNone;
          for (const Operand &operand : graph.operators[op].operands)
            ofCutLayer = ofCutLayer || outputs[operand.tensor] != kNone;
          greedy.decide(
              v, ofCutLayer ? greedy.best(v)
                            : optionOr(batch.operators[op], step.options[v]));
        }
      });
}

} // namespace

Result<PartitionPlan> partition::partitionByData(const OperatorGraph &graph,
                                                 int64_t workers,
                                                 const Params &params) {
  return byBatch(graph, workers, params, false);
}

Result<PartitionPlan>
partition::partitionByOneWeirdTrick(const OperatorGraph &graph, int64_t workers,
                                    const Params &params) {
  return byBatch(graph, workers, params, true);
}
