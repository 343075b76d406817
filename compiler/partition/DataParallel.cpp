// Data parallelism: every worker has all parameters and its part of the batch;
// what is summed over the batch is reduced and handed to everybody.
//
// One weird trick (Krizhevsky 2014, thesis section 3.7.3): the same, but fully
// connected layers are cut along their outputs. A layer is one if it uses each
// weight once per sample, where a convolution uses it at every place.
//
// ZeRO (Rajbhandari et al. 2020, stage 2): the same, but each worker has a part
// of each gradient and of the optimizer's history, and computes that part of
// the parameters' next values, which all get then. A gradient of W bytes on R
// workers moves 2 (R - 1) W bytes instead of R (R - 1) W.
//
// All hold tensors whole that the choices of other algorithms would not, so
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

/// Of tensors that are cut, each along one dimension, and of operators that
/// then compute parts of results that stay whole; kNone for all others.
struct Sharded {
  std::vector<int> tensors, operators;
};

/// Gradients: what is summed over the samples, along the longest dimension; and
/// what is computed of them element by element, up to the parameters' next
/// values. Of parameters, only those are cut that nothing else reads.
Sharded findSums(const OperatorGraph &graph, const Batch &batch) {
  Sharded found;
  found.tensors.assign(graph.tensors.size(), kNone);
  std::vector<bool> staysWhole(graph.tensors.size(), false);
  for (const Operator &op : graph.operators)
    for (const Operand &operand : op.operands)
      if (!isElementWise(graph, op) || !isElementWise(graph, op, operand))
        staysWhole[size_t(operand.tensor)] =
            graph.tensors[size_t(operand.tensor)].isParameter;
  for (size_t o = 0; o < graph.operators.size(); ++o) {
    const Operator &op = graph.operators[o];
    const std::vector<int64_t> &shape = graph.tensors[op.result].shape;
    int along = kNone;
    if (batch.operators[o] >= int(shape.size())) {
      if (!shape.empty())
        found.tensors[op.result] =
            int(std::max_element(shape.begin(), shape.end()) - shape.begin());
    } else if (batch.operators[o] == kNone && isElementWise(graph, op)) {
      for (const Operand &operand : op.operands)
        if (isElementWise(graph, op, operand))
          along = std::max(along, found.tensors[operand.tensor]);
      if (along != kNone && !staysWhole[size_t(op.result)])
        found.tensors[op.result] = along;
      for (const Operand &operand : op.operands)
        if (along != kNone && isElementWise(graph, op, operand) &&
            graph.tensors[operand.tensor].isParameter &&
            !staysWhole[size_t(operand.tensor)])
          found.tensors[operand.tensor] = along; // history
    }
    found.operators.push_back(along);
  }
  return found;
}

enum class Kind { Plain, Trick, Zero };

Result<PartitionPlan> byBatch(const OperatorGraph &graph, int64_t workers,
                              const Params &given, Kind kind) {
  Params params = given;
  params.alwaysCut = false;
  params.wholeTensorShare = params.wholeOperatorShare = 1; // all may be whole
  return planInOneStep(
      graph, workers, params, /*isCoarsened=*/false,
      [&](const NextStep &step, const std::vector<int> &, Greedy &greedy) {
        const int tensors = int(graph.tensors.size());
        const Batch batch = findBatch(graph);
        Sharded sharded{std::vector<int>(graph.tensors.size(), kNone),
                        std::vector<int>(graph.operators.size(), kNone)};
        if (kind == Kind::Trick)
          sharded.tensors = findOutputs(graph, batch);
        else if (kind == Kind::Zero)
          sharded = findSums(graph, batch);
        const std::vector<int> &cut = sharded.tensors;
        for (int t = 0; t < tensors; ++t)
          greedy.decide(t, optionOr(cut[t] != kNone ? cut[t] : batch.tensors[t],
                                    step.options[t]));
        for (int op = 0; op < int(graph.operators.size()); ++op) {
          const int v = tensors + op, along = sharded.operators[op];
          const bool isSum = kind == Kind::Zero && batch.operators[op] != kNone;
          bool isOfCut = cut[graph.operators[op].result] != kNone;
          for (const Operand &operand : graph.operators[op].operands)
            isOfCut = isOfCut || cut[operand.tensor] != kNone;
          greedy.decide(v, along != kNone ? optionOr(along, step.options[v])
                           : isOfCut && !isSum ? greedy.best(v)
                                               : optionOr(batch.operators[op],
                                                          step.options[v]));
        }
      });
}

} // namespace

Result<PartitionPlan> partition::partitionByData(const OperatorGraph &graph,
                                                 int64_t workers,
                                                 const Params &params) {
  return byBatch(graph, workers, params, Kind::Plain);
}

Result<PartitionPlan>
partition::partitionByOneWeirdTrick(const OperatorGraph &graph, int64_t workers,
                                    const Params &params) {
  return byBatch(graph, workers, params, Kind::Trick);
}

Result<PartitionPlan> partition::partitionLikeZero(const OperatorGraph &graph,
                                                   int64_t workers,
                                                   const Params &params) {
  return byBatch(graph, workers, params, Kind::Zero);
}
