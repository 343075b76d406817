// Losses.
#include "compiler/frontend/onnx/Table.h"

#include <numeric>

using namespace smex;
using namespace smex::frontend;

/// Minus the log-probabilities x of targets, weighted and reduced.
static ValueId negativeLogLikelihood(Node &n, ValueId x, ValueId target,
                                     ValueId weight) {
  const std::string reduction = n.text("reduction", "mean");
  n.require(reduction == "mean" || reduction == "sum" || reduction == "none",
            "reduction is not known");
  const DType type = n.type(x).dtype;
  tdl::Attributes ignore;
  if (n.hasAttribute("ignore_index"))
    ignore["ignore"] = n.integer("ignore_index");
  const std::string suffix = ignore.empty() ? "" : "_ignore";
  std::vector<ValueId> operands = {x, target};
  if (weight != noValue)
    operands.push_back(weight);
  ValueId loss = n.apply((weight != noValue ? "nll_weighted" : "nll") + suffix,
                         operands, ignore);
  if (reduction == "none")
    return loss;
  std::vector<int64_t> axes(n.type(loss).rank());
  std::iota(axes.begin(), axes.end(), 0);
  const ValueId sum = n.reduce("reduce_sum", loss, axes, false);
  if (reduction == "sum")
    return sum;
  ValueId counts = noValue;
  if (weight != noValue) {
    counts = n.apply("class_weight" + suffix, {target, weight}, ignore);
  } else if (!ignore.empty()) {
    ignore["to"] = type;
    counts = n.apply("counts_unless", {target}, ignore);
  } else {
    return n.reduce("reduce_mean", loss, axes, false);
  }
  return n.apply("div", {sum, n.reduce("reduce_sum", counts, axes, false)});
}

static void convertNll(Node &n) {
  const ValueId loss =
      negativeLogLikelihood(n, n.summable(n.in(0)), n.in(1),
                            n.has(2) ? n.summable(n.in(2)) : noValue);
  n.out(0, n.cast(loss, n.inType(0).dtype));
}

static void convertCrossEntropy(Node &n) {
  n.require(n.rank(0) >= 2, "its operand must have a dimension of classes");
  const ValueId logs =
      n.apply("log_softmax", {n.summable(n.in(0))}, {{"axis", int64_t(1)}});
  const ValueId loss = negativeLogLikelihood(
      n, logs, n.in(1), n.has(2) ? n.summable(n.in(2)) : noValue);
  n.out(0, n.cast(loss, n.inType(0).dtype));
  n.out(1, n.cast(logs, n.inType(0).dtype));
}

std::vector<Row> smex::frontend::lossRows() {
  return {
      {"NegativeLogLikelihoodLoss", 12, convertNll},
      {"SoftmaxCrossEntropyLoss", 12, convertCrossEntropy},
  };
}
