// The training graph (thesis section 3.5.1): a model with its loss, the
// gradients of its parameters, and the optimizer's step, all of it lambdas.
//
//     x, w  ->  y  ->  loss                       the model, and its loss
//     dw = d loss / d w                           Backward.h
//     w' = w - lr * dw, replaces w after the step frontend::Update
#ifndef SMEX_COMPILER_TRAINING_TRAININGGRAPH_H
#define SMEX_COMPILER_TRAINING_TRAININGGRAPH_H

#include "compiler/frontend/Model.h"

#include <optional>
#include <string>
#include <vector>

namespace smex::training {

/// What the command line says; see DESIGN.md. Numbers that are not given are
/// PyTorch's.
struct TrainingOptions {
  /// "cross_entropy", "cross_entropy:AXIS", "mse", "l1", "bce_with_logits", or
  /// "given:NAME" for a value of the model that is a loss already.
  std::string loss = "cross_entropy";
  std::optional<int64_t> ignoreIndex; // labels that don't count
  /// An input that says which rows count, 1 or 0 for each; or "". Of mse, l1
  /// and bce_with_logits one that is added, i64 with an element for each row of
  /// the labels; of given losses one of the model's own, of integers, by which
  /// the model tells the rows apart. What samples are trained on needs rows
  /// that do not count.
  std::string counted;
  std::vector<std::string> freeze;    // parameters not to train
  std::string optimizer = "sgd";      // momentum, adam, adamw, adagrad
  std::optional<double> learningRate, momentum, weightDecay;
  /// What the loss is multiplied by before gradients are taken, which are
  /// divided by it, in f32, before the optimizer's step: small ones would be 0
  /// in f16.
  double lossScale = 1;
};

std::vector<std::string> optimizerNames();

/// Adds the step to the model, which has one output then, "loss", and for all
/// but given losses an input "labels": the first output's shape, less the axis
/// of classes for cross_entropy, whose labels are i64 class numbers. Parameters
/// that the model calls constant are not trained; running statistics are moved
/// as the model says. What is there stays in its place, and what is added comes
/// behind it. Errors name what is wrong with the loss, the labels or a node.
Status addTrainingStep(frontend::Model &model, const TrainingOptions &options);

} // namespace smex::training

#endif
