// Searches that give every worker its part of the batch, each as its paper
// defines it: data parallelism, one weird trick and ZeRO, at the end of this
// file. What is summed over the batch moves as an all-reduce does: each worker
// gets the other workers' terms of its share, and then the rest of the sum, or
// of what is made of it. Of W bytes on R workers that is 2 (R - 1) W.
//
// All hold tensors whole that the choices of other algorithms would not, so
// their lower bound is of plans that may replicate anything.
#include "compiler/partition/Algorithms.h"
#include "compiler/partition/Contiguous.h"
#include "compiler/partition/ElementWise.h"
#include "compiler/partition/Greedy.h"

#include "dialects/support/Tensor.h"

#include <set>

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

/// Of tensors that nobody computes, those that are no parameters.
std::vector<int> inputsOf(const OperatorGraph &graph) {
  std::vector<bool> isResult(graph.tensors.size(), false);
  for (const Operator &op : graph.operators)
    isResult[op.result] = true;
  std::vector<int> inputs;
  for (size_t t = 0; t < graph.tensors.size(); ++t)
    if (!isResult[t] && !graph.tensors[t].isParameter &&
        !graph.tensors[t].shape.empty())
      inputs.push_back(int(t));
  return inputs;
}

/// Inputs have samples along the first dimension of that size, and what is
/// computed of samples has them, too.
Batch batchOf(const OperatorGraph &graph, const std::vector<int> &inputs,
              int64_t size) {
  Batch batch{size, std::vector<int>(graph.tensors.size(), kNone), {}};
  for (int t : inputs) {
    const auto &shape = graph.tensors[t].shape;
    const auto it = std::find(shape.begin(), shape.end(), size);
    if (it != shape.end())
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

/// Of all that operators compute, what is computed along samples.
double workOf(const OperatorGraph &graph, const Batch &batch) {
  double work = 0;
  for (size_t o = 0; o < graph.operators.size(); ++o)
    if (batch.operators[o] != kNone)
      work += double(elementCount(graph.operators[o].extents).value_or(0));
  return work;
}

/// The input of least rank (labels) has the batch first. Where another input
/// has no such dimension, these are of all timesteps, one after the other: then
/// the batch is that one of its dimensions which divides theirs and by which
/// most is computed along samples.
Batch findBatch(const OperatorGraph &graph) {
  const std::vector<int> inputs = inputsOf(graph);
  const auto rank = [&](int t) { return graph.tensors[t].shape.size(); };
  const auto labels =
      std::min_element(inputs.begin(), inputs.end(),
                       [&](int a, int b) { return rank(a) < rank(b); });
  const int64_t first =
      labels == inputs.end() ? 0 : graph.tensors[*labels].shape[0];
  Batch best = batchOf(graph, inputs, first);
  double most = workOf(graph, best);
  for (int t : inputs) {
    if (best.tensors[t] != kNone)
      continue;
    for (int64_t size : graph.tensors[t].shape) {
      if (size < 2 || first % size != 0)
        continue;
      Batch batch = batchOf(graph, inputs, size);
      if (const double work = workOf(graph, batch); work > most) {
        most = work;
        best = std::move(batch);
      }
    }
  }
  return best;
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

/// How each tensor and each operator is divided: along a dimension or an index
/// variable, or else so:
constexpr int kWhole = kNone; // each worker has, or computes, all of it
constexpr int kCheapest = -2; // an operator: as moves least

struct Divided {
  std::vector<int> tensors, operators;
};

/// Whatever has samples is divided along them, and all else is whole.
Divided alongSamples(const Batch &batch) {
  return {batch.tensors, batch.operators};
}

/// Whether the operator makes or reads what is cut along a dimension of `cut`.
bool touches(const Operator &op, const std::vector<int> &cut) {
  return cut[op.result] != kNone ||
         std::any_of(op.operands.begin(), op.operands.end(),
                     [&](const Operand &operand) {
                       return cut[operand.tensor] != kNone;
                     });
}

/// Parameters that something reads otherwise than element by element: weights,
/// but not the optimizer's history.
std::vector<bool> findWeights(const OperatorGraph &graph) {
  std::vector<bool> isWeight(graph.tensors.size(), false);
  for (const Operator &op : graph.operators)
    for (const Operand &operand : op.operands)
      if (!isElementWise(graph, op) || !isElementWise(graph, op, operand))
        isWeight[size_t(operand.tensor)] =
            graph.tensors[size_t(operand.tensor)].isParameter;
  return isWeight;
}

bool readsParameter(const OperatorGraph &graph, const Operator &op) {
  return std::any_of(op.operands.begin(), op.operands.end(),
                     [&](const Operand &operand) {
                       return graph.tensors[operand.tensor].isParameter &&
                              isElementWise(graph, op, operand);
                     });
}

/// Of what an operator computes element by element: the dimension along which
/// it is cut, or kNone, and how many tensors are.
struct Share {
  int along = kNone;
  size_t tensors = 0;
};

Share shareOf(const OperatorGraph &graph, const Operator &op,
              const std::vector<int> &shares) {
  Share share;
  std::set<int> read;
  if (isElementWise(graph, op))
    for (const Operand &operand : op.operands)
      if (isElementWise(graph, op, operand) &&
          shares[operand.tensor] != kNone) {
        share.along = std::max(share.along, shares[operand.tensor]);
        read.insert(operand.tensor);
      }
  share.tensors = read.size();
  return share;
}

enum class Updates { Whole, Cut };

/// Each worker sums up a share of what is summed over the samples, along its
/// longest dimension, and makes its share of what is computed of that element
/// by element, such as the sum of several terms of a gradient. Where `updates`
/// are whole, this ends at what reads a parameter: every worker fetches the
/// gradient and computes the next weights, and their history, by itself (or,
/// where the sum of several terms is composed into that, fetches what the
/// others made of them, which is less). Where they are cut, the history is,
/// too, and what all fetch is the next weights.
void cutSums(const OperatorGraph &graph, const Batch &batch, Updates updates,
             Divided &divided) {
  const std::vector<bool> isWeight = findWeights(graph);
  std::vector<int> shares(graph.tensors.size(), kNone);
  for (size_t o = 0; o < graph.operators.size(); ++o) {
    const Operator &op = graph.operators[o];
    const std::vector<int64_t> &shape = graph.tensors[op.result].shape;
    if (batch.operators[o] >= int(shape.size()) && !shape.empty())
      shares[op.result] =
          int(std::max_element(shape.begin(), shape.end()) - shape.begin());
    const Share share = shareOf(graph, op, shares);
    const int along = share.along;
    if (batch.operators[o] != kNone || along == kNone)
      continue;
    if (updates == Updates::Whole && readsParameter(graph, op)) {
      if (share.tensors > 1)
        divided.operators[o] = along;
      continue;
    }
    divided.operators[o] = along;
    if (!isWeight[size_t(op.result)])
      shares[op.result] = along;
    for (const Operand &operand : op.operands)
      if (isElementWise(graph, op, operand) &&
          graph.tensors[operand.tensor].isParameter &&
          !isWeight[size_t(operand.tensor)])
        shares[operand.tensor] = along; // history
  }
  for (size_t t = 0; t < shares.size(); ++t)
    if (shares[t] != kNone)
      divided.tensors[t] = shares[t];
  for (size_t o = 0; o < graph.operators.size(); ++o) {
    const Operator &op = graph.operators[o];
    if (divided.operators[o] == kWhole && touches(op, shares) &&
        (updates == Updates::Cut || !isElementWise(graph, op)))
      divided.operators[o] = kCheapest;
  }
}

/// Fully connected layers are cut along their outputs: their weights, with the
/// gradients, history and updates of these.
void cutOutputs(const OperatorGraph &graph, const Batch &batch,
                Divided &divided) {
  const std::vector<int> outputs = findOutputs(graph, batch);
  for (size_t t = 0; t < outputs.size(); ++t)
    if (outputs[t] != kNone)
      divided.tensors[t] = outputs[t];
  for (size_t o = 0; o < graph.operators.size(); ++o)
    if (touches(graph.operators[o], outputs))
      divided.operators[o] = kCheapest;
}

/// A plan of one step that divides so. What has no such cut, as it is too small
/// for the workers, stays whole.
Result<PartitionPlan> planOf(const OperatorGraph &graph, int64_t workers,
                             const Params &given, const Divided &divided) {
  Params params = given;
  params.alwaysCut = false;
  params.wholeTensorShare = params.wholeOperatorShare = 1; // all may be whole
  return planInOneStep(
      graph, workers, params, /*isCoarsened=*/false,
      [&](const NextStep &step, const std::vector<int> &, Greedy &greedy) {
        const int tensors = int(graph.tensors.size());
        for (int t = 0; t < tensors; ++t)
          greedy.decide(t, optionOr(divided.tensors[t], step.options[t]));
        for (int op = 0; op < int(graph.operators.size()); ++op) {
          const int v = tensors + op, along = divided.operators[op];
          greedy.decide(v, along == kCheapest
                               ? greedy.best(v)
                               : optionOr(along, step.options[v]));
        }
      });
}

} // namespace

/// Every worker has all parameters and the optimizer's history, and its part of
/// the batch; gradients are summed over the workers, and each computes all next
/// parameters.
Result<PartitionPlan> partition::partitionByData(const OperatorGraph &graph,
                                                 int64_t workers,
                                                 const Params &params) {
  const Batch batch = findBatch(graph);
  Divided divided = alongSamples(batch);
  cutSums(graph, batch, Updates::Whole, divided);
  return planOf(graph, workers, params, divided);
}

/// One weird trick (Krizhevsky 2014, thesis section 3.7.3): data parallelism,
/// but fully connected layers are cut along their outputs. A layer is one if it
/// uses each weight once per sample, where a convolution uses it at every
/// place.
Result<PartitionPlan>
partition::partitionByOneWeirdTrick(const OperatorGraph &graph, int64_t workers,
                                    const Params &params) {
  const Batch batch = findBatch(graph);
  Divided divided = alongSamples(batch);
  cutSums(graph, batch, Updates::Whole, divided);
  cutOutputs(graph, batch, divided);
  return planOf(graph, workers, params, divided);
}

/// ZeRO (Rajbhandari et al. 2020, stage 2): data parallelism, but each worker
/// has a part of each gradient and of the optimizer's history, and computes
/// that part of the parameters' next values, which all get then.
Result<PartitionPlan> partition::partitionLikeZero(const OperatorGraph &graph,
                                                   int64_t workers,
                                                   const Params &params) {
  const Batch batch = findBatch(graph);
  Divided divided = alongSamples(batch);
  cutSums(graph, batch, Updates::Cut, divided);
  return planOf(graph, workers, params, divided);
}
